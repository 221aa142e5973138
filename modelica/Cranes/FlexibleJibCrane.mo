within Cranes;
model FlexibleJibCrane
  "Tower crane with a jib that bends in slewing, friction and wind, load in swing angles"
  extends Icons.Crane;
  extends Interfaces.SpatialWind;

  parameter Types.Mass m = 2000 "Mass of the load";
  parameter Types.Mass m_t = 300 "Mass of the trolley";
  parameter Types.Length L = 50 "Length of the jib";
  parameter Types.LinearDensity rho = 120 "Mass of the jib per length";
  parameter Types.Stiffness k_j = 2e4 "Bending stiffness of the jib, at its tip";
  parameter Types.Damping d_j = 100 "Damping of the jib, at its tip";
  parameter Types.Inertia J_h = 3e5 "Moment of inertia of the hub, without the jib";
  parameter Types.Inertia J_w = 50 "Moment of inertia of winch and motor at the drum";
  parameter Types.Length r_w = 0.3 "Radius of the drum";
  parameter Types.Acceleration g = 9.81 "Gravity";
  parameter Types.RotationalDamping d_b = 0 "Viscous friction of slewing; 0 switches it off";
  parameter Types.Torque M_cb = 0 "Coulomb friction of slewing; 0 switches it off";
  parameter Types.Damping d_t = 0 "Viscous friction of the trolley; 0 switches it off";
  parameter Types.Force F_ct = 0 "Coulomb friction of the trolley; 0 switches it off";
  parameter Types.Velocity v_c = 0.01 "Velocity that smooths the trolley's Coulomb friction";
  parameter Types.RotationalDamping d_w = 0 "Viscous friction of the winch; 0 switches it off";
  parameter Types.Torque M_cw = 0 "Coulomb friction of the winch; 0 switches it off";
  parameter Types.AngularVelocity omega_c = 0.01
    "Angular velocity that smooths the Coulomb friction of slewing and winch";
  parameter Types.Drag c_d = 0 "Drag of the load per square of speed; 0 switches it off";
  parameter Types.Velocity w_x = 0 "Wind speed along x";
  parameter Types.Velocity w_y = 0 "Wind speed along y";

  parameter Types.Angle phi_start = 0 "Start value of phi";
  parameter Types.Position s_start = 30 "Start value of s";
  parameter Types.Length l_start = 20 "Start value of l";
  parameter Types.Position eta_start = 0 "Start value of eta";
  parameter Types.Angle theta_1_start = 0 "Start value of theta_1";
  parameter Types.Angle theta_2_start = 0 "Start value of theta_2";
  parameter Types.AngularVelocity v_phi_start = 0 "Start value of v_phi";
  parameter Types.Velocity v_s_start = 0 "Start value of v_s";
  parameter Types.Velocity v_l_start = 0 "Start value of v_l";
  parameter Types.Velocity v_eta_start = 0 "Start value of v_eta";
  parameter Types.AngularVelocity v_theta_1_start = 0 "Start value of v_theta_1";
  parameter Types.AngularVelocity v_theta_2_start = 0 "Start value of v_theta_2";

  input Types.Torque M_b(start=0) "Torque on the hub";
  input Types.Force F_t(start=0) "Force on the trolley, along the jib";
  input Types.Torque M_w(start=-m*g*r_w) "Torque on the winch, positive pays rope out";
  Interfaces.ForceInput F_wind_x(start=0) if useWind "Wind force on the load, along x";
  Interfaces.ForceInput F_wind_y(start=0) if useWind "Wind force on the load, along y";
  Interfaces.ForceInput F_wind_z(start=0) if useWind "Wind force on the load, vertical";

  output Types.Angle phi(start=phi_start, fixed=true) "Slewing angle of the hub";
  output Types.Position s(start=s_start, fixed=true) "Position of the trolley along the jib";
  output Types.Position l(start=l_start, fixed=true) "Length of the rope";
  output Types.Position eta(start=eta_start, fixed=true)
    "Deflection of the jib's tip, positive with the slewing angle";
  output Types.Angle theta_1(start=theta_1_start, fixed=true)
    "Swing angle in the plane of the straight jib, positive outwards";
  output Types.Angle theta_2(start=theta_2_start, fixed=true)
    "Swing angle out of it, positive with the slewing angle";
  output Types.AngularVelocity v_phi(start=v_phi_start, fixed=true) "Slewing velocity";
  output Types.Velocity v_s(start=v_s_start, fixed=true) "Velocity of the trolley along the jib";
  output Types.Velocity v_l(start=v_l_start, fixed=true) "Velocity of the rope";
  output Types.Velocity v_eta(start=v_eta_start, fixed=true) "Velocity of the deflection";
  output Types.AngularVelocity v_theta_1(start=v_theta_1_start, fixed=true)
    "Angular velocity of theta_1";
  output Types.AngularVelocity v_theta_2(start=v_theta_2_start, fixed=true)
    "Angular velocity of theta_2";
  output Types.Position x "Load";
  output Types.Position y "Load";
  output Types.Position z "Load, vertical, zero at the jib";
  output Types.Velocity v_x "Velocity of the load";
  output Types.Velocity v_y "Velocity of the load";
  output Types.Velocity v_z "Velocity of the load, vertical";
  output Types.Force T_cable "Force in the rope, positive pulls";
  output Types.Energy energy "Kinetic and potential energy, the latter zero at z = 0";
  output Types.AngularMomentum L_z "Angular momentum about the tower axis";

protected
  constant Types.Velocity w_0 = 0.1 "Relative speed below which drag is linear";
  Types.Mass m_e "Mass of the jib that moves with its tip";
  Real S(unit="kg.m") "Mass that couples slewing and bending";
  Types.Inertia J_j "Moment of inertia of the straight jib about the tower axis";
  Real psi "Deflection at the trolley per deflection at the tip";
  Real psi_1(unit="1/m") "Derivative of psi by s";
  Real psi_2(unit="1/m2") "Second derivative of psi by s";
  Types.Position P[3] "Position of the trolley, in the frame of the hub";
  Types.Velocity w_P[3] "Velocity of the trolley relative to that frame";
  Types.Velocity v_P[3] "Velocity of the trolley";
  Types.Acceleration a_P[3] "Acceleration of the trolley relative to that frame";
  Types.Acceleration a_t[3] "Acceleration of the trolley";
  Real n[3] "Direction of the rope, from the trolley to the load, in the frame of the hub";
  Real n_1[3] "Derivative of n by theta_1";
  Real n_2[3] "Derivative of n by theta_2";
  Real b[3] "What remains of n'' without angular accelerations";
  Types.Position r[3] "Position of the load, in the frame of the hub";
  Types.Velocity w[3] "Velocity of the load relative to that frame";
  Types.Velocity v[3] "Velocity of the load, in the frame of the hub";
  Types.Acceleration a[3] "Acceleration of the load, in the frame of the hub";
  Types.Velocity u[3] "Wind that the load feels, in the frame of the hub";
  Types.Force D[3] "Force of the air on the load";
  Types.Force Q[3] "Force of the trolley on the jib";

equation
  connect(F_wind_x, wind_x);
  connect(F_wind_y, wind_y);
  connect(F_wind_z, wind_z);

  der(phi) = v_phi;
  der(s) = v_s;
  der(l) = v_l;
  der(eta) = v_eta;
  der(theta_1) = v_theta_1;
  der(theta_2) = v_theta_2;

  // Shape of the jib: integrals of rho psi^2, rho x psi and rho x^2
  m_e = 33/140*rho*L;
  S = 11/40*rho*L^2;
  J_j = rho*L^3/3;
  psi = s^2*(3*L - s)/(2*L^3);
  psi_1 = 3*s*(2*L - s)/(2*L^3);
  psi_2 = 3*(L - s)/L^3;

  // Trolley on the bent jib
  P = {s, psi*eta, 0};
  w_P = {v_s, psi_1*v_s*eta + psi*v_eta, 0};
  v_P = w_P + v_phi*{-P[2], P[1], 0};
  a_P = {der(v_s),
    psi_1*der(v_s)*eta + psi*der(v_eta) + psi_2*v_s^2*eta + 2*psi_1*v_s*v_eta, 0};
  a_t = a_P + der(v_phi)*{-P[2], P[1], 0} + 2*v_phi*{-w_P[2], w_P[1], 0}
    - v_phi^2*{P[1], P[2], 0};

  // Direction of the rope and its derivatives
  n = {sin(theta_1)*cos(theta_2), sin(theta_2), -cos(theta_1)*cos(theta_2)};
  n_1 = {cos(theta_1)*cos(theta_2), 0, sin(theta_1)*cos(theta_2)};
  n_2 = {-sin(theta_1)*sin(theta_2), cos(theta_2), cos(theta_1)*sin(theta_2)};
  b = {-(v_theta_1^2 + v_theta_2^2)*sin(theta_1)*cos(theta_2)
      - 2*v_theta_1*v_theta_2*cos(theta_1)*sin(theta_2),
    -v_theta_2^2*sin(theta_2),
    (v_theta_1^2 + v_theta_2^2)*cos(theta_1)*cos(theta_2)
      - 2*v_theta_1*v_theta_2*sin(theta_1)*sin(theta_2)};

  // Kinematics of the load in the rotating frame
  r = P + l*n;
  w = w_P + v_l*n + l*(n_1*v_theta_1 + n_2*v_theta_2);
  v = w + v_phi*{-r[2], r[1], 0};
  a = a_P + der(v_l)*n + 2*v_l*(n_1*v_theta_1 + n_2*v_theta_2)
    + l*(n_1*der(v_theta_1) + n_2*der(v_theta_2) + b)
    + der(v_phi)*{-r[2], r[1], 0} + 2*v_phi*{-w[2], w[1], 0} - v_phi^2*{r[1], r[2], 0};

  // Newton's law for the load, with the wind that it feels
  u = {w_x*cos(phi) + w_y*sin(phi), w_y*cos(phi) - w_x*sin(phi), 0} - v;
  D = c_d*sqrt(u*u + w_0^2)*u;
  m*a = D + {wind_x*cos(phi) + wind_y*sin(phi), wind_y*cos(phi) - wind_x*sin(phi), wind_z}
    - {0, 0, m*g} - T_cable*n;

  // Trolley along the bent jib, bending, slewing, winch
  Q = T_cable*n - m_t*a_t;
  0 = F_t - d_t*v_s - F_ct*tanh(v_s/v_c) + Q[1] + psi_1*eta*Q[2];
  m_e*(der(v_eta) - eta*v_phi^2) + S*der(v_phi) = psi*Q[2] - k_j*eta - d_j*v_eta;
  (J_h + J_j + m_e*eta^2)*der(v_phi) + S*der(v_eta) + 2*m_e*eta*v_eta*v_phi
    = M_b - d_b*v_phi - M_cb*tanh(v_phi/omega_c) + P[1]*Q[2] - P[2]*Q[1];
  J_w/r_w*der(v_l) = M_w - d_w*v_l/r_w - M_cw*tanh(v_l/(r_w*omega_c)) + r_w*T_cable;

  x = r[1]*cos(phi) - r[2]*sin(phi);
  y = r[1]*sin(phi) + r[2]*cos(phi);
  z = r[3];
  v_x = v[1]*cos(phi) - v[2]*sin(phi);
  v_y = v[1]*sin(phi) + v[2]*cos(phi);
  v_z = v[3];
  energy = (J_h + J_j + m_e*eta^2)*v_phi^2/2 + S*v_phi*v_eta + m_e*v_eta^2/2 + k_j*eta^2/2
    + m_t*(v_P*v_P)/2 + J_w/r_w^2*v_l^2/2 + m*(v*v)/2 + m*g*z;
  L_z = (J_h + J_j + m_e*eta^2)*v_phi + S*v_eta + m_t*(P[1]*v_P[2] - P[2]*v_P[1])
    + m*(r[1]*v[2] - r[2]*v[1]);

  annotation (
    experiment(StartTime=0, StopTime=20, Tolerance=1e-9),
    Documentation(info="<html>
<p>A hub (<code>J_h</code>) slews about a vertical axis with a jib of the length <code>L</code> and the
mass <code>rho</code> per length, which bends sideways with the shape
<code>psi(x) = x^2 (3 L - x)/(2 L^3)</code>; <code>eta</code> is the deflection of its tip. On the bent
jib runs a trolley <code>m_t</code> with a winch (<code>J_w</code>, <code>r_w</code>), from which the load
<code>m</code> hangs. Six degrees of freedom, three drives. Coordinates: <code>phi</code>, <code>s</code>,
<code>l</code>, <code>eta</code> and two swing angles. In the frame of the hub (first axis along the
straight jib, third axis up)</p>
<pre>P = s e_1 + psi(s) eta e_2
n = (sin(theta_1) cos(theta_2), sin(theta_2), -cos(theta_1) cos(theta_2))
r = P + l n</pre>
<p>are the trolley, the direction of the rope and the load. With the accelerations <code>a_t</code> and
<code>a</code> of trolley and load, the force <code>Q = T n - m_t a_t</code> of the trolley on the jib and</p>
<pre>m_e = 33/140 rho L,  S = 11/40 rho L^2,  J_j = rho L^3/3</pre>
<p>the equations of motion are</p>
<pre>m a                           = D + F_wind - m g e_3 - T n
0                             = F_t + Q_1 + psi'(s) eta Q_2
m_e (eta'' - eta phi'^2) + S phi'' = psi(s) Q_2 - k_j eta - d_j eta'
(J_h + J_j + m_e eta^2) phi'' + S eta'' + 2 m_e eta eta' phi'
                              = M_b + s Q_2 - psi(s) eta Q_1
J_w/r_w l''                   = M_w + r_w T</pre>
<p>and friction <code>-d v - F_c tanh(v/v_c)</code> beside each drive; the air's force is
<code>D = c_d |w_r| w_r</code>, <code>w_r</code> the wind relative to the load, smooth where it
vanishes.</p>
<p>Equilibrium at rest: <code>M_b = F_t = 0</code>, <code>M_w = -m g r_w</code> (-5886 N.m with the
default values). The coordinates are regular for <code>l &gt; 0</code> and
<code>|theta_2| &lt; pi/2</code>.</p>
</html>"));
end FlexibleJibCrane;
