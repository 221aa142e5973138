within Cranes;
model PortalCrane "Portal crane with two travel drives: skewing bridge, trolley, winch, load"
  extends Icons.Crane;
  extends Interfaces.SpatialWind;

  parameter Types.Mass m = 15000 "Mass of the load";
  parameter Types.Mass m_b = 40000 "Mass of the bridge";
  parameter Types.Inertia J_b = 4e6 "Moment of inertia of the bridge about the vertical, at its centre";
  parameter Types.Length a = 15 "Distance of each rail from the middle between them";
  parameter Types.RotationalStiffness c_psi = 2e8 "Stiffness of the legs against skewing";
  parameter Types.Mass m_t = 3000 "Mass of the trolley";
  parameter Types.Inertia J_w = 60 "Moment of inertia of the winch";
  parameter Types.Length r_w = 0.3 "Radius of the drum";
  parameter Types.Acceleration g = 9.81 "Gravity";

  parameter Types.Position x_b_start = 0 "Start value of x_b";
  parameter Types.Angle psi_start = 0 "Start value of psi";
  parameter Types.Position s_start = -5 "Start value of s";
  parameter Types.Position x_start = 0 "Start value of x";
  parameter Types.Position y_start = -5 "Start value of y";
  parameter Types.Position z_start = -15 "Start value of z";
  parameter Types.Velocity v_x_b_start = 0 "Start value of v_x_b";
  parameter Types.AngularVelocity v_psi_start = 0 "Start value of v_psi";
  parameter Types.Velocity v_s_start = 0 "Start value of v_s";
  parameter Types.Velocity v_x_start = 0 "Start value of v_x";
  parameter Types.Velocity v_y_start = 0 "Start value of v_y";
  parameter Types.Velocity v_z_start = 0 "Start value of v_z";

  input Types.Force F_1(start=0) "Force of travel drive 1, on the rail at y = a";
  input Types.Force F_2(start=0) "Force of travel drive 2, on the rail at y = -a";
  input Types.Force F_t(start=0) "Force on the trolley";
  input Types.Torque M_w(start=-m*g*r_w) "Torque on the winch, positive pays rope out";
  Interfaces.ForceInput F_wind_x(start=0) if useWind "Wind force on the load, along the rails";
  Interfaces.ForceInput F_wind_y(start=0) if useWind "Wind force on the load, across the rails";
  Interfaces.ForceInput F_wind_z(start=0) if useWind "Wind force on the load, vertical";

  output Types.Position x "Load, along the rails";
  output Types.Position y "Load, across the rails";
  output Types.Position z "Load, vertical, zero at the trolley";
  output Types.Angle psi "Skew angle of the bridge";
  output Types.Velocity v_x "Velocity of the load, along the rails";
  output Types.Velocity v_y "Velocity of the load, across the rails";
  output Types.Velocity v_z "Velocity of the load, vertical";
  output Types.AngularVelocity v_psi "Angular velocity of the bridge";
  output Types.Position x_1(start=x_b_start - a*sin(psi_start), fixed=true)
    "Position of travel drive 1, at y = a cos(psi)";
  output Types.Position x_2(start=x_b_start + a*sin(psi_start), fixed=true)
    "Position of travel drive 2, at y = -a cos(psi)";
  output Types.Position x_b "Position of the bridge's centre";
  output Types.Position s(start=s_start, fixed=true)
    "Position of the trolley on the bridge, from its centre towards drive 1";
  output Types.Position l(start=l_0, fixed=true) "Length of the rope";
  output Types.Velocity v_x_1(start=v_x_b_start - a*cos(psi_start)*v_psi_start, fixed=true)
    "Velocity of travel drive 1";
  output Types.Velocity v_x_2(start=v_x_b_start + a*cos(psi_start)*v_psi_start, fixed=true)
    "Velocity of travel drive 2";
  output Types.Velocity v_x_b "Velocity of the bridge's centre";
  output Types.Velocity v_s(start=v_s_start, fixed=true) "Velocity of the trolley on the bridge";
  output Types.Velocity v_l(start=v_l_0, fixed=true) "Velocity of the rope";
  output Types.Angle theta_1(start=atan2(rope_0[1], -rope_0[3]), fixed=true)
    "Swing angle along the rails, positive towards positive x";
  output Types.Angle theta_2(start=atan2(rope_0[2], across_0), fixed=true)
    "Swing angle across the rails, positive towards positive y";
  output Types.AngularVelocity v_theta_1(
    start=(rope_0[1]*w_0[3] - rope_0[3]*w_0[1])/across_0^2, fixed=true)
    "Angular velocity of theta_1";
  output Types.AngularVelocity v_theta_2(
    start=(w_0[2] - v_l_0*rope_0[2]/l_0)/across_0, fixed=true) "Angular velocity of theta_2";
  output Types.Position x_t "Trolley, along the rails";
  output Types.Position y_t "Trolley, across the rails";
  output Types.Force T_cable "Force in the rope, positive pulls";
  output Types.Energy energy "Kinetic and potential energy, the latter zero at z = 0 and psi = 0";

protected
  // The rope at the start
  parameter Types.Position rope_0[3] = {x_start - x_b_start + s_start*sin(psi_start),
    y_start - s_start*cos(psi_start), z_start} "Rope at the start";
  parameter Types.Velocity w_0[3] = {
    v_x_start - v_x_b_start + v_s_start*sin(psi_start) + s_start*cos(psi_start)*v_psi_start,
    v_y_start - v_s_start*cos(psi_start) + s_start*sin(psi_start)*v_psi_start, v_z_start}
    "Its rate at the start";
  parameter Types.Length l_0 = sqrt(rope_0*rope_0) "Length of the rope at the start";
  parameter Types.Velocity v_l_0 = rope_0*w_0/l_0 "Velocity of the rope at the start";
  parameter Types.Length across_0 = sqrt(rope_0[1]^2 + rope_0[3]^2)
    "Rope at the start, its part in the x-z plane";

  Types.Velocity v_t[2] "Velocity of the trolley";
  Types.Acceleration a_t[2] "Acceleration of the trolley";
  Real along[2] "Direction of the bridge";
  Real across[2] "Direction across the bridge, to which it turns backwards";
  Types.Force N "Force of the bridge's guides on the trolley, across the bridge";
  Real n[3] "Direction of the rope, from the trolley to the load";
  Real n_1[3] "Derivative of n by theta_1";
  Real n_2[3] "Derivative of n by theta_2";
  Real b[3] "What remains of n'' without angular accelerations";

equation
  connect(F_wind_x, wind_x);
  connect(F_wind_y, wind_y);
  connect(F_wind_z, wind_z);

  der(x_1) = v_x_1;
  der(x_2) = v_x_2;
  der(s) = v_s;
  der(l) = v_l;
  der(theta_1) = v_theta_1;
  der(theta_2) = v_theta_2;

  // Bridge: its centre and its angle from the places of both drives
  x_b = (x_1 + x_2)/2;
  v_x_b = (v_x_1 + v_x_2)/2;
  psi = asin((x_2 - x_1)/(2*a));
  v_psi = (v_x_2 - v_x_1)/(2*a*cos(psi));
  along = {-sin(psi), cos(psi)};
  across = {cos(psi), sin(psi)};

  // Trolley on the bridge: along' = -psi' across, across' = psi' along
  x_t = x_b + s*along[1];
  y_t = s*along[2];
  v_t = {v_x_b, 0} + v_s*along - s*v_psi*across;
  a_t = {(der(v_x_1) + der(v_x_2))/2, 0} + (der(v_s) - s*v_psi^2)*along
    - (s*((der(v_x_2) - der(v_x_1))/(2*a) + sin(psi)*v_psi^2)/cos(psi) + 2*v_s*v_psi)*across;

  // Direction of the rope and its derivatives
  n = {sin(theta_1)*cos(theta_2), sin(theta_2), -cos(theta_1)*cos(theta_2)};
  n_1 = {cos(theta_1)*cos(theta_2), 0, sin(theta_1)*cos(theta_2)};
  n_2 = {-sin(theta_1)*sin(theta_2), cos(theta_2), cos(theta_1)*sin(theta_2)};
  b = {-(v_theta_1^2 + v_theta_2^2)*sin(theta_1)*cos(theta_2)
      - 2*v_theta_1*v_theta_2*cos(theta_1)*sin(theta_2),
    -v_theta_2^2*sin(theta_2),
    (v_theta_1^2 + v_theta_2^2)*cos(theta_1)*cos(theta_2)
      - 2*v_theta_1*v_theta_2*sin(theta_1)*sin(theta_2)};

  // Load
  m*({a_t[1], a_t[2], 0} + der(v_l)*n + 2*v_l*(n_1*v_theta_1 + n_2*v_theta_2)
      + l*(n_1*der(v_theta_1) + n_2*der(v_theta_2) + b))
    = {wind_x, wind_y, wind_z - m*g} - T_cable*n;

  // Trolley: its drive pushes against the bridge, its guides hold it on the bridge
  m_t*(a_t*along) = F_t + T_cable*(n[1]*along[1] + n[2]*along[2]);
  N = m_t*(a_t*across) - T_cable*(n[1]*across[1] + n[2]*across[2]);

  // Bridge along the rails and about the vertical at its centre, winch
  m_b*(der(v_x_1) + der(v_x_2))/2 = F_1 + F_2 - F_t*along[1] - N*across[1];
  J_b*((der(v_x_2) - der(v_x_1))/(2*a) + sin(psi)*v_psi^2)/cos(psi)
    = a*cos(psi)*(F_2 - F_1) + s*N - c_psi*psi;
  J_w/r_w*der(v_l) = M_w + r_w*T_cable;

  x = x_t + l*n[1];
  y = y_t + l*n[2];
  z = l*n[3];
  {v_x, v_y, v_z} = {v_t[1], v_t[2], 0} + v_l*n + l*(n_1*v_theta_1 + n_2*v_theta_2);
  energy = m_b*v_x_b^2/2 + J_b*v_psi^2/2 + c_psi*psi^2/2 + m_t*(v_t*v_t)/2 + J_w/r_w^2*v_l^2/2
    + m*(v_x^2 + v_y^2 + v_z^2)/2 + m*g*z;

  annotation (
    experiment(StartTime=0, StopTime=30, Tolerance=1e-9),
    Documentation(info="<html>
<p>The bridge (<code>m_b</code>, <code>J_b</code>) is a rigid body whose centre travels along x; its legs,
a spring <code>c_psi</code>, hold it against skewing by the angle <code>psi</code>. Two drives push it
along x at the distances <code>a</code> and <code>-a</code> from its centre. The trolley
<code>m_t</code> runs along the bridge, <code>s</code> from its centre; its winch (<code>J_w</code>,
<code>r_w</code>) carries the load <code>m</code>. Six degrees of freedom, four drives. Coordinates: the
places <code>x_1</code>, <code>x_2</code> of both drives, <code>s</code>, rope length <code>l</code> and
two swing angles. The bridge follows from them,</p>
<pre>x_b = (x_1 + x_2)/2,   sin(psi) = (x_2 - x_1)/(2 a)
psi'' = ((x_2'' - x_1'')/(2 a) + sin(psi) psi'^2)/cos(psi)</pre>
<p>and with its directions <code>e = (-sin(psi), cos(psi))</code> along and
<code>p = (cos(psi), sin(psi))</code> across, <code>e' = -psi' p</code>, <code>p' = psi' e</code>, the
trolley and the load have the accelerations</p>
<pre>a_t = x_b'' e_x + (s'' - s psi'^2) e - (s psi'' + 2 s' psi') p
a   = a_t + (l n)'',   n = (sin(theta_1) cos(theta_2), sin(theta_2), -cos(theta_1) cos(theta_2))</pre>
<p>With the force <code>N</code> of the guides, which keep the trolley on the bridge,</p>
<pre>m a          = F_wind - m g e_z - T n
m_t e.a_t    = F_t + T (n_x, n_y).e
N            = m_t p.a_t - T (n_x, n_y).p
m_b x_b''    = F_1 + F_2 + F_t sin(psi) - N cos(psi)
J_b psi''    = a cos(psi) (F_2 - F_1) + s N - c_psi psi
J_w/r_w l''  = M_w + r_w T</pre>
<p>Equilibrium at rest: <code>F_1 = F_2 = F_t = 0</code>, <code>M_w = -m g r_w</code> (-44 145 N.m with
the default values). The equations are regular for <code>l &gt; 0</code>, a rope that does not lie along
y and <code>|psi| &lt; pi/2</code>.</p>
</html>"));
end PortalCrane;
