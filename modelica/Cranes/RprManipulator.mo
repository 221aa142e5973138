within Cranes;
model RprManipulator "Planar manipulator with three R-P-R legs on a free-floating base, with friction"
  extends Icons.Crane;

  parameter Types.Mass m_b = 8 "Mass of the base";
  parameter Types.Inertia J_b = 0.2 "Moment of inertia of the base about its centre";
  parameter Types.Length L_b = 1 "Side of the triangle of joints on the base";
  parameter Types.Mass m_p = 3 "Mass of the platform";
  parameter Types.Inertia J_p = 0.0816 "Moment of inertia of the platform about its centre";
  parameter Types.Length L_p = 0.4 "Side of the triangle of joints on the platform";
  parameter Types.Mass m_1 = 3 "Mass of a sleeve";
  parameter Types.Inertia J_1 = 0.04 "Moment of inertia of a sleeve about its centre of mass";
  parameter Types.Length s_1 = 0.125 "Centre of mass of a sleeve, from the joint at the base";
  parameter Types.Mass m_2 = 4 "Mass of a rod";
  parameter Types.Inertia J_2 = 0.12 "Moment of inertia of a rod about its centre of mass";
  parameter Types.Length s_2 = 0.175 "Centre of mass of a rod, from the joint at the platform";
  parameter Types.RotationalDamping d_j = 0
    "Viscous friction of a joint at the base; 0 switches it off";
  parameter Types.Torque M_c = 0 "Coulomb friction of a joint at the base; 0 switches it off";
  parameter Types.AngularVelocity omega_c = 0.1 "Angular velocity that smooths Coulomb friction";

  parameter Types.Position x_b_start = 0 "Start value of x_b";
  parameter Types.Position y_b_start = 0 "Start value of y_b";
  parameter Types.Angle psi_b_start = 0 "Start value of psi_b";
  parameter Types.Position x_start = 0 "Start value of x";
  parameter Types.Position y_start = 0 "Start value of y";
  parameter Types.Angle psi_start = 0 "Start value of psi";
  parameter Types.Velocity v_x_b_start = 0 "Start value of v_x_b";
  parameter Types.Velocity v_y_b_start = 0 "Start value of v_y_b";
  parameter Types.AngularVelocity v_psi_b_start = 0 "Start value of v_psi_b";
  parameter Types.Velocity v_x_start = 0 "Start value of v_x";
  parameter Types.Velocity v_y_start = 0 "Start value of v_y";
  parameter Types.AngularVelocity v_psi_start = 0 "Start value of v_psi";

  input Types.Torque M_1(start=0) "Torque of the base on leg 1";
  input Types.Torque M_2(start=0) "Torque of the base on leg 2";
  input Types.Torque M_3(start=0) "Torque of the base on leg 3";

  output Types.Position x_b(start=x_b_start, fixed=true) "Centre of the base";
  output Types.Position y_b(start=y_b_start, fixed=true) "Centre of the base";
  output Types.Angle psi_b(start=psi_b_start, fixed=true) "Rotation of the base";
  output Types.Angle Theta_1(start=atan2(c_y_start, c_x_start) - psi_b_start, fixed=true)
    "Angle of leg 1 on the base";
  output Types.Length l_1(start=sqrt(c_x_start^2 + c_y_start^2), fixed=true)
    "Length of leg 1, from joint to joint";
  output Types.Angle psi(start=psi_start, fixed=true) "Rotation of the platform";
  output Types.Velocity v_x_b(start=v_x_b_start, fixed=true) "Velocity of the base";
  output Types.Velocity v_y_b(start=v_y_b_start, fixed=true) "Velocity of the base";
  output Types.AngularVelocity v_psi_b(start=v_psi_b_start, fixed=true)
    "Angular velocity of the base";
  output Types.AngularVelocity v_Theta_1(start=(c_x_start*v_c_y_start - c_y_start*v_c_x_start)
        /(c_x_start^2 + c_y_start^2) - v_psi_b_start, fixed=true)
    "Time derivative of Theta_1";
  output Types.Velocity v_l_1(start=(c_x_start*v_c_x_start + c_y_start*v_c_y_start)
        /sqrt(c_x_start^2 + c_y_start^2), fixed=true)
    "Time derivative of l_1";
  output Types.AngularVelocity v_psi(start=v_psi_start, fixed=true)
    "Angular velocity of the platform";
  output Types.Position x "Centre of the platform";
  output Types.Position y "Centre of the platform";
  output Types.Velocity v_x "Velocity of the platform";
  output Types.Velocity v_y "Velocity of the platform";
  output Types.Length l_2 "Length of leg 2, from joint to joint";
  output Types.Length l_3 "Length of leg 3, from joint to joint";
  output Types.Position x_c "Centre of mass of the whole";
  output Types.Position y_c "Centre of mass of the whole";
  output Types.AngularMomentum L_z "Angular momentum of the whole about the origin";
  output Types.Energy energy "Kinetic energy; there is no other";

protected
  parameter Types.Position c_x_start = x_start - x_b_start
    + L_b*(cos(psi_b_start)/2 - sin(psi_b_start)/sqrt(12))
    - L_p*(cos(psi_start)/2 - sin(psi_start)/sqrt(12)) "Leg 1 at the start";
  parameter Types.Position c_y_start = y_start - y_b_start
    + L_b*(sin(psi_b_start)/2 + cos(psi_b_start)/sqrt(12))
    - L_p*(sin(psi_start)/2 + cos(psi_start)/sqrt(12)) "Leg 1 at the start";
  parameter Types.Velocity v_c_x_start = v_x_start - v_x_b_start
    - v_psi_b_start*L_b*(sin(psi_b_start)/2 + cos(psi_b_start)/sqrt(12))
    + v_psi_start*L_p*(sin(psi_start)/2 + cos(psi_start)/sqrt(12))
    "Time derivative of c_x at the start";
  parameter Types.Velocity v_c_y_start = v_y_start - v_y_b_start
    + v_psi_b_start*L_b*(cos(psi_b_start)/2 - sin(psi_b_start)/sqrt(12))
    - v_psi_start*L_p*(cos(psi_start)/2 - sin(psi_start)/sqrt(12))
    "Time derivative of c_y at the start";
  parameter Real corner[3, 2] = {{-1/2, -1/sqrt(12)}, {1/2, -1/sqrt(12)}, {0, 1/sqrt(3)}}
    "Corners of an equilateral triangle of side 1, from its centre";
  Types.Position b[3, 2] "Joints on the base, from its centre";
  Types.Position p[3, 2] "Joints on the platform, from its centre";
  Types.Position c[3, 2] "Legs, from the base to the platform";
  Types.Velocity v_c[3, 2] "Time derivative of c";
  Types.Acceleration a_c[3, 2] "Second time derivative of c";
  Types.Length l[3] "Lengths of the legs";
  Types.Velocity v_l[3] "Time derivative of l";
  Real e[3, 2] "Directions of the legs";
  Real n[3, 2] "Directions across, to the left";
  Types.AngularVelocity omega[3] "Angular velocities of the legs";
  Real a_omega[3](each unit="rad/s2") "Angular accelerations of the legs";
  Types.Velocity v_s[3, 2] "Velocities of the sleeves";
  Types.Velocity v_r[3, 2] "Velocities of the rods";
  Types.Acceleration a_s[3, 2] "Accelerations of the sleeves";
  Types.Acceleration a_r[3, 2] "Accelerations of the rods";
  Types.Acceleration a_b[2] "Acceleration of the base";
  Types.Acceleration a_p[2] "Acceleration of the platform";
  Types.Torque tau[3] "Torques on the legs, with friction";
  Types.Force F_p[3, 2] "Forces of the platform on the rods";
  Types.Force F_b[3, 2] "Forces of the base on the sleeves";

equation
  der(x_b) = v_x_b;
  der(y_b) = v_y_b;
  der(psi_b) = v_psi_b;
  der(Theta_1) = v_Theta_1;
  der(l_1) = v_l_1;
  der(psi) = v_psi;

  for i in 1:3 loop
    b[i, 1] = L_b*(corner[i, 1]*cos(psi_b) - corner[i, 2]*sin(psi_b));
    b[i, 2] = L_b*(corner[i, 1]*sin(psi_b) + corner[i, 2]*cos(psi_b));
    p[i, 1] = L_p*(corner[i, 1]*cos(psi) - corner[i, 2]*sin(psi));
    p[i, 2] = L_p*(corner[i, 1]*sin(psi) + corner[i, 2]*cos(psi));
  end for;

  // Leg 1 carries the platform: c = l_1 e, at the angle psi_b + Theta_1
  c[1, 1] = l_1*cos(psi_b + Theta_1);
  c[1, 2] = l_1*sin(psi_b + Theta_1);
  v_c[1, 1] = v_l_1*e[1, 1] + l_1*(v_psi_b + v_Theta_1)*n[1, 1];
  v_c[1, 2] = v_l_1*e[1, 2] + l_1*(v_psi_b + v_Theta_1)*n[1, 2];
  for k in 1:2 loop
    a_c[1, k] = (der(v_l_1) - l_1*(v_psi_b + v_Theta_1)^2)*e[1, k]
      + (l_1*(der(v_psi_b) + der(v_Theta_1)) + 2*v_l_1*(v_psi_b + v_Theta_1))*n[1, k];
  end for;
  x = x_b + b[1, 1] + c[1, 1] - p[1, 1];
  y = y_b + b[1, 2] + c[1, 2] - p[1, 2];
  v_x = v_x_b - v_psi_b*b[1, 2] + v_c[1, 1] + v_psi*p[1, 2];
  v_y = v_y_b + v_psi_b*b[1, 1] + v_c[1, 2] - v_psi*p[1, 1];
  a_b = {der(v_x_b), der(v_y_b)};
  a_p[1] = a_b[1] - der(v_psi_b)*b[1, 2] - v_psi_b^2*b[1, 1] + a_c[1, 1]
    + der(v_psi)*p[1, 2] + v_psi^2*p[1, 1];
  a_p[2] = a_b[2] + der(v_psi_b)*b[1, 1] - v_psi_b^2*b[1, 2] + a_c[1, 2]
    - der(v_psi)*p[1, 1] + v_psi^2*p[1, 2];

  // Legs 2 and 3 follow
  for i in 2:3 loop
    c[i, 1] = x + p[i, 1] - x_b - b[i, 1];
    c[i, 2] = y + p[i, 2] - y_b - b[i, 2];
    v_c[i, 1] = v_x - v_psi*p[i, 2] - v_x_b + v_psi_b*b[i, 2];
    v_c[i, 2] = v_y + v_psi*p[i, 1] - v_y_b - v_psi_b*b[i, 1];
    a_c[i, 1] = a_p[1] - der(v_psi)*p[i, 2] - v_psi^2*p[i, 1]
      - a_b[1] + der(v_psi_b)*b[i, 2] + v_psi_b^2*b[i, 1];
    a_c[i, 2] = a_p[2] + der(v_psi)*p[i, 1] - v_psi^2*p[i, 2]
      - a_b[2] - der(v_psi_b)*b[i, 1] + v_psi_b^2*b[i, 2];
  end for;
  l_2 = l[2];
  l_3 = l[3];

  tau[1] = M_1 - d_j*(omega[1] - v_psi_b) - M_c*tanh((omega[1] - v_psi_b)/omega_c);
  tau[2] = M_2 - d_j*(omega[2] - v_psi_b) - M_c*tanh((omega[2] - v_psi_b)/omega_c);
  tau[3] = M_3 - d_j*(omega[3] - v_psi_b) - M_c*tanh((omega[3] - v_psi_b)/omega_c);

  for i in 1:3 loop
    l[i] = sqrt(c[i, 1]^2 + c[i, 2]^2);
    e[i, 1] = c[i, 1]/l[i];
    e[i, 2] = c[i, 2]/l[i];
    n[i, 1] = -e[i, 2];
    n[i, 2] = e[i, 1];
    v_l[i] = e[i, 1]*v_c[i, 1] + e[i, 2]*v_c[i, 2];
    omega[i] = (n[i, 1]*v_c[i, 1] + n[i, 2]*v_c[i, 2])/l[i];
    a_omega[i] = (n[i, 1]*a_c[i, 1] + n[i, 2]*a_c[i, 2] - 2*v_l[i]*omega[i])/l[i];
    v_s[i, 1] = v_x_b - v_psi_b*b[i, 2] + s_1*omega[i]*n[i, 1];
    v_s[i, 2] = v_y_b + v_psi_b*b[i, 1] + s_1*omega[i]*n[i, 2];
    v_r[i, 1] = v_x - v_psi*p[i, 2] - s_2*omega[i]*n[i, 1];
    v_r[i, 2] = v_y + v_psi*p[i, 1] - s_2*omega[i]*n[i, 2];
    a_s[i, 1] = a_b[1] - der(v_psi_b)*b[i, 2] - v_psi_b^2*b[i, 1]
      + s_1*(a_omega[i]*n[i, 1] - omega[i]^2*e[i, 1]);
    a_s[i, 2] = a_b[2] + der(v_psi_b)*b[i, 1] - v_psi_b^2*b[i, 2]
      + s_1*(a_omega[i]*n[i, 2] - omega[i]^2*e[i, 2]);
    a_r[i, 1] = a_p[1] - der(v_psi)*p[i, 2] - v_psi^2*p[i, 1]
      - s_2*(a_omega[i]*n[i, 1] - omega[i]^2*e[i, 1]);
    a_r[i, 2] = a_p[2] + der(v_psi)*p[i, 1] - v_psi^2*p[i, 2]
      - s_2*(a_omega[i]*n[i, 2] - omega[i]^2*e[i, 2]);

    // Rod along the leg, where the sleeve cannot hold it; moments of the leg about its joint at the
    // base; Newton's law for the leg
    F_p[i, 1]*e[i, 1] + F_p[i, 2]*e[i, 2] = m_2*(a_r[i, 1]*e[i, 1] + a_r[i, 2]*e[i, 2]);
    tau[i] + l[i]*(F_p[i, 1]*n[i, 1] + F_p[i, 2]*n[i, 2]) = (J_1 + J_2)*a_omega[i]
      + s_1*m_1*(a_s[i, 1]*n[i, 1] + a_s[i, 2]*n[i, 2])
      + (l[i] - s_2)*m_2*(a_r[i, 1]*n[i, 1] + a_r[i, 2]*n[i, 2]);
    F_b[i, 1] + F_p[i, 1] = m_1*a_s[i, 1] + m_2*a_r[i, 1];
    F_b[i, 2] + F_p[i, 2] = m_1*a_s[i, 2] + m_2*a_r[i, 2];
  end for;

  // Newton and Euler for base and platform
  m_b*a_b[1] = -F_b[1, 1] - F_b[2, 1] - F_b[3, 1];
  m_b*a_b[2] = -F_b[1, 2] - F_b[2, 2] - F_b[3, 2];
  J_b*der(v_psi_b) = -tau[1] - tau[2] - tau[3]
    - (b[1, 1]*F_b[1, 2] - b[1, 2]*F_b[1, 1]) - (b[2, 1]*F_b[2, 2] - b[2, 2]*F_b[2, 1])
    - (b[3, 1]*F_b[3, 2] - b[3, 2]*F_b[3, 1]);
  m_p*a_p[1] = -F_p[1, 1] - F_p[2, 1] - F_p[3, 1];
  m_p*a_p[2] = -F_p[1, 2] - F_p[2, 2] - F_p[3, 2];
  J_p*der(v_psi) = -(p[1, 1]*F_p[1, 2] - p[1, 2]*F_p[1, 1])
    - (p[2, 1]*F_p[2, 2] - p[2, 2]*F_p[2, 1]) - (p[3, 1]*F_p[3, 2] - p[3, 2]*F_p[3, 1]);

  // The whole: sleeves are at r_b + b + s_1 e, rods at r + p - s_2 e
  x_c = (m_b*x_b + m_p*x + 3*m_1*x_b + 3*m_2*x
    + (m_1*s_1 - m_2*s_2)*(e[1, 1] + e[2, 1] + e[3, 1]))/(m_b + m_p + 3*m_1 + 3*m_2);
  y_c = (m_b*y_b + m_p*y + 3*m_1*y_b + 3*m_2*y
    + (m_1*s_1 - m_2*s_2)*(e[1, 2] + e[2, 2] + e[3, 2]))/(m_b + m_p + 3*m_1 + 3*m_2);
  L_z = m_b*(x_b*v_y_b - y_b*v_x_b) + J_b*v_psi_b + m_p*(x*v_y - y*v_x) + J_p*v_psi
    + sum((J_1 + J_2)*omega[i]
      + m_1*((x_b + b[i, 1] + s_1*e[i, 1])*v_s[i, 2] - (y_b + b[i, 2] + s_1*e[i, 2])*v_s[i, 1])
      + m_2*((x + p[i, 1] - s_2*e[i, 1])*v_r[i, 2] - (y + p[i, 2] - s_2*e[i, 2])*v_r[i, 1])
      for i in 1:3);
  energy = (m_b*(v_x_b^2 + v_y_b^2) + J_b*v_psi_b^2 + m_p*(v_x^2 + v_y^2) + J_p*v_psi^2)/2
    + sum((J_1 + J_2)*omega[i]^2 + m_1*(v_s[i, 1]^2 + v_s[i, 2]^2)
      + m_2*(v_r[i, 1]^2 + v_r[i, 2]^2) for i in 1:3)/2;

  annotation (
    experiment(StartTime=0, StopTime=3, Tolerance=1e-9),
    Documentation(info="<html>
<p>A platform (<code>m_p</code>, <code>J_p</code>) on three legs floats over its base
(<code>m_b</code>, <code>J_b</code>), all in a plane without gravity. Each leg joins a corner of the
base's triangle to that of the platform's: a sleeve (<code>m_1</code>, <code>J_1</code>) that turns at
the base, driven by a torque, and a rod (<code>m_2</code>, <code>J_2</code>) that slides in it and
turns at the platform. Six degrees of freedom, three drives. Coordinates: the pose of the base
<code>x_b, y_b, psi_b</code>, angle and length of leg 1 <code>Theta_1, l_1</code>, and the platform's
rotation <code>psi</code>. With the leg's direction <code>e</code>, across it <code>n</code>, length
<code>l</code> and angular velocity <code>omega</code>, and the friction
<code>tau = M - d_j rate - M_c tanh(rate/omega_c)</code> at the rate <code>omega - psi_b'</code>,</p>
<pre>F_p.e           = m_2 a_r.e
tau + l F_p.n   = (J_1 + J_2) omega' + s_1 m_1 a_s.n + (l - s_2) m_2 a_r.n
F_b + F_p       = m_1 a_s + m_2 a_r
m_b r_b''       = -sum F_b       J_b psi_b'' = -sum (tau + b x F_b)
m_p r''         = -sum F_p       J_p psi''   = -sum p x F_p</pre>
<p>for the forces <code>F_p</code> of the platform on a rod and <code>F_b</code> of the base on a
sleeve. No force acts from outside: the centre of mass <code>x_c, y_c</code> moves on as it started,
and <code>L_z</code> is constant, also with friction.</p>
<p>Equilibrium at rest: all torques are zero, in every pose. The equations are regular for legs of a
length <code>l &gt; 0</code>.</p>
</html>"));
end RprManipulator;
