within Cranes;
model BridgeCrane "Bridge crane with friction and wind, load in Cartesian coordinates"
  extends Icons.Crane;
  extends Interfaces.SpatialWind;

  parameter Types.Mass m = 20000 "Mass of the load";
  parameter Types.Mass m_b = 18000 "Mass of the bridge";
  parameter Types.Mass m_t = 4500 "Mass of the trolley";
  parameter Types.Inertia J_w = 250 "Moment of inertia of winch and motor at the drum";
  parameter Types.Length r_w = 0.35 "Radius of the drum";
  parameter Types.Acceleration g = 9.81 "Gravity";
  parameter Types.Damping d_b = 0 "Viscous friction of the bridge; 0 switches it off";
  parameter Types.Force F_cb = 0 "Coulomb friction of the bridge; 0 switches it off";
  parameter Types.Damping d_t = 0 "Viscous friction of the trolley; 0 switches it off";
  parameter Types.Force F_ct = 0 "Coulomb friction of the trolley; 0 switches it off";
  parameter Types.Velocity v_c = 0.01 "Velocity that smooths the Coulomb friction of both";
  parameter Types.RotationalDamping d_w = 0 "Viscous friction of the winch; 0 switches it off";
  parameter Types.Torque M_cw = 0 "Coulomb friction of the winch; 0 switches it off";
  parameter Types.AngularVelocity omega_c = 0.1 "Angular velocity that smooths the winch's";
  parameter Types.Drag c_d = 0 "Drag of the load per square of speed; 0 switches it off";
  parameter Types.Velocity w_x = 0 "Wind speed along x";
  parameter Types.Velocity w_y = 0 "Wind speed along y";

  parameter Types.Position b_start = 0 "Start value of b";
  parameter Types.Position s_start = 0 "Start value of s";
  parameter Types.Position x_start = 0 "Start value of x";
  parameter Types.Position y_start = 0 "Start value of y";
  parameter Types.Position z_start = -8 "Start value of z";
  parameter Types.Velocity v_b_start = 0 "Start value of v_b";
  parameter Types.Velocity v_s_start = 0 "Start value of v_s";
  parameter Types.Velocity v_x_start = 0 "Start value of v_x";
  parameter Types.Velocity v_y_start = 0 "Start value of v_y";
  parameter Types.Velocity v_z_start = 0 "Start value of v_z";

  input Types.Force F_b(start=0) "Force on the bridge";
  input Types.Force F_t(start=0) "Force on the trolley";
  input Types.Torque M_w(start=-m*g*r_w) "Torque on the winch, positive pays rope out";
  Interfaces.ForceInput F_wind_x(start=0) if useWind "Wind force on the load, along x";
  Interfaces.ForceInput F_wind_y(start=0) if useWind "Wind force on the load, along y";
  Interfaces.ForceInput F_wind_z(start=0) if useWind "Wind force on the load, vertical";

  output Types.Position b(start=b_start, fixed=true) "Position of the bridge, along y";
  output Types.Position s(start=s_start, fixed=true) "Position of the trolley, along x";
  output Types.Position x(start=x_start, fixed=true) "Load, along the bridge";
  output Types.Position y(start=y_start, fixed=true) "Load, across the bridge";
  output Types.Position z(start=z_start, fixed=true) "Load, vertical, zero at the trolley";
  output Types.Velocity v_b(start=v_b_start, fixed=true) "Velocity of the bridge";
  output Types.Velocity v_s(start=v_s_start, fixed=true) "Velocity of the trolley";
  output Types.Velocity v_x(start=v_x_start, fixed=true) "Velocity of the load, along the bridge";
  output Types.Velocity v_y(start=v_y_start, fixed=true) "Velocity of the load, across the bridge";
  output Types.Velocity v_z(start=v_z_start, fixed=true) "Velocity of the load, vertical";
  output Types.Position l "Length of the rope";
  output Types.Velocity v_l "Velocity of the rope";
  output Types.Angle theta_1 "Swing angle along the bridge, positive towards positive x";
  output Types.Angle theta_2 "Swing angle across the bridge, positive towards positive y";
  output Types.AngularVelocity v_theta_1 "Angular velocity of theta_1";
  output Types.AngularVelocity v_theta_2 "Angular velocity of theta_2";
  output Types.Force T_cable "Force in the rope, positive pulls";
  output Types.Energy energy "Kinetic and potential energy, the latter zero at z = 0";

protected
  constant Types.Velocity w_0 = 0.1 "Relative speed below which drag is linear";
  Real n[3] "Direction of the rope, from the trolley to the load";
  Real n_rate[3](each unit="1/s") "Time derivative of n";
  Types.Velocity w[3] "Velocity of the load relative to the trolley";
  Types.Acceleration a_l "Second time derivative of the length of the rope";
  Types.Force D[3] "Force of the air on the load";

equation
  connect(F_wind_x, wind_x);
  connect(F_wind_y, wind_y);
  connect(F_wind_z, wind_z);

  der(b) = v_b;
  der(s) = v_s;
  der(x) = v_x;
  der(y) = v_y;
  der(z) = v_z;

  // Rope from the trolley to the load
  l = sqrt((x - s)^2 + (y - b)^2 + z^2);
  n = {x - s, y - b, z}/l;
  w = {v_x - v_s, v_y - v_b, v_z};
  v_l = n*w;
  a_l = n*{der(v_x) - der(v_s), der(v_y) - der(v_b), der(v_z)} + (w*w - v_l^2)/l;

  // Newton's law for the load, with the wind that it feels
  D = c_d*sqrt((w_x - v_x)^2 + (w_y - v_y)^2 + v_z^2 + w_0^2)*{w_x - v_x, w_y - v_y, -v_z};
  m*der(v_x) = D[1] + wind_x - T_cable*n[1];
  m*der(v_y) = D[2] + wind_y - T_cable*n[2];
  m*der(v_z) = D[3] + wind_z - m*g - T_cable*n[3];

  // Drives; the bridge carries the trolley
  (m_b + m_t)*der(v_b) = F_b - d_b*v_b - F_cb*tanh(v_b/v_c) + T_cable*n[2];
  m_t*der(v_s) = F_t - d_t*v_s - F_ct*tanh(v_s/v_c) + T_cable*n[1];
  J_w/r_w*a_l = M_w - d_w*v_l/r_w - M_cw*tanh(v_l/(r_w*omega_c)) + r_w*T_cable;

  // Swing angles
  n_rate = (w - v_l*n)/l;
  theta_1 = atan2(n[1], -n[3]);
  theta_2 = asin(n[2]);
  v_theta_1 = (n[1]*n_rate[3] - n[3]*n_rate[1])/(n[1]^2 + n[3]^2);
  v_theta_2 = n_rate[2]/sqrt(1 - n[2]^2);

  energy = (m_b + m_t)*v_b^2/2 + m_t*v_s^2/2 + J_w/r_w^2*v_l^2/2
    + m*(v_x^2 + v_y^2 + v_z^2)/2 + m*g*z;

  annotation (
    experiment(StartTime=0, StopTime=30, Tolerance=1e-9),
    Documentation(info="<html>
<p>A bridge <code>m_b</code> travels along y; on it runs a trolley <code>m_t</code> along x with a winch
(<code>J_w</code>, <code>r_w</code>), from which the load <code>m</code> hangs. Five degrees of freedom,
three drives. Coordinates: the bridge <code>b</code>, the trolley <code>s</code> and the load
<code>(x, y, z)</code>. With the rope's direction <code>n</code> and length <code>l</code>, from the
trolley to the load, and <code>w = (x' - s', y' - b', z')</code></p>
<pre>l''               = n.w' + (w.w - l'^2)/l
m (x'', y'', z'') = D + F_wind - m g e_z - T n
(m_b + m_t) b''   = F_b - d_b b' - F_cb tanh(b'/v_c) + T n_y
m_t s''           = F_t - d_t s' - F_ct tanh(s'/v_c) + T n_x
J_w/r_w l''       = M_w - d_w l'/r_w - M_cw tanh(l'/(r_w omega_c)) + r_w T</pre>
<p>with the air's force <code>D = c_d |w_r| w_r</code>, <code>w_r</code> the wind relative to the load,
smooth where it vanishes.</p>
<p>Equilibrium at rest: <code>F_b = F_t = 0</code>, <code>M_w = -m g r_w</code> (-68 670 N.m with the
default values). The equations are regular for <code>l &gt; 0</code> and a rope that does not lie along
y.</p>
</html>"));
end BridgeCrane;
