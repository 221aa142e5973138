within Cranes;
model GantryCrane "Planar gantry crane with friction and wind, load in Cartesian coordinates"
  extends Icons.Crane;
  extends Interfaces.PlanarWind;

  parameter Types.Mass m = 10000 "Mass of the load";
  parameter Types.Mass m_t = 1800 "Mass of the trolley";
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
  parameter Types.Position x_start = 0 "Start value of x";
  parameter Types.Position z_start = -8 "Start value of z";
  parameter Types.Velocity v_s_start = 0 "Start value of v_s";
  parameter Types.Velocity v_x_start = 0 "Start value of v_x";
  parameter Types.Velocity v_z_start = 0 "Start value of v_z";

  input Types.Force F_t(start=0) "Force on the trolley";
  input Types.Torque M_w(start=-m*g*r) "Torque on the winch, positive pays rope out";
  Interfaces.ForceInput F_wind_x(start=0) if useWind "Wind force on the load, horizontal";
  Interfaces.ForceInput F_wind_z(start=0) if useWind "Wind force on the load, vertical";

  output Types.Position s(start=s_start, fixed=true) "Position of the trolley";
  output Types.Position x(start=x_start, fixed=true) "Load, horizontal";
  output Types.Position z(start=z_start, fixed=true) "Load, vertical, zero at the trolley";
  output Types.Velocity v_s(start=v_s_start, fixed=true) "Velocity of the trolley";
  output Types.Velocity v_x(start=v_x_start, fixed=true) "Velocity of the load, horizontal";
  output Types.Velocity v_z(start=v_z_start, fixed=true) "Velocity of the load, vertical";
  output Types.Position l "Length of the rope";
  output Types.Velocity v_l "Velocity of the rope";
  output Types.Angle theta "Swing angle, zero for a vertical rope, positive towards positive x";
  output Types.AngularVelocity v_theta "Angular velocity of swing";
  output Types.Force T_cable "Force in the rope, positive pulls";
  output Types.Energy energy "Kinetic and potential energy, the latter zero at z = 0";

protected
  constant Types.Velocity w_0 = 0.1 "Relative speed below which drag is linear";
  Real n[2] "Direction of the rope, from the trolley to the load";
  Types.Velocity w[2] "Velocity of the load relative to the trolley";
  Types.Acceleration a_l "Second time derivative of the length of the rope";
  Types.Force D[2] "Force of the air on the load";

equation
  connect(F_wind_x, wind_x);
  connect(F_wind_z, wind_z);

  der(s) = v_s;
  der(x) = v_x;
  der(z) = v_z;

  // Rope from the trolley to the load
  l = sqrt((x - s)^2 + z^2);
  n = {x - s, z}/l;
  w = {v_x - v_s, v_z};
  v_l = n*w;
  a_l = n*{der(v_x) - der(v_s), der(v_z)} + (w*w - v_l^2)/l;

  // Newton's law for the load, with the wind that it feels
  D = c_d*sqrt((w_x - v_x)^2 + v_z^2 + w_0^2)*{w_x - v_x, -v_z};
  m*der(v_x) = D[1] + wind_x - T_cable*n[1];
  m*der(v_z) = D[2] + wind_z - m*g - T_cable*n[2];

  // Drives
  m_t*der(v_s) = F_t - d_t*v_s - F_c*tanh(v_s/v_c) + T_cable*n[1];
  J/r*a_l = M_w - d_w*v_l/r - M_c*tanh(v_l/(r*omega_c)) + r*T_cable;

  theta = atan2(x - s, -z);
  v_theta = (n[1]*w[2] - n[2]*w[1])/l;
  energy = m_t*v_s^2/2 + J/r^2*v_l^2/2 + m*(v_x^2 + v_z^2)/2 + m*g*z;

  annotation (
    experiment(StartTime=0, StopTime=20, Tolerance=1e-9),
    Documentation(info="<html>
<p>A trolley <code>m_t</code> on a horizontal girder carries a winch (<code>J</code>,
<code>r</code>), from which the load <code>m</code> hangs on a rope. Three degrees of freedom, two
drives. Coordinates: the trolley <code>s</code> and the load <code>(x, z)</code>. With the rope's
direction <code>n</code> from the trolley to the load and its length</p>
<pre>l   = |(x - s, z)|,   l' = n.w,   w = (x' - s', z')
l'' = n.(x'' - s'', z'') + (w.w - l'^2)/l</pre>
<p>Newton's law for the load, for the trolley and for the winch reads</p>
<pre>m (x'', z'') = D + F_wind - m g e_z - T n
m_t s''      = F_t - d_t s' - F_c tanh(s'/v_c) + T n_x
J/r l''      = M_w - d_w l'/r - M_c tanh(l'/(r omega_c)) + r T</pre>
<p>with the air's force <code>D = c_d |w_r| w_r</code>, <code>w_r</code> the wind relative to the load,
smooth where it vanishes.</p>
<p>Equilibrium at rest: <code>F_t = 0</code>, <code>M_w = -m g r</code> (-19 620 N.m with the default
values). The equations are regular for <code>l &gt; 0</code>.</p>
</html>"));
end GantryCrane;
