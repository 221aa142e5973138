within Cranes;
model LuffingJibCrane "Crane with slewing and luffing jib, friction and wind, load in Cartesian coordinates"
  extends Icons.Crane;
  extends Interfaces.SpatialWind;

  parameter Types.Mass m = 6000 "Mass of the load";
  parameter Types.Mass m_j = 8000 "Mass of the jib";
  parameter Types.Length L = 45 "Length of the jib";
  parameter Types.Position r_0 = 1.5 "Distance of the jib's foot from the tower axis";
  parameter Types.Inertia J_b = 1.5e6 "Moment of inertia of what slews, without the jib";
  parameter Types.Inertia J_j = 2e7 "Moment of inertia of the luffing drive at the jib's foot";
  parameter Types.Inertia J_w = 150 "Moment of inertia of winch and motor at the drum";
  parameter Types.Length r_w = 0.3 "Radius of the drum";
  parameter Types.Acceleration g = 9.81 "Gravity";
  parameter Types.RotationalDamping d_b = 0 "Viscous friction of slewing; 0 switches it off";
  parameter Types.Torque M_cb = 0 "Coulomb friction of slewing; 0 switches it off";
  parameter Types.RotationalDamping d_j = 0 "Viscous friction of luffing; 0 switches it off";
  parameter Types.Torque M_cj = 0 "Coulomb friction of luffing; 0 switches it off";
  parameter Types.RotationalDamping d_w = 0 "Viscous friction of the winch; 0 switches it off";
  parameter Types.Torque M_cw = 0 "Coulomb friction of the winch; 0 switches it off";
  parameter Types.AngularVelocity omega_c = 0.01 "Angular velocity that smooths Coulomb friction";
  parameter Types.Drag c_d = 0 "Drag of the load per square of speed; 0 switches it off";
  parameter Types.Velocity w_x = 0 "Wind speed along x";
  parameter Types.Velocity w_y = 0 "Wind speed along y";

  parameter Types.Angle phi_start = 0 "Start value of phi";
  parameter Types.Angle beta_start = 1.0471975511965976 "Start value of beta";
  parameter Types.Position x_start = 24 "Start value of x";
  parameter Types.Position y_start = 0 "Start value of y";
  parameter Types.Position z_start = -10 "Start value of z";
  parameter Types.AngularVelocity v_phi_start = 0 "Start value of v_phi";
  parameter Types.AngularVelocity v_beta_start = 0 "Start value of v_beta";
  parameter Types.Velocity v_x_start = 0 "Start value of v_x";
  parameter Types.Velocity v_y_start = 0 "Start value of v_y";
  parameter Types.Velocity v_z_start = 0 "Start value of v_z";

  input Types.Torque M_b(start=0) "Torque on what slews";
  input Types.Torque M_j(start=g*(m_j/2 + m)*L*cos(beta_start))
    "Torque on the jib at its foot, positive raises it";
  input Types.Torque M_w(start=-m*g*r_w) "Torque on the winch, positive pays rope out";
  Interfaces.ForceInput F_wind_x(start=0) if useWind "Wind force on the load, along x";
  Interfaces.ForceInput F_wind_y(start=0) if useWind "Wind force on the load, along y";
  Interfaces.ForceInput F_wind_z(start=0) if useWind "Wind force on the load, vertical";

  output Types.Angle phi(start=phi_start, fixed=true) "Slewing angle";
  output Types.Angle beta(start=beta_start, fixed=true)
    "Luffing angle of the jib above the horizontal";
  output Types.Position x(start=x_start, fixed=true) "Load";
  output Types.Position y(start=y_start, fixed=true) "Load";
  output Types.Position z(start=z_start, fixed=true) "Load, vertical, zero at the jib's foot";
  output Types.AngularVelocity v_phi(start=v_phi_start, fixed=true) "Slewing velocity";
  output Types.AngularVelocity v_beta(start=v_beta_start, fixed=true) "Luffing velocity";
  output Types.Velocity v_x(start=v_x_start, fixed=true) "Velocity of the load";
  output Types.Velocity v_y(start=v_y_start, fixed=true) "Velocity of the load";
  output Types.Velocity v_z(start=v_z_start, fixed=true) "Velocity of the load, vertical";
  output Types.Position l "Length of the rope, from the tip of the jib to the load";
  output Types.Velocity v_l "Velocity of the rope";
  output Types.Angle theta_1 "Swing angle in the jib's plane, positive outwards";
  output Types.Angle theta_2 "Swing angle out of it, positive with the slewing angle";
  output Types.AngularVelocity v_theta_1 "Angular velocity of theta_1";
  output Types.AngularVelocity v_theta_2 "Angular velocity of theta_2";
  output Types.Force T_cable "Force in the rope, positive pulls";
  output Types.Energy energy "Kinetic and potential energy, the latter zero at z = 0";
  output Types.AngularMomentum L_z "Angular momentum about the tower axis";

protected
  constant Types.Velocity w_0 = 0.1 "Relative speed below which drag is linear";
  Real e_r[3] "Outwards";
  Real e_p[3] "Across the jib's plane, with the slewing angle";
  Types.Position R "Radius of the tip";
  Types.Velocity v_R "Time derivative of R";
  Types.Acceleration a_R "Second time derivative of R";
  Types.Acceleration a_h "Vertical acceleration of the tip";
  Types.Inertia I "Moment of inertia about the tower axis, without the load";
  Real dI(unit="kg.m2/rad") "Its derivative by beta";
  Real n[3] "Direction of the rope, from the tip to the load";
  Real n_rate[3](each unit="1/s") "Time derivative of n";
  Types.Velocity w[3] "Velocity of the load relative to the tip";
  Types.Acceleration a[3] "Acceleration of the load relative to the tip";
  Types.Acceleration a_l "Second time derivative of the length of the rope";
  Types.Force D[3] "Force of the air on the load";
  Real n_r "Component of n outwards";
  Real n_p "Component of n across";

equation
  connect(F_wind_x, wind_x);
  connect(F_wind_y, wind_y);
  connect(F_wind_z, wind_z);

  der(phi) = v_phi;
  der(beta) = v_beta;
  der(x) = v_x;
  der(y) = v_y;
  der(z) = v_z;

  // Tip of the jib
  e_r = {cos(phi), sin(phi), 0};
  e_p = {-sin(phi), cos(phi), 0};
  R = r_0 + L*cos(beta);
  v_R = -L*sin(beta)*v_beta;
  a_R = -L*(sin(beta)*der(v_beta) + cos(beta)*v_beta^2);
  a_h = L*(cos(beta)*der(v_beta) - sin(beta)*v_beta^2);

  // Rope from the tip to the load
  l = sqrt((x - R*e_r[1])^2 + (y - R*e_r[2])^2 + (z - L*sin(beta))^2);
  n = ({x, y, z} - R*e_r - {0, 0, L*sin(beta)})/l;
  w = {v_x, v_y, v_z} - v_R*e_r - R*v_phi*e_p - {0, 0, L*cos(beta)*v_beta};
  a = {der(v_x), der(v_y), der(v_z)} - (a_R - R*v_phi^2)*e_r
    - (R*der(v_phi) + 2*v_R*v_phi)*e_p - {0, 0, a_h};
  v_l = n*w;
  a_l = n*a + (w*w - v_l^2)/l;

  // Newton's law for the load, with the wind that it feels
  D = c_d*sqrt((w_x - v_x)^2 + (w_y - v_y)^2 + v_z^2 + w_0^2)*{w_x - v_x, w_y - v_y, -v_z};
  m*der(v_x) = D[1] + wind_x - T_cable*n[1];
  m*der(v_y) = D[2] + wind_y - T_cable*n[2];
  m*der(v_z) = D[3] + wind_z - m*g - T_cable*n[3];

  // Slewing, luffing, winch
  I = J_b + m_j*(r_0^2 + r_0*L*cos(beta) + L^2*cos(beta)^2/3);
  dI = -m_j*L*sin(beta)*(r_0 + 2*L*cos(beta)/3);
  n_r = n*e_r;
  n_p = n*e_p;
  I*der(v_phi) + dI*v_beta*v_phi
    = M_b - d_b*v_phi - M_cb*tanh(v_phi/omega_c) + R*T_cable*n_p;
  (J_j + m_j*L^2/3)*der(v_beta) - dI*v_phi^2/2
    = M_j - d_j*v_beta - M_cj*tanh(v_beta/omega_c) - m_j*g*L*cos(beta)/2
      + L*T_cable*(n[3]*cos(beta) - n_r*sin(beta));
  J_w/r_w*a_l = M_w - d_w*v_l/r_w - M_cw*tanh(v_l/(r_w*omega_c)) + r_w*T_cable;

  // Swing angles
  n_rate = (w - v_l*n)/l;
  theta_1 = atan2(n_r, -n[3]);
  theta_2 = asin(n_p);
  v_theta_1 = (n_r*n_rate[3] - n[3]*(n_rate*e_r + v_phi*n_p))/(n_r^2 + n[3]^2);
  v_theta_2 = (n_rate*e_p - v_phi*n_r)/sqrt(1 - n_p^2);

  energy = I*v_phi^2/2 + (J_j + m_j*L^2/3)*v_beta^2/2 + J_w/r_w^2*v_l^2/2
    + m*(v_x^2 + v_y^2 + v_z^2)/2 + g*(m_j*L*sin(beta)/2 + m*z);
  L_z = I*v_phi + m*(x*v_y - y*v_x);

  annotation (
    experiment(StartTime=0, StopTime=60, Tolerance=1e-9),
    Documentation(info="<html>
<p>A jib, a slender rod (<code>m_j</code>, <code>L</code>), luffs about its foot, which slews at the
distance <code>r_0</code> from the tower's axis. The winch (<code>J_w</code>, <code>r_w</code>) stands
at the foot; its rope runs along the jib to the tip, from which the load <code>m</code> hangs. Five
degrees of freedom, three drives. Coordinates: <code>phi</code>, <code>beta</code> and the load
<code>(x, y, z)</code>. With the tip <code>t = R e_r + L sin(beta) e_z</code>,
<code>R = r_0 + L cos(beta)</code>, and the rope's direction <code>n</code> and length <code>l</code>
from the tip to the load, <code>w = r' - t'</code>,</p>
<pre>l'' = n.(r'' - t'') + (w.w - l'^2)/l
m r''                         = D + F_wind - m g e_z - T n
I phi'' + dI/dbeta beta' phi' = M_b + R T n.e_phi
(J_j + m_j L^2/3) beta'' - dI/dbeta phi'^2/2
                              = M_j - m_j g L/2 cos(beta) + T n.dt/dbeta
J_w/r_w l''                   = M_w + r_w T
I = J_b + m_j (r_0^2 + r_0 L cos(beta) + L^2 cos(beta)^2/3)</pre>
<p>and friction <code>-d omega - M_c tanh(omega/omega_c)</code> beside each torque; the air's force is
<code>D = c_d |w_r| w_r</code>, <code>w_r</code> the wind relative to the load, smooth where it
vanishes.</p>
<p>Equilibrium at rest: <code>M_b = 0</code>, <code>M_j = g (m_j/2 + m) L cos(beta)</code>
(2 207 250 N.m with the default values), <code>M_w = -m g r_w</code> (-17 658 N.m). The equations are
regular for <code>l &gt; 0</code> and a rope that does not lie across. A jib that is held by a torque is
not stable; the friction <code>d_j</code> of its gear lets it move away slowly.</p>
</html>"));
end LuffingJibCrane;
