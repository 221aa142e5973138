within Cranes.Elastic;
model LuffingJibCrane "Crane with slewing and luffing jib on an elastic rope, with friction and wind"
  extends Icons.Crane;
  extends Interfaces.SpatialWind;

  parameter Integer n = 0 "Lumps along the rope";
  parameter Types.Mass m = 6000 "Mass of the load";
  parameter Types.Mass m_j = 8000 "Mass of the jib";
  parameter Types.Length L = 45 "Length of the jib";
  parameter Types.Position r_0 = 1.5 "Distance of the jib's foot from the tower axis";
  parameter Types.Inertia J_b = 1.5e6 "Moment of inertia of what slews, without the jib";
  parameter Types.Inertia J_j = 2e7 "Moment of inertia of the luffing drive at the jib's foot";
  parameter Types.Inertia J_w = 150 "Moment of inertia of winch and motor at the drum";
  parameter Types.Length r_w = 0.3 "Radius of the drum";
  parameter Types.Acceleration g = 9.81 "Gravity";
  parameter Types.Force EA = 2e7 "Stiffness of the rope: force by strain";
  parameter Real D(unit="N.s") = 0 "Damping of the rope: force by strain rate";
  parameter Types.Mass m_lump = 1 "Mass of each lump";
  parameter Types.Length l_lump = 1 "Free length of the rope below each lump";
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
  parameter Types.AngularVelocity v_phi_start = 0 "Start value of v_phi";
  parameter Types.AngularVelocity v_beta_start = 0 "Start value of v_beta";
  parameter Types.Length l_start = 49 "Start value of l";
  parameter Types.Velocity v_l_start = 0 "Start value of v_l";
  parameter Types.Position w_start[n + 1, 3] = {{0, 0, -l_start*(1 + m*g/EA)}}
    "Start values of the elements of the rope; with lumps they are to be given";
  parameter Types.Velocity v_w_start[n + 1, 3] = zeros(n + 1, 3) "Start values of their rates";

  input Types.Torque M_b(start=0) "Torque on what slews";
  input Types.Torque M_j(start=g*(m_j/2 + m)*L*cos(beta_start))
    "Torque on the jib at its foot, positive raises it";
  input Types.Torque M_w(start=-(m + n*m_lump)*g*r_w*(1 + (m + n*m_lump)*g/(2*EA)))
    "Torque on the winch, positive pays rope out";
  Interfaces.ForceInput F_wind_x(start=0) if useWind "Wind force on the load, along x";
  Interfaces.ForceInput F_wind_y(start=0) if useWind "Wind force on the load, along y";
  Interfaces.ForceInput F_wind_z(start=0) if useWind "Wind force on the load, vertical";

  output Types.Position x "Load";
  output Types.Position y "Load";
  output Types.Position z "Load, vertical";
  output Types.Velocity v_x "Velocity of the load";
  output Types.Velocity v_y "Velocity of the load";
  output Types.Velocity v_z "Velocity of the load, vertical";
  output Types.Angle phi(start=phi_start, fixed=true) "Slewing angle";
  output Types.Angle beta(start=beta_start, fixed=true)
    "Luffing angle of the jib above the horizontal";
  output Types.AngularVelocity v_phi(start=v_phi_start, fixed=true) "Slewing velocity";
  output Types.AngularVelocity v_beta(start=v_beta_start, fixed=true) "Luffing velocity";
  output Types.Length l(start=l_start, fixed=true) "Rope that the winch has paid out";
  output Types.Velocity v_l(start=v_l_start, fixed=true) "Velocity of the rope at the winch";
  output Types.Force T_cable "Force in the rope at the load, positive pulls";
  output Types.Force T_top "Force in the rope at the winch, positive pulls";
  output Types.Energy energy "Kinetic and potential energy, the latter zero at z = 0";

  Rope rope(n=n, dim=3, EA=EA, D=D, m=m, m_lump=m_lump, l_lump=l_lump, g=g, w_start=w_start,
    v_w_start=v_w_start, l=l, v_l=v_l, top=R*e_r + {0, 0, L*sin(beta)}, v_top=v_R*e_r + R*v_phi*e_p + {0, 0, L*cos(beta)*v_beta},
    a_top=(a_R - R*v_phi^2)*e_r + (R*a_phi + 2*v_R*v_phi)*e_p
      + {0, 0, L*(cos(beta)*a_beta - sin(beta)*v_beta^2)}, F={D_air[1] + wind_x, D_air[2] + wind_y, D_air[3] + wind_z})
    "The rope with its lumps and the load";

protected
  Real a_phi(unit="rad/s2") "Slewing acceleration";
  Real a_beta(unit="rad/s2") "Luffing acceleration";
  Real e_r[3] "Outwards";
  Real e_p[3] "Across the jib's plane, with the slewing angle";
  Types.Position R "Radius of the tip";
  Types.Velocity v_R "Time derivative of R";
  Types.Acceleration a_R "Second time derivative of R";
  Types.Inertia I "Moment of inertia about the tower axis, without the load";
  Real dI(unit="kg.m2/rad") "Its derivative by beta";
  Types.Force f_r "Force of the rope on the tip outwards";
  constant Types.Velocity w_0 = 0.1 "Relative speed below which drag is linear";
  Types.Force D_air[3] "Force of the air on the load";

equation
  connect(F_wind_x, wind_x);
  connect(F_wind_y, wind_y);
  connect(F_wind_z, wind_z);

  der(phi) = v_phi;
  der(beta) = v_beta;
  der(v_phi) = a_phi;
  der(v_beta) = a_beta;
  e_r = {cos(phi), sin(phi), 0};
  e_p = {-sin(phi), cos(phi), 0};
  R = r_0 + L*cos(beta);
  v_R = -L*sin(beta)*v_beta;
  a_R = -L*(sin(beta)*a_beta + cos(beta)*v_beta^2);
  I = J_b + m_j*(r_0^2 + r_0*L*cos(beta) + L^2*cos(beta)^2/3);
  dI = -m_j*L*sin(beta)*(r_0 + 2*L*cos(beta)/3);
  f_r = rope.f[1, :]*e_r;
  I*a_phi + dI*v_beta*v_phi = M_b - d_b*v_phi - M_cb*tanh(v_phi/omega_c) + R*(rope.f[1, :]*e_p);
  (J_j + m_j*L^2/3)*a_beta - dI*v_phi^2/2
    = M_j - d_j*v_beta - M_cj*tanh(v_beta/omega_c) - m_j*g*L*cos(beta)/2
      + L*(rope.f[1, 3]*cos(beta) - f_r*sin(beta));
  D_air = c_d*sqrt((w_x - v_x)^2 + (w_y - v_y)^2 + v_z^2 + w_0^2)*{w_x - v_x, w_y - v_y, -v_z};
  der(l) = v_l;
  J_w/r_w*der(v_l) = M_w - d_w*v_l/r_w - M_cw*tanh(v_l/(r_w*omega_c)) + r_w*(rope.T[1] + rope.strain);

  x = rope.r[n + 1, 1];
  y = rope.r[n + 1, 2];
  z = rope.r[n + 1, 3];
  v_x = rope.v[n + 1, 1];
  v_y = rope.v[n + 1, 2];
  v_z = rope.v[n + 1, 3];
  T_cable = rope.T[n + 1];
  T_top = rope.T[1];
  energy = I*v_phi^2/2 + (J_j + m_j*L^2/3)*v_beta^2/2 + g*m_j*L*sin(beta)/2 + J_w/r_w^2*v_l^2/2 + rope.energy;

  annotation (
    experiment(StartTime=0, StopTime=60, Tolerance=1e-9),
    Documentation(info="<html>
<p>The <a href=\"modelica://Cranes.LuffingJibCrane\">LuffingJibCrane</a> on a
<a href=\"modelica://Cranes.Elastic.Rope\">Rope</a> that stretches, with <code>n</code> lumps. Friction
and air are the same. With the force <code>f</code> of the rope at its upper end</p>
<pre>I phi'' + dI/dbeta beta' phi'           = M_b + R f.e_phi
(J_j + m_j L^2/3) beta'' - dI/dbeta phi'^2/2 = M_j - m_j g L/2 cos(beta) + f.dt/dbeta
J_w/r_w l'' = M_w + r_w (T_1 + T_1^2/(2 EA))</pre>
<p>and friction beside the drives. The start is at rest with the stretched rope.</p>
</html>"));
end LuffingJibCrane;
