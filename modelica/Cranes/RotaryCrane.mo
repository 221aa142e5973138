within Cranes;
model RotaryCrane "Rotary (tower) crane: slewing bridge, trolley, winch, load on one rope"
  extends Icons.Crane;
  extends Interfaces.SpatialWind;

  parameter Types.Mass m = 100 "Mass of the load";
  parameter Types.Mass m_t = 10 "Mass of the trolley";
  parameter Types.Inertia J_w = 0.1 "Moment of inertia of the winch";
  parameter Types.Inertia J_b = 480 "Moment of inertia of the bridge about the tower axis";
  parameter Types.Length r_w = 0.1 "Radius of the winch";
  parameter Types.Acceleration g = 9.81 "Gravity";

  parameter Types.Angle phi_start = 0 "Start value of phi";
  parameter Types.Position s_start = 5 "Start value of s";
  parameter Types.Length l_start = 5 "Start value of l";
  parameter Types.Angle theta_1_start = 0 "Start value of theta_1";
  parameter Types.Angle theta_2_start = 0 "Start value of theta_2";
  parameter Types.AngularVelocity v_phi_start = 0 "Start value of v_phi";
  parameter Types.Velocity v_s_start = 0 "Start value of v_s";
  parameter Types.Velocity v_l_start = 0 "Start value of v_l";
  parameter Types.AngularVelocity v_theta_1_start = 0 "Start value of v_theta_1";
  parameter Types.AngularVelocity v_theta_2_start = 0 "Start value of v_theta_2";

  input Types.Torque M_b(start=0) "Torque on the bridge";
  input Types.Force F_t(start=0) "Force on the trolley";
  input Types.Torque M_w(start=-m*g*r_w) "Torque on the winch, positive pays rope out";
  Interfaces.ForceInput F_wind_x(start=0) if useWind "Wind force on the load, along x";
  Interfaces.ForceInput F_wind_y(start=0) if useWind "Wind force on the load, along y";
  Interfaces.ForceInput F_wind_z(start=0) if useWind "Wind force on the load, vertical";

  output Types.Position x "Load";
  output Types.Position y "Load";
  output Types.Position z "Load, vertical, zero at the girder";
  output Types.Velocity v_x "Velocity of the load";
  output Types.Velocity v_y "Velocity of the load";
  output Types.Velocity v_z "Velocity of the load, vertical";
  output Types.Angle phi(start=phi_start, fixed=true) "Slewing angle";
  output Types.Position s(start=s_start, fixed=true) "Distance of the trolley from the tower axis";
  output Types.Position l(start=l_start, fixed=true) "Length of the rope";
  output Types.AngularVelocity v_phi(start=v_phi_start, fixed=true) "Slewing velocity";
  output Types.Velocity v_s(start=v_s_start, fixed=true) "Velocity of the trolley on the bridge";
  output Types.Velocity v_l(start=v_l_start, fixed=true) "Velocity of the rope";
  output Types.Angle theta_1(start=theta_1_start, fixed=true)
    "Swing angle about the bridge, zero for a vertical rope";
  output Types.Angle theta_2(start=theta_2_start, fixed=true)
    "Swing angle in the plane of bridge and rope, zero for a vertical rope";
  output Types.AngularVelocity v_theta_1(start=v_theta_1_start, fixed=true)
    "Angular velocity of theta_1";
  output Types.AngularVelocity v_theta_2(start=v_theta_2_start, fixed=true)
    "Angular velocity of theta_2";
  output Types.Force T_cable "Force in the rope, positive pulls";
  output Types.Energy energy "Kinetic and potential energy, the latter zero at z = 0";
  output Types.AngularMomentum L_z "Angular momentum about the tower axis";

protected
  Types.Force F_wind[3] "Wind force on the load, in the frame of the bridge";
  Real n[3] "Direction of the rope, in the frame of the bridge";
  Real n_1[3] "Derivative of n by theta_1";
  Real n_2[3] "Derivative of n by theta_2";
  Real b[3] "What remains of n'' without angular accelerations";
  Types.Velocity w[3] "Velocity of the load relative to the bridge";
  Types.Acceleration a[3] "Acceleration of the load, in the frame of the bridge";
  Types.Position rho[3] "Position of the load, in the frame of the bridge";
  Types.Velocity v[3] "Velocity of the load, in the frame of the bridge";

equation
  connect(F_wind_x, wind_x);
  connect(F_wind_y, wind_y);
  connect(F_wind_z, wind_z);

  der(phi) = v_phi;
  der(s) = v_s;
  der(l) = v_l;
  der(theta_1) = v_theta_1;
  der(theta_2) = v_theta_2;

  // Direction of the rope and its derivatives
  n = {sin(theta_2), -sin(theta_1)*cos(theta_2), -cos(theta_1)*cos(theta_2)};
  n_1 = {0, -cos(theta_1)*cos(theta_2), sin(theta_1)*cos(theta_2)};
  n_2 = {cos(theta_2), sin(theta_1)*sin(theta_2), cos(theta_1)*sin(theta_2)};
  b = {-v_theta_2^2*sin(theta_2),
    (v_theta_1^2 + v_theta_2^2)*sin(theta_1)*cos(theta_2)
      + 2*v_theta_1*v_theta_2*cos(theta_1)*sin(theta_2),
    (v_theta_1^2 + v_theta_2^2)*cos(theta_1)*cos(theta_2)
      - 2*v_theta_1*v_theta_2*sin(theta_1)*sin(theta_2)};

  // Kinematics of the load in the rotating frame
  rho = {s, 0, 0} + l*n;
  w = {v_s, 0, 0} + v_l*n + l*(n_1*v_theta_1 + n_2*v_theta_2);
  v = w + v_phi*{-rho[2], rho[1], 0};
  a = {der(v_s), 0, 0} + der(v_l)*n + 2*v_l*(n_1*v_theta_1 + n_2*v_theta_2)
    + l*(n_1*der(v_theta_1) + n_2*der(v_theta_2) + b)
    + der(v_phi)*{-rho[2], rho[1], 0} + 2*v_phi*{-w[2], w[1], 0} - v_phi^2*{rho[1], rho[2], 0};

  // Newton's law for the load; bridge with trolley, trolley along the bridge, winch
  F_wind = {wind_x*cos(phi) + wind_y*sin(phi), wind_y*cos(phi) - wind_x*sin(phi), wind_z};
  m*a = {0, 0, -m*g} - T_cable*n + F_wind;
  (J_b + m_t*s^2)*der(v_phi) + 2*m_t*s*v_s*v_phi = M_b + s*T_cable*n[2];
  m_t*(der(v_s) - s*v_phi^2) = F_t + T_cable*n[1];
  J_w/r_w^2*der(v_l) = M_w/r_w + T_cable;

  x = rho[1]*cos(phi) - rho[2]*sin(phi);
  y = rho[1]*sin(phi) + rho[2]*cos(phi);
  z = rho[3];
  v_x = v[1]*cos(phi) - v[2]*sin(phi);
  v_y = v[1]*sin(phi) + v[2]*cos(phi);
  v_z = v[3];
  energy = (J_b + m_t*s^2)*v_phi^2/2 + m_t*v_s^2/2 + J_w/r_w^2*v_l^2/2 + m*(v*v)/2 + m*g*z;
  L_z = (J_b + m_t*s^2)*v_phi + m*(rho[1]*v[2] - rho[2]*v[1]);

  annotation (
    experiment(StartTime=0, StopTime=20, Tolerance=1e-9),
    Documentation(info="<html>
<p>A bridge (<code>J_b</code>) slews about a vertical axis; on it runs a trolley <code>m_t</code>
with a winch (<code>J_w</code>, <code>r_w</code>), from which the load <code>m</code> hangs. Five
degrees of freedom, three drives. Coordinates: <code>phi</code>, <code>s</code>, <code>l</code> and
two swing angles. In the frame of the bridge (first axis along it, third axis up)</p>
<pre>n   = (sin(theta_2), -sin(theta_1) cos(theta_2), -cos(theta_1) cos(theta_2))
rho = s e_1 + l n</pre>
<p>are the direction of the rope and the position of the load. With the angular velocity
<code>omega = phi' e_3</code> and dots for derivatives in the rotating frame, the acceleration of the
load is</p>
<pre>a = rho'' + 2 omega x rho' + omega' x rho + omega x (omega x rho)</pre>
<p>and the equations of motion are</p>
<pre>m a = -m g e_3 - T n + F_wind
(J_b + m_t s^2) phi'' + 2 m_t s s' phi' = M_b + s T n_2
m_t (s'' - s phi'^2)                    = F_t + T n_1
J_w/r_w^2 l''                           = M_w/r_w + T</pre>
<p>Equilibrium at rest: <code>M_b = F_t = 0</code>, <code>M_w = -m g r_w</code> (-98.1 N.m with the
default values). The coordinates are regular for <code>l &gt; 0</code> and
<code>|theta_2| &lt; pi/2</code>: near the vertical there is no singularity.</p>
</html>"));
end RotaryCrane;
