within Cranes;
model QuadrotorWithLoad "Planar quadrotor with a load on a rope, with wind"
  extends Icons.Crane;
  extends Interfaces.PlanarWind;

  parameter Types.Mass m = 5 "Mass of the load";
  parameter Types.Mass m_q = 9.5 "Mass of the vehicle";
  parameter Types.Inertia J = 0.9 "Moment of inertia of the vehicle about the pitch axis";
  parameter Types.Length l = 3 "Length of the rope";
  parameter Types.Acceleration g = 9.81 "Gravity";
  parameter Types.Drag c_d = 0 "Drag of the load per square of speed; 0 switches it off";
  parameter Types.Drag c_q = 0 "Drag of the vehicle per square of speed; 0 switches it off";
  parameter Types.Velocity w_x = 0 "Wind speed";

  parameter Types.Position x_start = 0 "Start value of x";
  parameter Types.Position z_start = 0 "Start value of z";
  parameter Types.Angle theta_start = 0 "Start value of theta";
  parameter Types.Angle phi_start = 0 "Start value of phi";
  parameter Types.Velocity v_x_start = 0 "Start value of v_x";
  parameter Types.Velocity v_z_start = 0 "Start value of v_z";
  parameter Types.AngularVelocity v_theta_start = 0 "Start value of v_theta";
  parameter Types.AngularVelocity v_phi_start = 0 "Start value of v_phi";

  input Types.Force F(start=(m + m_q)*g) "Thrust of all rotors";
  input Types.Torque M(start=0) "Pitch torque";
  Interfaces.ForceInput F_wind_x(start=0) if useWind "Wind force on the load, horizontal";
  Interfaces.ForceInput F_wind_z(start=0) if useWind "Wind force on the load, vertical";

  output Types.Position x(start=x_start, fixed=true) "Load, horizontal";
  output Types.Position z(start=z_start, fixed=true) "Load, vertical";
  output Types.Angle theta(start=theta_start, fixed=true)
    "Swing angle of the rope, zero for a vertical one, positive towards positive x";
  output Types.Angle phi(start=phi_start, fixed=true)
    "Pitch, positive tilts the thrust towards positive x";
  output Types.Velocity v_x(start=v_x_start, fixed=true) "Velocity of the load, horizontal";
  output Types.Velocity v_z(start=v_z_start, fixed=true) "Velocity of the load, vertical";
  output Types.AngularVelocity v_theta(start=v_theta_start, fixed=true)
    "Angular velocity of the rope";
  output Types.AngularVelocity v_phi(start=v_phi_start, fixed=true)
    "Angular velocity of the vehicle";
  output Types.Position x_q "Vehicle, horizontal";
  output Types.Position z_q "Vehicle, vertical";
  output Types.Velocity v_x_q "Velocity of the vehicle, horizontal";
  output Types.Velocity v_z_q "Velocity of the vehicle, vertical";
  output Types.Force T_cable "Force in the rope, positive pulls";
  output Types.Energy energy "Kinetic and potential energy, the latter zero at z = 0";

protected
  constant Types.Velocity w_0 = 0.1 "Relative speed below which drag is linear";
  Real e[2] "Direction of the rope, from the vehicle to the load";
  Real e_1[2] "Derivative of e by theta";
  Types.Acceleration a_q[2] "Acceleration of the vehicle";
  Types.Force D[2] "Force of the air on the load";
  Types.Force D_q[2] "Force of the air on the vehicle";

equation
  connect(F_wind_x, wind_x);
  connect(F_wind_z, wind_z);

  der(x) = v_x;
  der(z) = v_z;
  der(theta) = v_theta;
  der(phi) = v_phi;

  // Vehicle at the other end of the rope
  e = {sin(theta), -cos(theta)};
  e_1 = {cos(theta), sin(theta)};
  x_q = x - l*e[1];
  z_q = z - l*e[2];
  v_x_q = v_x - l*v_theta*e_1[1];
  v_z_q = v_z - l*v_theta*e_1[2];
  a_q = {der(v_x), der(v_z)} - l*(der(v_theta)*e_1 - v_theta^2*e);

  // Newton's law for the load, Newton's and Euler's for the vehicle
  D = c_d*sqrt((w_x - v_x)^2 + v_z^2 + w_0^2)*{w_x - v_x, -v_z};
  D_q = c_q*sqrt((w_x - v_x_q)^2 + v_z_q^2 + w_0^2)*{w_x - v_x_q, -v_z_q};
  m*der(v_x) = D[1] + wind_x - T_cable*e[1];
  m*der(v_z) = D[2] + wind_z - m*g - T_cable*e[2];
  m_q*a_q = F*{sin(phi), cos(phi)} + D_q - {0, m_q*g} + T_cable*e;
  J*der(v_phi) = M;

  energy = m*(v_x^2 + v_z^2)/2 + m_q*(v_x_q^2 + v_z_q^2)/2 + J*v_phi^2/2 + g*(m*z + m_q*z_q);

  annotation (
    experiment(StartTime=0, StopTime=6, Tolerance=1e-9),
    Documentation(info="<html>
<p>A quadrotor (<code>m_q</code>, <code>J</code>) in its vertical plane carries a load <code>m</code>
on a rope of length <code>l</code> that is fixed at its centre of mass. Four degrees of freedom, two
drives: the thrust <code>F</code>, across the vehicle, and the pitch torque <code>M</code>.
Coordinates: the load <code>(x, z)</code>, the rope's angle <code>theta</code> and the pitch
<code>phi</code>. With the rope's direction <code>e = (sin(theta), -cos(theta))</code></p>
<pre>(x_q, z_q) = (x, z) - l e
m (x'', z'')       = D + F_wind - m g e_z - T e
m_q (x_q'', z_q'') = F (sin(phi), cos(phi)) + D_q - m_q g e_z + T e
J phi''            = M</pre>
<p>with the air's forces <code>D = c |w_r| w_r</code>, <code>w_r</code> the wind relative to the body,
smooth where it vanishes.</p>
<p>Equilibrium at rest: <code>F = (m + m_q) g</code> (142.245 N with the default values),
<code>M = 0</code>. The vehicle does not return to a place of its own: hovering is not stable.</p>
</html>"));
end QuadrotorWithLoad;
