within Cranes;
model Cablev "Gantry with three trolleys that carry a platform on three ropes (CABLEV)"
  extends Icons.Crane;
  extends Interfaces.SpatialWind;

  parameter Types.Mass m_0 = 380 "Mass of the gantry, with what moves with it";
  parameter Types.Mass m_1 = 35 "Mass of trolley 1";
  parameter Types.Mass m_2 = 35 "Mass of trolley 2";
  parameter Types.Mass m_3 = 35 "Mass of trolley 3";
  parameter Types.Mass m = 12.5 "Mass of the platform";
  parameter Types.Inertia J_1 = 0.75 "Moment of inertia of winch 1";
  parameter Types.Inertia J_2 = 0.75 "Moment of inertia of winch 2";
  parameter Types.Inertia J_3 = 1.5 "Moment of inertia of winch 3";
  parameter Types.Length r_1 = 0.1 "Radius of winch 1";
  parameter Types.Length r_2 = 0.1 "Radius of winch 2";
  parameter Types.Length r_3 = 0.1 "Radius of winch 3";
  parameter Types.Length l_1 = 1.2 "Side of the platform's triangle";
  parameter Types.Length l_2 = 0.6 "Distance of the girders of trolleys 2 and 3 from that of 1";
  parameter Types.Length b = 1.0392304845413265 "Offset of trolley 1 in the output x_0";
  parameter Types.Inertia J_x = 0.75 "Moment of inertia of the platform about its first axis";
  parameter Types.Inertia J_y = 0.75 "Moment of inertia of the platform about its second axis";
  parameter Types.Inertia J_z = 1.5 "Moment of inertia of the platform about its third axis";
  parameter Types.Acceleration g = 9.81 "Gravity, along positive z";

  parameter Types.Position p_g0_start = 1.2 "Start value of p_g0";
  parameter Types.Position p_g1_start = 2.0392304845413265 "Start value of p_g1";
  parameter Types.Position p_g2_start = 1 "Start value of p_g2";
  parameter Types.Position p_g3_start = 1 "Start value of p_g3";
  parameter Types.Position r_x_start = 1.3464101615137755 "Start value of r_x";
  parameter Types.Position r_y_start = 1.2 "Start value of r_y";
  parameter Types.Position r_z_start = 3 "Start value of r_z";
  parameter Types.Angle phi_1_start = 0 "Start value of phi_1";
  parameter Types.Angle phi_2_start = 0 "Start value of phi_2";
  parameter Types.Angle phi_3_start = 0 "Start value of phi_3";
  parameter Types.Velocity v_p_g0_start = 0 "Start value of v_p_g0";
  parameter Types.Velocity v_p_g1_start = 0 "Start value of v_p_g1";
  parameter Types.Velocity v_p_g2_start = 0 "Start value of v_p_g2";
  parameter Types.Velocity v_p_g3_start = 0 "Start value of v_p_g3";
  parameter Types.Velocity v_r_x_start = 0 "Start value of v_r_x";
  parameter Types.Velocity v_r_y_start = 0 "Start value of v_r_y";
  parameter Types.Velocity v_r_z_start = 0 "Start value of v_r_z";
  parameter Types.AngularVelocity omega_1_start = 0 "Start value of omega_1";
  parameter Types.AngularVelocity omega_2_start = 0 "Start value of omega_2";
  parameter Types.AngularVelocity omega_3_start = 0 "Start value of omega_3";

  input Types.Force u_g0(start=0) "Force on the gantry";
  input Types.Force u_g1(start=0) "Force on trolley 1";
  input Types.Force u_g2(start=0) "Force on trolley 2";
  input Types.Force u_g3(start=0) "Force on trolley 3";
  input Types.Torque u_c1(start=-m*g*r_1/3) "Torque on winch 1, positive pays rope out";
  input Types.Torque u_c2(start=-m*g*r_2/3) "Torque on winch 2, positive pays rope out";
  input Types.Torque u_c3(start=-m*g*r_3/3) "Torque on winch 3, positive pays rope out";
  Interfaces.ForceInput F_wind_x(start=0) if useWind "Wind force on the platform, along x";
  Interfaces.ForceInput F_wind_y(start=0) if useWind "Wind force on the platform, along y";
  Interfaces.ForceInput F_wind_z(start=0) if useWind "Wind force on the platform, along z, downwards";

  output Types.Position r_x(start=r_x_start, fixed=true) "Platform, along the girders";
  output Types.Position r_y(start=r_y_start, fixed=true) "Platform, along the gantry's way";
  output Types.Position r_z(start=r_z_start, fixed=true) "Platform, downwards";
  output Types.Angle phi_1 "Bryant angle about the first axis";
  output Types.Angle phi_2 "Bryant angle about the second axis";
  output Types.Angle phi_3 "Bryant angle about the third axis";
  output Types.Position x_0 "Trolley 1 relative to the mean of trolleys 2 and 3, less b";
  output Types.Velocity v_r_x(start=v_r_x_start, fixed=true) "Velocity of r_x";
  output Types.Velocity v_r_y(start=v_r_y_start, fixed=true) "Velocity of r_y";
  output Types.Velocity v_r_z(start=v_r_z_start, fixed=true) "Velocity of r_z";
  output Types.AngularVelocity omega_1(start=omega_1_start, fixed=true)
    "Angular velocity of the platform about its first axis";
  output Types.AngularVelocity omega_2(start=omega_2_start, fixed=true)
    "Angular velocity of the platform about its second axis";
  output Types.AngularVelocity omega_3(start=omega_3_start, fixed=true)
    "Angular velocity of the platform about its third axis";
  output Types.Position p_g0(start=p_g0_start, fixed=true) "Position of the gantry";
  output Types.Position p_g1(start=p_g1_start, fixed=true) "Position of trolley 1";
  output Types.Position p_g2(start=p_g2_start, fixed=true) "Position of trolley 2";
  output Types.Position p_g3(start=p_g3_start, fixed=true) "Position of trolley 3";
  output Types.Position p_c1 "Length of rope 1";
  output Types.Position p_c2 "Length of rope 2";
  output Types.Position p_c3 "Length of rope 3";
  output Types.Velocity v_p_g0(start=v_p_g0_start, fixed=true) "Velocity of the gantry";
  output Types.Velocity v_p_g1(start=v_p_g1_start, fixed=true) "Velocity of trolley 1";
  output Types.Velocity v_p_g2(start=v_p_g2_start, fixed=true) "Velocity of trolley 2";
  output Types.Velocity v_p_g3(start=v_p_g3_start, fixed=true) "Velocity of trolley 3";
  output Types.Velocity v_p_c1 "Velocity of rope 1";
  output Types.Velocity v_p_c2 "Velocity of rope 2";
  output Types.Velocity v_p_c3 "Velocity of rope 3";
  output Types.Force T_1 "Force in rope 1, positive pulls";
  output Types.Force T_2 "Force in rope 2, positive pulls";
  output Types.Force T_3 "Force in rope 3, positive pulls";
  output Types.Angle theta_1x "Swing angle of rope 1 in the x-z plane";
  output Types.Angle theta_1y "Swing angle of rope 1 in the y-z plane";
  output Types.Angle theta_2x "Swing angle of rope 2 in the x-z plane";
  output Types.Angle theta_2y "Swing angle of rope 2 in the y-z plane";
  output Types.Angle theta_3x "Swing angle of rope 3 in the x-z plane";
  output Types.Angle theta_3y "Swing angle of rope 3 in the y-z plane";
  output Types.Energy energy "Kinetic and potential energy, the latter zero at r_z = 0";

protected
  parameter Real q_0 = cos(phi_1_start/2)*cos(phi_2_start/2)*cos(phi_3_start/2)
    - sin(phi_1_start/2)*sin(phi_2_start/2)*sin(phi_3_start/2) "Quaternion of the start";
  parameter Real q_1 = sin(phi_1_start/2)*cos(phi_2_start/2)*cos(phi_3_start/2)
    + cos(phi_1_start/2)*sin(phi_2_start/2)*sin(phi_3_start/2) "Quaternion of the start";
  parameter Real q_2 = cos(phi_1_start/2)*sin(phi_2_start/2)*cos(phi_3_start/2)
    - sin(phi_1_start/2)*cos(phi_2_start/2)*sin(phi_3_start/2) "Quaternion of the start";
  parameter Real q_3 = cos(phi_1_start/2)*cos(phi_2_start/2)*sin(phi_3_start/2)
    + sin(phi_1_start/2)*sin(phi_2_start/2)*cos(phi_3_start/2) "Quaternion of the start";
  Real sigma_1(start=q_1/(1 + q_0), fixed=true) "Modified Rodrigues parameter of the attitude";
  Real sigma_2(start=q_2/(1 + q_0), fixed=true) "Modified Rodrigues parameter of the attitude";
  Real sigma_3(start=q_3/(1 + q_0), fixed=true) "Modified Rodrigues parameter of the attitude";
  Real sigma[3] "Modified Rodrigues parameters, e tan(angle/4)";
  Real n2 "Square of the norm of sigma";
  Real S[3,3] "Cross product matrix of sigma";
  Real R[3,3] "Rotation from the platform's to the inertial frame";
  Types.AngularVelocity omega[3] "Angular velocity of the platform, in its frame";
  Real a_omega[3](each unit="rad/s2") "Angular acceleration of the platform, in its frame";
  Types.Acceleration a[3] "Acceleration of the platform";
  parameter Types.Position X_1[3] = {l_1/sqrt(3), 0, 0} "Rope 1 on the platform, in its frame";
  parameter Types.Position X_2[3] = {-l_1/(2*sqrt(3)), l_1/2, 0}
    "Rope 2 on the platform, in its frame";
  parameter Types.Position X_3[3] = {-l_1/(2*sqrt(3)), -l_1/2, 0}
    "Rope 3 on the platform, in its frame";
  Types.Position c_1[3] "Rope 1, from trolley to platform";
  Types.Position c_2[3] "Rope 2, from trolley to platform";
  Types.Position c_3[3] "Rope 3, from trolley to platform";
  Types.Velocity v_c_1[3] "Time derivative of c_1";
  Types.Velocity v_c_2[3] "Time derivative of c_2";
  Types.Velocity v_c_3[3] "Time derivative of c_3";
  Types.Acceleration a_c_1[3] "Second time derivative of c_1";
  Types.Acceleration a_c_2[3] "Second time derivative of c_2";
  Types.Acceleration a_c_3[3] "Second time derivative of c_3";
  Real e_1[3] "Direction of rope 1";
  Real e_2[3] "Direction of rope 2";
  Real e_3[3] "Direction of rope 3";

equation
  connect(F_wind_x, wind_x);
  connect(F_wind_y, wind_y);
  connect(F_wind_z, wind_z);

  der(p_g0) = v_p_g0;
  der(p_g1) = v_p_g1;
  der(p_g2) = v_p_g2;
  der(p_g3) = v_p_g3;
  der(r_x) = v_r_x;
  der(r_y) = v_r_y;
  der(r_z) = v_r_z;

  // Attitude
  sigma = {sigma_1, sigma_2, sigma_3};
  omega = {omega_1, omega_2, omega_3};
  n2 = sigma*sigma;
  {der(sigma_1), der(sigma_2), der(sigma_3)}
    = ((1 - n2)*omega + 2*cross(sigma, omega) + 2*(sigma*omega)*sigma)/4;
  S = skew(sigma);
  R = identity(3) + (8*S*S + 4*(1 - n2)*S)/(1 + n2)^2;
  a = {der(v_r_x), der(v_r_y), der(v_r_z)};
  a_omega = {der(omega_1), der(omega_2), der(omega_3)};

  // Ropes
  c_1 = {r_x - p_g1, r_y - p_g0, r_z} + R*X_1;
  c_2 = {r_x - p_g2, r_y - p_g0 - l_2, r_z} + R*X_2;
  c_3 = {r_x - p_g3, r_y - p_g0 + l_2, r_z} + R*X_3;
  v_c_1 = {v_r_x - v_p_g1, v_r_y - v_p_g0, v_r_z} + R*cross(omega, X_1);
  v_c_2 = {v_r_x - v_p_g2, v_r_y - v_p_g0, v_r_z} + R*cross(omega, X_2);
  v_c_3 = {v_r_x - v_p_g3, v_r_y - v_p_g0, v_r_z} + R*cross(omega, X_3);
  a_c_1 = a - {der(v_p_g1), der(v_p_g0), 0}
    + R*(cross(a_omega, X_1) + cross(omega, cross(omega, X_1)));
  a_c_2 = a - {der(v_p_g2), der(v_p_g0), 0}
    + R*(cross(a_omega, X_2) + cross(omega, cross(omega, X_2)));
  a_c_3 = a - {der(v_p_g3), der(v_p_g0), 0}
    + R*(cross(a_omega, X_3) + cross(omega, cross(omega, X_3)));
  p_c1 = sqrt(c_1*c_1);
  p_c2 = sqrt(c_2*c_2);
  p_c3 = sqrt(c_3*c_3);
  e_1 = c_1/p_c1;
  e_2 = c_2/p_c2;
  e_3 = c_3/p_c3;
  v_p_c1 = e_1*v_c_1;
  v_p_c2 = e_2*v_c_2;
  v_p_c3 = e_3*v_c_3;

  // Platform: Newton and Euler
  m*a = {wind_x, wind_y, wind_z + m*g} - T_1*e_1 - T_2*e_2 - T_3*e_3;
  {J_x*a_omega[1], J_y*a_omega[2], J_z*a_omega[3]}
    + cross(omega, {J_x*omega_1, J_y*omega_2, J_z*omega_3})
    = -cross(X_1, transpose(R)*e_1)*T_1 - cross(X_2, transpose(R)*e_2)*T_2
      - cross(X_3, transpose(R)*e_3)*T_3;

  // Gantry, trolleys, winches
  m_0*der(v_p_g0) = u_g0 + T_1*e_1[2] + T_2*e_2[2] + T_3*e_3[2];
  m_1*der(v_p_g1) = u_g1 + T_1*e_1[1];
  m_2*der(v_p_g2) = u_g2 + T_2*e_2[1];
  m_3*der(v_p_g3) = u_g3 + T_3*e_3[1];
  J_1/r_1^2*(e_1*a_c_1 + (v_c_1*v_c_1 - v_p_c1^2)/p_c1) = u_c1/r_1 + T_1;
  J_2/r_2^2*(e_2*a_c_2 + (v_c_2*v_c_2 - v_p_c2^2)/p_c2) = u_c2/r_2 + T_2;
  J_3/r_3^2*(e_3*a_c_3 + (v_c_3*v_c_3 - v_p_c3^2)/p_c3) = u_c3/r_3 + T_3;

  phi_1 = atan2(-R[2, 3], R[3, 3]);
  phi_2 = asin(R[1, 3]);
  phi_3 = atan2(-R[1, 2], R[1, 1]);
  x_0 = p_g1 - (p_g2 + p_g3)/2 - b;
  theta_1x = atan2(c_1[1], c_1[3]);
  theta_1y = atan2(c_1[2], c_1[3]);
  theta_2x = atan2(c_2[1], c_2[3]);
  theta_2y = atan2(c_2[2], c_2[3]);
  theta_3x = atan2(c_3[1], c_3[3]);
  theta_3y = atan2(c_3[2], c_3[3]);
  energy = (m_0*v_p_g0^2 + m_1*v_p_g1^2 + m_2*v_p_g2^2 + m_3*v_p_g3^2)/2
    + (J_1/r_1^2*v_p_c1^2 + J_2/r_2^2*v_p_c2^2 + J_3/r_3^2*v_p_c3^2)/2
    + m*(v_r_x^2 + v_r_y^2 + v_r_z^2)/2 + (J_x*omega_1^2 + J_y*omega_2^2 + J_z*omega_3^2)/2
    - m*g*r_z;

  annotation (
    experiment(StartTime=0, StopTime=20, Tolerance=1e-9),
    Documentation(info="<html>
<p>A gantry (position <code>p_g0</code> along y) carries three trolleys (positions
<code>p_gi</code> along x) on parallel girders at <code>y = p_g0 + (0, l_2, -l_2)</code>; three ropes
of lengths <code>p_ci</code> run from their winches to the corners <code>X_i</code> of a triangular
platform. <b>The z axis points down</b>, the girders are at z = 0. Ten degrees of freedom, seven
drives.</p>
<p>Coordinates: gantry, trolleys, platform position <code>r</code> and attitude in modified Rodrigues
parameters <code>sigma = e tan(angle/4)</code> with the body rates <code>omega</code>, regular up to a
full turn; the rope lengths follow from them:</p>
<pre>c_i = r + R X_i - (p_g0 + y_i) e_y - p_gi e_x,   p_ci = |c_i|,   e_i = c_i/p_ci
sigma' = ((1 - |sigma|^2) omega + 2 sigma x omega + 2 (sigma.omega) sigma)/4
R = 1 + (8 S S + 4 (1 - |sigma|^2) S)/(1 + |sigma|^2)^2,   S = cross product matrix of sigma
m r''                        = F_wind + m g e_z - T_1 e_1 - T_2 e_2 - T_3 e_3
J omega' + omega x J omega   = -X_1 x R^T T_1 e_1 - X_2 x R^T T_2 e_2 - X_3 x R^T T_3 e_3
m_0 p_g0''                   = u_g0 + (T_1 e_1 + T_2 e_2 + T_3 e_3).e_y
m_i p_gi''                   = u_gi + T_i e_i.e_x
J_i/r_i^2 p_ci''             = u_ci/r_i + T_i</pre>
<p>The outputs <code>phi_1, phi_2, phi_3</code> are the Bryant angles of
<code>R = Rx(phi_1) Ry(phi_2) Rz(phi_3)</code>; they are singular at <code>phi_2 = pi/2</code>, the
states are not.</p>
<p>Equilibrium at the default start: three vertical ropes with <code>m g/3</code> each, torques
<code>u_ci = -r_i m g/3</code>, which are the start values of the inputs.</p>
</html>"));
end Cablev;
