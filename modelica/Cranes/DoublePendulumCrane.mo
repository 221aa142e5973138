within Cranes;
model DoublePendulumCrane "Planar crane with hook block and load on a sling, friction and wind"
  extends Icons.Crane;
  extends Interfaces.PlanarWind;

  parameter Types.Mass m = 8000 "Mass of the load";
  parameter Types.Mass m_h = 600 "Mass of the hook";
  parameter Types.Mass m_t = 1800 "Mass of the trolley";
  parameter Types.Length l_2 = 3 "Length of the sling, from the hook to the load";
  parameter Types.Inertia J = 60 "Moment of inertia of winch and motor at the drum";
  parameter Types.Length r = 0.2 "Radius of the drum";
  parameter Types.Acceleration g = 9.81 "Gravity";
  parameter Types.Damping d_t = 0 "Viscous friction of the trolley; 0 switches it off";
  parameter Types.Force F_c = 0 "Coulomb friction of the trolley; 0 switches it off";
  parameter Types.Velocity v_c = 0.01 "Velocity that smooths the trolley's Coulomb friction";
  parameter Types.RotationalDamping d_w = 0 "Viscous friction of the winch; 0 switches it off";
  parameter Types.Torque M_c = 0 "Coulomb friction of the winch; 0 switches it off";
  parameter Types.AngularVelocity omega_c = 0.1 "Angular velocity that smooths the winch's";
  parameter Types.Drag c_d = 0 "Drag of the load per square of speed; 0 switches it off";
  parameter Types.Velocity w_x = 0 "Wind speed";

  parameter Types.Position s_start = 0 "Start value of s";
  parameter Types.Position x_h_start = 0 "Start value of x_h";
  parameter Types.Position z_h_start = -8 "Start value of z_h";
  parameter Types.Angle theta_2_start = 0 "Start value of theta_2";
  parameter Types.Velocity v_s_start = 0 "Start value of v_s";
  parameter Types.Velocity v_x_h_start = 0 "Start value of v_x_h";
  parameter Types.Velocity v_z_h_start = 0 "Start value of v_z_h";
  parameter Types.AngularVelocity v_theta_2_start = 0 "Start value of v_theta_2";

  input Types.Force F_t(start=0) "Force on the trolley";
  input Types.Torque M_w(start=-(m + m_h)*g*r) "Torque on the winch, positive pays rope out";
  Interfaces.ForceInput F_wind_x(start=0) if useWind "Wind force on the load, horizontal";
  Interfaces.ForceInput F_wind_z(start=0) if useWind "Wind force on the load, vertical";

  output Types.Position s(start=s_start, fixed=true) "Position of the trolley";
  output Types.Position x_h(start=x_h_start, fixed=true) "Hook, horizontal";
  output Types.Position z_h(start=z_h_start, fixed=true) "Hook, vertical, zero at the trolley";
  output Types.Angle theta_2(start=theta_2_start, fixed=true)
    "Swing angle of the sling, zero for a vertical one, positive towards positive x";
  output Types.Velocity v_s(start=v_s_start, fixed=true) "Velocity of the trolley";
  output Types.Velocity v_x_h(start=v_x_h_start, fixed=true) "Velocity of the hook, horizontal";
  output Types.Velocity v_z_h(start=v_z_h_start, fixed=true) "Velocity of the hook, vertical";
  output Types.AngularVelocity v_theta_2(start=v_theta_2_start, fixed=true)
    "Angular velocity of the sling";
  output Types.Position x "Load, horizontal";
  output Types.Position z "Load, vertical, zero at the trolley";
  output Types.Velocity v_x "Velocity of the load, horizontal";
  output Types.Velocity v_z "Velocity of the load, vertical";
  output Types.Position l "Length of the rope, from the trolley to the hook";
  output Types.Velocity v_l "Velocity of the rope";
  output Types.Angle theta_1
    "Swing angle of the rope, zero for a vertical one, positive towards positive x";
  output Types.AngularVelocity v_theta_1 "Angular velocity of the rope";
  output Types.Force T_cable "Force in the rope, positive pulls";
  output Types.Force T_sling "Force in the sling, positive pulls";
  output Types.Energy energy "Kinetic and potential energy, the latter zero at z = 0";

protected
  constant Types.Velocity w_0 = 0.1 "Relative speed below which drag is linear";
  Real n[2] "Direction of the rope, from the trolley to the hook";
  Real e[2] "Direction of the sling, from the hook to the load";
  Real e_2[2] "Derivative of e by theta_2";
  Types.Velocity w[2] "Velocity of the hook relative to the trolley";
  Types.Acceleration a_l "Second time derivative of the length of the rope";
  Types.Acceleration a[2] "Acceleration of the load";
  Types.Force D[2] "Force of the air on the load";

equation
  connect(F_wind_x, wind_x);
  connect(F_wind_z, wind_z);

  der(s) = v_s;
  der(x_h) = v_x_h;
  der(z_h) = v_z_h;
  der(theta_2) = v_theta_2;

  // Rope from the trolley to the hook
  l = sqrt((x_h - s)^2 + z_h^2);
  n = {x_h - s, z_h}/l;
  w = {v_x_h - v_s, v_z_h};
  v_l = n*w;
  a_l = n*{der(v_x_h) - der(v_s), der(v_z_h)} + (w*w - v_l^2)/l;

  // Sling from the hook to the load
  e = {sin(theta_2), -cos(theta_2)};
  e_2 = {cos(theta_2), sin(theta_2)};
  x = x_h + l_2*e[1];
  z = z_h + l_2*e[2];
  v_x = v_x_h + l_2*v_theta_2*e_2[1];
  v_z = v_z_h + l_2*v_theta_2*e_2[2];
  a = {der(v_x_h), der(v_z_h)} + l_2*(der(v_theta_2)*e_2 - v_theta_2^2*e);

  // Newton's law for load and hook, with the wind that the load feels
  D = c_d*sqrt((w_x - v_x)^2 + v_z^2 + w_0^2)*{w_x - v_x, -v_z};
  m*a = D + {wind_x, wind_z - m*g} - T_sling*e;
  m_h*der(v_x_h) = T_sling*e[1] - T_cable*n[1];
  m_h*der(v_z_h) = T_sling*e[2] - m_h*g - T_cable*n[2];

  // Drives
  m_t*der(v_s) = F_t - d_t*v_s - F_c*tanh(v_s/v_c) + T_cable*n[1];
  J/r*a_l = M_w - d_w*v_l/r - M_c*tanh(v_l/(r*omega_c)) + r*T_cable;

  theta_1 = atan2(x_h - s, -z_h);
  v_theta_1 = (n[1]*w[2] - n[2]*w[1])/l;
  energy = m_t*v_s^2/2 + J/r^2*v_l^2/2 + m_h*(v_x_h^2 + v_z_h^2)/2 + m*(v_x^2 + v_z^2)/2
    + g*(m_h*z_h + m*z);

  annotation (
    experiment(StartTime=0, StopTime=20, Tolerance=1e-9),
    Documentation(info="<html>
<p>A hook block <code>m_h</code> hangs on the rope of a trolley, and the load <code>m</code> on a sling
of length <code>l_2</code> below it: a double pendulum. Four degrees of freedom, two drives.
Coordinates: the trolley <code>s</code>, the hook <code>(x_h, z_h)</code> and the sling's angle
<code>theta_2</code>. With the rope's direction <code>n</code> and length <code>l</code>, from the
trolley to the hook, and the sling's direction <code>e = (sin(theta_2), -cos(theta_2))</code></p>
<pre>(x, z) = (x_h, z_h) + l_2 e
m (x'', z'')       = D + F_wind - m g e_z - T_2 e
m_h (x_h'', z_h'') = T_2 e - m_h g e_z - T_1 n
m_t s''            = F_t - d_t s' - F_c tanh(s'/v_c) + T_1 n_x
J/r l''            = M_w - d_w l'/r - M_c tanh(l'/(r omega_c)) + r T_1</pre>
<p>with the air's force <code>D = c_d |w_r| w_r</code>, <code>w_r</code> the wind relative to the load,
smooth where it vanishes.</p>
<p>Equilibrium at rest: <code>F_t = 0</code>, <code>M_w = -(m + m_h) g r</code> (-16 873.2 N.m with the
default values). The equations are regular for <code>l &gt; 0</code>.</p>
</html>"));
end DoublePendulumCrane;
