within Cranes;
model CylinderCrane "Slewing crane whose jib is luffed by a cylinder, load in two swing angles"
  extends Icons.Crane;
  extends Interfaces.SpatialWind;

  parameter Types.Mass m = 5000 "Mass of the load";
  parameter Types.Mass m_j = 3000 "Mass of the jib, a slender rod";
  parameter Types.Length L = 20 "Length of the jib, from its foot on the slewing axis to the tip";
  parameter Types.Inertia J_b = 2e4 "Moment of inertia of the column about the slewing axis";
  parameter Types.Mass m_1 = 300 "Mass of the cylinder's barrel, a slender rod";
  parameter Types.Length L_1 = 3 "Length of the barrel, from the cylinder's foot";
  parameter Types.Mass m_2 = 200 "Mass of the piston rod, a slender rod";
  parameter Types.Length L_2 = 3 "Length of the piston rod, that ends at the jib";
  parameter Types.Position r_c = 2 "Foot of the cylinder, distance from the slewing axis";
  parameter Types.Position z_c = -1.5 "Foot of the cylinder, vertical, zero at the jib's foot";
  parameter Types.Length d = 6 "Distance from the jib's foot to where the cylinder holds it";
  parameter Types.Inertia J_w = 50 "Moment of inertia of the winch at the tip";
  parameter Types.Length r_w = 0.3 "Radius of the drum";
  parameter Types.Acceleration g = 9.81 "Gravity";

  parameter Types.Angle phi_start = 0 "Start value of phi";
  parameter Types.Angle beta_start = 0.7953988301841436 "Start value of beta";
  parameter Types.Position x_start = 14 "Start value of x";
  parameter Types.Position y_start = 0 "Start value of y";
  parameter Types.Position z_start = 2 "Start value of z";
  parameter Types.AngularVelocity v_phi_start = 0 "Start value of v_phi";
  parameter Types.AngularVelocity v_beta_start = 0 "Start value of v_beta";
  parameter Types.Velocity v_x_start = 0 "Start value of v_x";
  parameter Types.Velocity v_y_start = 0 "Start value of v_y";
  parameter Types.Velocity v_z_start = 0 "Start value of v_z";

  input Types.Torque M_b(start=0) "Torque on the column";
  input Types.Force F_c(start=375186.7500441964) "Force of the cylinder, positive extends it";
  input Types.Torque M_w(start=-m*g*r_w) "Torque on the winch, positive pays rope out";
  Interfaces.ForceInput F_wind_x(start=0) if useWind "Wind force on the load, along x";
  Interfaces.ForceInput F_wind_y(start=0) if useWind "Wind force on the load, along y";
  Interfaces.ForceInput F_wind_z(start=0) if useWind "Wind force on the load, vertical";

  output Types.Position x "Load";
  output Types.Position y "Load";
  output Types.Position z "Load, vertical, zero at the jib's foot";
  output Types.Velocity v_x "Velocity of the load";
  output Types.Velocity v_y "Velocity of the load";
  output Types.Velocity v_z "Velocity of the load, vertical";
  output Types.Angle phi(start=phi_start, fixed=true) "Slewing angle";
  output Types.Angle beta(start=beta_start, fixed=true)
    "Luffing angle of the jib above the horizontal";
  output Types.Position c "Length of the cylinder, from its foot to the jib";
  output Types.Angle delta "Inclination of the cylinder above the horizontal";
  output Types.Position l(start=l_0, fixed=true) "Length of the rope, from the tip to the load";
  output Types.AngularVelocity v_phi(start=v_phi_start, fixed=true) "Slewing velocity";
  output Types.AngularVelocity v_beta(start=v_beta_start, fixed=true) "Luffing velocity";
  output Types.Velocity v_c "Velocity of the cylinder";
  output Types.AngularVelocity v_delta "Time derivative of delta";
  output Types.Velocity v_l(start=v_l_0, fixed=true) "Velocity of the rope";
  output Types.Angle theta_1(start=atan2(rope_0[1], -rope_0[3]), fixed=true)
    "Swing angle in the jib's plane, positive outwards";
  output Types.Angle theta_2(start=atan2(rope_0[2], across_0), fixed=true)
    "Swing angle out of it, positive with the slewing angle";
  output Types.AngularVelocity v_theta_1(
    start=(rope_0[1]*w_0[3] - rope_0[3]*w_0[1])/across_0^2, fixed=true)
    "Angular velocity of theta_1";
  output Types.AngularVelocity v_theta_2(
    start=(w_0[2] - v_l_0*rope_0[2]/l_0)/across_0, fixed=true) "Angular velocity of theta_2";
  output Types.Position x_t "Tip of the jib";
  output Types.Position y_t "Tip of the jib";
  output Types.Position z_t "Tip of the jib, vertical";
  output Types.Force T_cable "Force in the rope, positive pulls";
  output Types.Energy energy "Kinetic and potential energy, the latter zero at z = 0";
  output Types.AngularMomentum L_z "Angular momentum about the slewing axis";

protected
  // The rope at the start, in the frame of the column
  parameter Types.Position rope_0[3] = {
    x_start*cos(phi_start) + y_start*sin(phi_start) - L*cos(beta_start),
    y_start*cos(phi_start) - x_start*sin(phi_start), z_start - L*sin(beta_start)}
    "Rope at the start";
  parameter Types.Velocity w_0[3] = {
    v_x_start*cos(phi_start) + v_y_start*sin(phi_start) + v_phi_start*rope_0[2]
      + L*sin(beta_start)*v_beta_start,
    v_y_start*cos(phi_start) - v_x_start*sin(phi_start)
      - v_phi_start*(rope_0[1] + L*cos(beta_start)),
    v_z_start - L*cos(beta_start)*v_beta_start} "Its rate in the frame of the column at the start";
  parameter Types.Length l_0 = sqrt(rope_0*rope_0) "Length of the rope at the start";
  parameter Types.Velocity v_l_0 = rope_0*w_0/l_0 "Velocity of the rope at the start";
  parameter Types.Length across_0 = sqrt(rope_0[1]^2 + rope_0[3]^2)
    "Rope at the start, its part in the jib's plane";

  Types.Position h "Lever of the cylinder on the jib, dc/dbeta";
  Real kappa "d(delta)/d(beta)";
  Real d_h(unit="m/rad") "dh/dbeta";
  Real d_kappa(unit="1/rad") "d(kappa)/d(beta)";
  Types.Position b_2 "Centre of the piston rod, from the cylinder's foot";
  Types.Inertia I "Moment of inertia about the slewing axis, without the load";
  Real d_I(unit="kg.m2/rad") "dI/dbeta";
  Types.Inertia Theta "Moment of inertia of luffing, with the cylinder";
  Real d_Theta(unit="kg.m2/rad") "d(Theta)/d(beta)";
  Types.Torque weight "Moment of the weight of jib and cylinder, d(potential)/d(beta)";
  Types.Position R "Radius of the tip";
  Types.Velocity v_R "Time derivative of R";
  Types.Force F_wind[3] "Wind force on the load, in the frame of the column";
  Real n[3] "Direction of the rope: outwards, across, up";
  Real n_1[3] "Derivative of n by theta_1";
  Real n_2[3] "Derivative of n by theta_2";
  Real b[3] "What remains of n'' without angular accelerations";
  Types.Position rho[3] "Position of the load, in the frame of the column";
  Types.Velocity w[3] "Velocity of the load relative to the column";
  Types.Velocity v[3] "Velocity of the load, in the frame of the column";
  Types.Acceleration a[3] "Acceleration of the load, in the frame of the column";

equation
  connect(F_wind_x, wind_x);
  connect(F_wind_y, wind_y);
  connect(F_wind_z, wind_z);

  der(phi) = v_phi;
  der(beta) = v_beta;
  der(l) = v_l;
  der(theta_1) = v_theta_1;
  der(theta_2) = v_theta_2;

  // Cylinder: the third side of a triangle
  c = sqrt((d*cos(beta) - r_c)^2 + (d*sin(beta) - z_c)^2);
  delta = atan2(d*sin(beta) - z_c, d*cos(beta) - r_c);
  h = d*sin(delta - beta);
  kappa = d*cos(delta - beta)/c;
  d_h = c*kappa*(kappa - 1);
  d_kappa = -h*(2*kappa - 1)/c;
  v_c = h*v_beta;
  v_delta = kappa*v_beta;
  b_2 = c - L_2/2;

  // Moments of inertia of jib, barrel and piston rod
  I = J_b + m_j*L^2*cos(beta)^2/3 + m_1*(r_c^2 + r_c*L_1*cos(delta) + L_1^2*cos(delta)^2/3)
    + m_2*((r_c + b_2*cos(delta))^2 + L_2^2*cos(delta)^2/12);
  d_I = -2*m_j*L^2*cos(beta)*sin(beta)/3
    - m_1*(r_c*L_1 + 2*L_1^2*cos(delta)/3)*sin(delta)*kappa
    + 2*m_2*((r_c + b_2*cos(delta))*(h*cos(delta) - b_2*sin(delta)*kappa)
      - L_2^2*cos(delta)*sin(delta)*kappa/12);
  Theta = m_j*L^2/3 + m_1*L_1^2*kappa^2/3 + m_2*(h^2 + (b_2^2 + L_2^2/12)*kappa^2);
  d_Theta = 2*m_1*L_1^2*kappa*d_kappa/3
    + 2*m_2*(h*d_h + b_2*h*kappa^2 + (b_2^2 + L_2^2/12)*kappa*d_kappa);
  weight = g*(m_j*L*cos(beta)/2 + m_1*L_1*cos(delta)*kappa/2
    + m_2*(h*sin(delta) + b_2*cos(delta)*kappa));

  // Direction of the rope and its derivatives
  n = {sin(theta_1)*cos(theta_2), sin(theta_2), -cos(theta_1)*cos(theta_2)};
  n_1 = {cos(theta_1)*cos(theta_2), 0, sin(theta_1)*cos(theta_2)};
  n_2 = {-sin(theta_1)*sin(theta_2), cos(theta_2), cos(theta_1)*sin(theta_2)};
  b = {-(v_theta_1^2 + v_theta_2^2)*sin(theta_1)*cos(theta_2)
      - 2*v_theta_1*v_theta_2*cos(theta_1)*sin(theta_2),
    -v_theta_2^2*sin(theta_2),
    (v_theta_1^2 + v_theta_2^2)*cos(theta_1)*cos(theta_2)
      - 2*v_theta_1*v_theta_2*sin(theta_1)*sin(theta_2)};

  // Kinematics of the load in the frame that slews
  R = L*cos(beta);
  v_R = -L*sin(beta)*v_beta;
  rho = {R, 0, L*sin(beta)} + l*n;
  w = {v_R, 0, R*v_beta} + v_l*n + l*(n_1*v_theta_1 + n_2*v_theta_2);
  v = w + v_phi*{-rho[2], rho[1], 0};
  a = {-L*(sin(beta)*der(v_beta) + cos(beta)*v_beta^2), 0,
      L*(cos(beta)*der(v_beta) - sin(beta)*v_beta^2)}
    + der(v_l)*n + 2*v_l*(n_1*v_theta_1 + n_2*v_theta_2)
    + l*(n_1*der(v_theta_1) + n_2*der(v_theta_2) + b)
    + der(v_phi)*{-rho[2], rho[1], 0} + 2*v_phi*{-w[2], w[1], 0} - v_phi^2*{rho[1], rho[2], 0};

  // Newton's law for the load; column, jib with cylinder, winch
  F_wind = {wind_x*cos(phi) + wind_y*sin(phi), wind_y*cos(phi) - wind_x*sin(phi), wind_z};
  m*a = {0, 0, -m*g} - T_cable*n + F_wind;
  I*der(v_phi) + d_I*v_beta*v_phi = M_b + R*T_cable*n[2];
  Theta*der(v_beta) + d_Theta*v_beta^2/2 - d_I*v_phi^2/2
    = h*F_c - weight + T_cable*L*(n[3]*cos(beta) - n[1]*sin(beta));
  J_w/r_w*der(v_l) = M_w + r_w*T_cable;

  x = rho[1]*cos(phi) - rho[2]*sin(phi);
  y = rho[1]*sin(phi) + rho[2]*cos(phi);
  z = rho[3];
  v_x = v[1]*cos(phi) - v[2]*sin(phi);
  v_y = v[1]*sin(phi) + v[2]*cos(phi);
  v_z = v[3];
  x_t = R*cos(phi);
  y_t = R*sin(phi);
  z_t = L*sin(beta);
  energy = I*v_phi^2/2 + Theta*v_beta^2/2 + J_w/r_w^2*v_l^2/2 + m*(v*v)/2
    + g*(m_j*L*sin(beta)/2 + m_1*(z_c + L_1*sin(delta)/2) + m_2*(z_c + b_2*sin(delta)) + m*z);
  L_z = I*v_phi + m*(rho[1]*v[2] - rho[2]*v[1]);

  annotation (
    experiment(StartTime=0, StopTime=30, Tolerance=1e-9),
    Documentation(info="<html>
<p>A column (<code>J_b</code>) slews about a vertical axis. The jib, a slender rod (<code>m_j</code>,
<code>L</code>), turns about its foot on that axis, at z = 0. A cylinder luffs it: its barrel, a rod
(<code>m_1</code>, <code>L_1</code>), turns about the foot <code>(r_c, z_c)</code> in the jib's plane,
its piston rod (<code>m_2</code>, <code>L_2</code>) ends on the jib at the distance <code>d</code> from
its foot. A winch (<code>J_w</code>, <code>r_w</code>) at the tip carries the load <code>m</code>. Five
degrees of freedom, three drives. Coordinates: <code>phi</code>, <code>beta</code>, rope length
<code>l</code> and two swing angles.</p>
<p>The cylinder is the third side of a triangle, so that its length <code>c</code> and inclination
<code>delta</code>, and their derivatives by <code>beta</code>, have closed forms:</p>
<pre>c (cos(delta), sin(delta)) = d (cos(beta), sin(beta)) - (r_c, z_c)
h     = dc/dbeta     = d sin(delta - beta),     dh/dbeta     = c kappa (kappa - 1)
kappa = ddelta/dbeta = d cos(delta - beta)/c,   dkappa/dbeta = -h (2 kappa - 1)/c</pre>
<p>With <code>b = c - L_2/2</code> and the radius <code>R = L cos(beta)</code> of the tip</p>
<pre>I      = J_b + m_j L^2 cos(beta)^2/3 + m_1 (r_c^2 + r_c L_1 cos(delta) + L_1^2 cos(delta)^2/3)
         + m_2 ((r_c + b cos(delta))^2 + L_2^2 cos(delta)^2/12)
Theta  = m_j L^2/3 + m_1 L_1^2 kappa^2/3 + m_2 (h^2 + (b^2 + L_2^2/12) kappa^2)
weight = g (m_j L/2 cos(beta) + m_1 L_1/2 cos(delta) kappa + m_2 (h sin(delta) + b cos(delta) kappa))</pre>
<p>are the moments of inertia of slewing and luffing and the moment of the weights. In the frame of the
column (outwards, across, up) the rope has the direction
<code>n = (sin(theta_1) cos(theta_2), sin(theta_2), -cos(theta_1) cos(theta_2))</code>, the load the
acceleration <code>a</code>:</p>
<pre>m a                                      = F_wind - m g e_3 - T n
I phi'' + dI/dbeta beta' phi'            = M_b + R T n_2
Theta beta'' + dTheta/dbeta beta'^2/2 - dI/dbeta phi'^2/2
                                         = h F_c - weight + T L (n_3 cos(beta) - n_1 sin(beta))
J_w/r_w l''                              = M_w + r_w T</pre>
<p>Equilibrium at rest: <code>M_b = 0</code>, <code>F_c = (weight + m g R)/h</code>
(375 187 N with the default values), <code>M_w = -m g r_w</code> (-14 715 N.m). The equations are regular for <code>l &gt; 0</code>, a rope
that does not lie across and a cylinder in line with neither the jib nor its foot (<code>h &gt; 0</code>).
A jib that is held by a force alone is not stable.</p>
</html>"));
end CylinderCrane;
