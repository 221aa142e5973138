within Cranes;
model SpreaderCrane "Crane with a spreader on four ropes, whose trolley slews"
  extends Icons.Crane;
  extends Interfaces.SpatialWind;

  parameter Types.Mass m = 12000 "Mass of spreader and box";
  parameter Types.Inertia J_x = 9000 "Moment of inertia of spreader and box about its first axis";
  parameter Types.Inertia J_y = 22000 "Moment of inertia of spreader and box about its second axis";
  parameter Types.Inertia J_z = 25000 "Moment of inertia of spreader and box about its third axis";
  parameter Types.Position C = 1.5 "Ropes on the spreader, along its first axis";
  parameter Types.Position D = 1.2 "Ropes on the spreader, along its second axis";
  parameter Types.Position h = 1.2 "Ropes on the spreader, above its centre of mass";
  parameter Types.Mass m_t = 2000 "Mass of the trolley";
  parameter Types.Inertia J_t = 1500 "Moment of inertia of the trolley about the vertical";
  parameter Types.Position A = 2.5 "Winches on the trolley, along its first axis";
  parameter Types.Position B = 1.5 "Winches on the trolley, along its second axis";
  parameter Types.Inertia J_w = 5 "Moment of inertia of each winch";
  parameter Types.Length r_w = 0.2 "Radius of each drum";
  parameter Types.Acceleration g = 9.81 "Gravity";

  parameter Types.Position x_t_start = 0 "Start value of x_t";
  parameter Types.Position y_t_start = 0 "Start value of y_t";
  parameter Types.Angle theta_start = 0 "Start value of theta";
  parameter Types.Position x_start = 0 "Start value of x";
  parameter Types.Position y_start = 0 "Start value of y";
  parameter Types.Position z_start = -12 "Start value of z";
  parameter Types.Angle yaw_start = 0 "Start value of yaw";
  parameter Types.Angle pitch_start = 0 "Start value of pitch";
  parameter Types.Angle roll_start = 0 "Start value of roll";
  parameter Types.Velocity v_x_t_start = 0 "Start value of v_x_t";
  parameter Types.Velocity v_y_t_start = 0 "Start value of v_y_t";
  parameter Types.AngularVelocity v_theta_start = 0 "Start value of v_theta";
  parameter Types.Velocity v_x_start = 0 "Start value of v_x";
  parameter Types.Velocity v_y_start = 0 "Start value of v_y";
  parameter Types.Velocity v_z_start = 0 "Start value of v_z";
  parameter Types.AngularVelocity v_yaw_start = 0 "Start value of the rate of yaw";
  parameter Types.AngularVelocity v_pitch_start = 0 "Start value of the rate of pitch";
  parameter Types.AngularVelocity v_roll_start = 0 "Start value of the rate of roll";

  input Types.Force F_x(start=0) "Force on the trolley, along x";
  input Types.Force F_y(start=0) "Force on the trolley, along y";
  input Types.Torque M_t(start=0) "Torque on the trolley";
  input Types.Torque M_1(start=m*g*r_w*sqrt((A - C)^2 + (B - D)^2 + (z_start + h)^2)/(4*(z_start + h)))
    "Torque on winch 1, positive pays rope out";
  input Types.Torque M_2(start=m*g*r_w*sqrt((A - C)^2 + (B - D)^2 + (z_start + h)^2)/(4*(z_start + h)))
    "Torque on winch 2, positive pays rope out";
  input Types.Torque M_3(start=m*g*r_w*sqrt((A - C)^2 + (B - D)^2 + (z_start + h)^2)/(4*(z_start + h)))
    "Torque on winch 3, positive pays rope out";
  input Types.Torque M_4(start=m*g*r_w*sqrt((A - C)^2 + (B - D)^2 + (z_start + h)^2)/(4*(z_start + h)))
    "Torque on winch 4, positive pays rope out";
  Interfaces.ForceInput F_wind_x(start=0) if useWind "Wind force on the spreader, along x";
  Interfaces.ForceInput F_wind_y(start=0) if useWind "Wind force on the spreader, along y";
  Interfaces.ForceInput F_wind_z(start=0) if useWind "Wind force on the spreader, vertical";

  output Types.Position x(start=x_start, fixed=true) "Centre of mass of spreader and box";
  output Types.Position y(start=y_start, fixed=true) "Centre of mass of spreader and box";
  output Types.Position z(start=z_start, fixed=true)
    "Centre of mass of spreader and box, vertical, zero at the winches";
  output Types.Angle yaw "Rotation of the spreader about the vertical, the last of three";
  output Types.Angle pitch "Rotation of the spreader about its second axis";
  output Types.Angle roll "Rotation of the spreader about its first axis";
  output Types.Position warp "l_1 - l_2 + l_3 - l_4";
  output Types.Velocity v_x(start=v_x_start, fixed=true) "Velocity of x";
  output Types.Velocity v_y(start=v_y_start, fixed=true) "Velocity of y";
  output Types.Velocity v_z(start=v_z_start, fixed=true) "Velocity of z";
  output Types.AngularVelocity omega_1(start=v_roll_start - v_yaw_start*sin(pitch_start), fixed=true)
    "Angular velocity of the spreader about its first axis";
  output Types.AngularVelocity omega_2(start=v_pitch_start*cos(roll_start)
      + v_yaw_start*cos(pitch_start)*sin(roll_start), fixed=true)
    "Angular velocity of the spreader about its second axis";
  output Types.AngularVelocity omega_3(start=v_yaw_start*cos(pitch_start)*cos(roll_start)
      - v_pitch_start*sin(roll_start), fixed=true)
    "Angular velocity of the spreader about its third axis";
  output Types.Position x_t(start=x_t_start, fixed=true) "Trolley";
  output Types.Position y_t(start=y_t_start, fixed=true) "Trolley";
  output Types.Angle theta(start=theta_start, fixed=true) "Slewing angle of the trolley";
  output Types.Velocity v_x_t(start=v_x_t_start, fixed=true) "Velocity of x_t";
  output Types.Velocity v_y_t(start=v_y_t_start, fixed=true) "Velocity of y_t";
  output Types.AngularVelocity v_theta(start=v_theta_start, fixed=true) "Slewing velocity";
  output Types.Position l_1 "Length of rope 1";
  output Types.Position l_2 "Length of rope 2";
  output Types.Position l_3 "Length of rope 3";
  output Types.Position l_4 "Length of rope 4";
  output Types.Velocity v_l_1 "Velocity of rope 1";
  output Types.Velocity v_l_2 "Velocity of rope 2";
  output Types.Velocity v_l_3 "Velocity of rope 3";
  output Types.Velocity v_l_4 "Velocity of rope 4";
  output Types.Force T_1 "Force in rope 1, positive pulls";
  output Types.Force T_2 "Force in rope 2, positive pulls";
  output Types.Force T_3 "Force in rope 3, positive pulls";
  output Types.Force T_4 "Force in rope 4, positive pulls";
  output Types.Energy energy "Kinetic and potential energy, the latter zero at z = 0";

protected
  parameter Real q_0 = cos(roll_start/2)*cos(pitch_start/2)*cos(yaw_start/2)
    + sin(roll_start/2)*sin(pitch_start/2)*sin(yaw_start/2) "Quaternion of the start";
  parameter Real q_1 = sin(roll_start/2)*cos(pitch_start/2)*cos(yaw_start/2)
    - cos(roll_start/2)*sin(pitch_start/2)*sin(yaw_start/2) "Quaternion of the start";
  parameter Real q_2 = cos(roll_start/2)*sin(pitch_start/2)*cos(yaw_start/2)
    + sin(roll_start/2)*cos(pitch_start/2)*sin(yaw_start/2) "Quaternion of the start";
  parameter Real q_3 = cos(roll_start/2)*cos(pitch_start/2)*sin(yaw_start/2)
    - sin(roll_start/2)*sin(pitch_start/2)*cos(yaw_start/2) "Quaternion of the start";
  Real sigma_1(start=q_1/(1 + q_0), fixed=true) "Modified Rodrigues parameter of the attitude";
  Real sigma_2(start=q_2/(1 + q_0), fixed=true) "Modified Rodrigues parameter of the attitude";
  Real sigma_3(start=q_3/(1 + q_0), fixed=true) "Modified Rodrigues parameter of the attitude";
  Real sigma[3] "Modified Rodrigues parameters, e tan(angle/4)";
  Real n2 "Square of the norm of sigma";
  Real S[3,3] "Cross product matrix of sigma";
  Real R[3,3] "Rotation from the spreader's to the inertial frame";
  Real Q[3,3] "Rotation from the trolley's to the inertial frame";
  Types.AngularVelocity omega[3] "Angular velocity of the spreader, in its frame";
  Real a_omega[3](each unit="rad/s2") "Angular acceleration of the spreader, in its frame";
  Types.AngularVelocity Omega[3] "Angular velocity of the trolley";
  Real a_Omega[3](each unit="rad/s2") "Angular acceleration of the trolley";
  Types.Acceleration a[3] "Acceleration of the spreader relative to the trolley";
  parameter Types.Position X_1[3] = {C, D, h} "Rope 1 on the spreader, in its frame";
  parameter Types.Position X_2[3] = {-C, D, h} "Rope 2 on the spreader, in its frame";
  parameter Types.Position X_3[3] = {-C, -D, h} "Rope 3 on the spreader, in its frame";
  parameter Types.Position X_4[3] = {C, -D, h} "Rope 4 on the spreader, in its frame";
  parameter Types.Position Y_1[3] = {A, B, 0} "Winch 1 on the trolley, in its frame";
  parameter Types.Position Y_2[3] = {-A, B, 0} "Winch 2 on the trolley, in its frame";
  parameter Types.Position Y_3[3] = {-A, -B, 0} "Winch 3 on the trolley, in its frame";
  parameter Types.Position Y_4[3] = {A, -B, 0} "Winch 4 on the trolley, in its frame";
  Types.Position t_1[3] "Winch 1 from the trolley's centre, in the inertial frame";
  Types.Position t_2[3] "Winch 2 from the trolley's centre, in the inertial frame";
  Types.Position t_3[3] "Winch 3 from the trolley's centre, in the inertial frame";
  Types.Position t_4[3] "Winch 4 from the trolley's centre, in the inertial frame";
  Types.Position c_1[3] "Rope 1, from trolley to spreader";
  Types.Position c_2[3] "Rope 2, from trolley to spreader";
  Types.Position c_3[3] "Rope 3, from trolley to spreader";
  Types.Position c_4[3] "Rope 4, from trolley to spreader";
  Types.Velocity v_c_1[3] "Time derivative of c_1";
  Types.Velocity v_c_2[3] "Time derivative of c_2";
  Types.Velocity v_c_3[3] "Time derivative of c_3";
  Types.Velocity v_c_4[3] "Time derivative of c_4";
  Types.Acceleration a_c_1[3] "Second time derivative of c_1";
  Types.Acceleration a_c_2[3] "Second time derivative of c_2";
  Types.Acceleration a_c_3[3] "Second time derivative of c_3";
  Types.Acceleration a_c_4[3] "Second time derivative of c_4";
  Real e_1[3] "Direction of rope 1";
  Real e_2[3] "Direction of rope 2";
  Real e_3[3] "Direction of rope 3";
  Real e_4[3] "Direction of rope 4";

equation
  connect(F_wind_x, wind_x);
  connect(F_wind_y, wind_y);
  connect(F_wind_z, wind_z);

  der(x_t) = v_x_t;
  der(y_t) = v_y_t;
  der(theta) = v_theta;
  der(x) = v_x;
  der(y) = v_y;
  der(z) = v_z;

  // Attitudes of spreader and trolley
  sigma = {sigma_1, sigma_2, sigma_3};
  omega = {omega_1, omega_2, omega_3};
  n2 = sigma*sigma;
  {der(sigma_1), der(sigma_2), der(sigma_3)}
    = ((1 - n2)*omega + 2*cross(sigma, omega) + 2*(sigma*omega)*sigma)/4;
  S = skew(sigma);
  R = identity(3) + (8*S*S + 4*(1 - n2)*S)/(1 + n2)^2;
  a_omega = {der(omega_1), der(omega_2), der(omega_3)};
  Q = [cos(theta), -sin(theta), 0; sin(theta), cos(theta), 0; 0, 0, 1];
  Omega = {0, 0, v_theta};
  a_Omega = {0, 0, der(v_theta)};
  a = {der(v_x) - der(v_x_t), der(v_y) - der(v_y_t), der(v_z)};

  // Ropes
  t_1 = Q*Y_1;
  t_2 = Q*Y_2;
  t_3 = Q*Y_3;
  t_4 = Q*Y_4;
  c_1 = {x - x_t, y - y_t, z} + R*X_1 - t_1;
  c_2 = {x - x_t, y - y_t, z} + R*X_2 - t_2;
  c_3 = {x - x_t, y - y_t, z} + R*X_3 - t_3;
  c_4 = {x - x_t, y - y_t, z} + R*X_4 - t_4;
  v_c_1 = {v_x - v_x_t, v_y - v_y_t, v_z} + R*cross(omega, X_1) - cross(Omega, t_1);
  v_c_2 = {v_x - v_x_t, v_y - v_y_t, v_z} + R*cross(omega, X_2) - cross(Omega, t_2);
  v_c_3 = {v_x - v_x_t, v_y - v_y_t, v_z} + R*cross(omega, X_3) - cross(Omega, t_3);
  v_c_4 = {v_x - v_x_t, v_y - v_y_t, v_z} + R*cross(omega, X_4) - cross(Omega, t_4);
  a_c_1 = a + R*(cross(a_omega, X_1) + cross(omega, cross(omega, X_1)))
    - cross(a_Omega, t_1) - cross(Omega, cross(Omega, t_1));
  a_c_2 = a + R*(cross(a_omega, X_2) + cross(omega, cross(omega, X_2)))
    - cross(a_Omega, t_2) - cross(Omega, cross(Omega, t_2));
  a_c_3 = a + R*(cross(a_omega, X_3) + cross(omega, cross(omega, X_3)))
    - cross(a_Omega, t_3) - cross(Omega, cross(Omega, t_3));
  a_c_4 = a + R*(cross(a_omega, X_4) + cross(omega, cross(omega, X_4)))
    - cross(a_Omega, t_4) - cross(Omega, cross(Omega, t_4));
  l_1 = sqrt(c_1*c_1);
  l_2 = sqrt(c_2*c_2);
  l_3 = sqrt(c_3*c_3);
  l_4 = sqrt(c_4*c_4);
  e_1 = c_1/l_1;
  e_2 = c_2/l_2;
  e_3 = c_3/l_3;
  e_4 = c_4/l_4;
  v_l_1 = e_1*v_c_1;
  v_l_2 = e_2*v_c_2;
  v_l_3 = e_3*v_c_3;
  v_l_4 = e_4*v_c_4;

  // Spreader: Newton and Euler
  m*{der(v_x), der(v_y), der(v_z)} = {wind_x, wind_y, wind_z - m*g}
    - T_1*e_1 - T_2*e_2 - T_3*e_3 - T_4*e_4;
  {J_x*a_omega[1], J_y*a_omega[2], J_z*a_omega[3]}
    + cross(omega, {J_x*omega_1, J_y*omega_2, J_z*omega_3})
    = -cross(X_1, transpose(R)*e_1)*T_1 - cross(X_2, transpose(R)*e_2)*T_2
      - cross(X_3, transpose(R)*e_3)*T_3 - cross(X_4, transpose(R)*e_4)*T_4;

  // Trolley and winches
  m_t*der(v_x_t) = F_x + T_1*e_1[1] + T_2*e_2[1] + T_3*e_3[1] + T_4*e_4[1];
  m_t*der(v_y_t) = F_y + T_1*e_1[2] + T_2*e_2[2] + T_3*e_3[2] + T_4*e_4[2];
  J_t*der(v_theta) = M_t + T_1*(t_1[1]*e_1[2] - t_1[2]*e_1[1])
    + T_2*(t_2[1]*e_2[2] - t_2[2]*e_2[1]) + T_3*(t_3[1]*e_3[2] - t_3[2]*e_3[1])
    + T_4*(t_4[1]*e_4[2] - t_4[2]*e_4[1]);
  J_w/r_w^2*(e_1*a_c_1 + (v_c_1*v_c_1 - v_l_1^2)/l_1) = M_1/r_w + T_1;
  J_w/r_w^2*(e_2*a_c_2 + (v_c_2*v_c_2 - v_l_2^2)/l_2) = M_2/r_w + T_2;
  J_w/r_w^2*(e_3*a_c_3 + (v_c_3*v_c_3 - v_l_3^2)/l_3) = M_3/r_w + T_3;
  J_w/r_w^2*(e_4*a_c_4 + (v_c_4*v_c_4 - v_l_4^2)/l_4) = M_4/r_w + T_4;

  yaw = atan2(R[2, 1], R[1, 1]);
  pitch = -asin(R[3, 1]);
  roll = atan2(R[3, 2], R[3, 3]);
  warp = l_1 - l_2 + l_3 - l_4;
  energy = m_t*(v_x_t^2 + v_y_t^2)/2 + J_t*v_theta^2/2
    + J_w/r_w^2*(v_l_1^2 + v_l_2^2 + v_l_3^2 + v_l_4^2)/2
    + m*(v_x^2 + v_y^2 + v_z^2)/2 + (J_x*omega_1^2 + J_y*omega_2^2 + J_z*omega_3^2)/2 + m*g*z;

  annotation (
    experiment(StartTime=0, StopTime=20, Tolerance=1e-9),
    Documentation(info="<html>
<p>A trolley (<code>m_t</code>, <code>J_t</code>) moves along x and y and slews by <code>theta</code>
about the vertical. At its corners, <code>(A, B)</code>, <code>(-A, B)</code>, <code>(-A, -B)</code>,
<code>(A, -B)</code> in its frame, stand four winches (<code>J_w</code>, <code>r_w</code>). Their ropes
carry a spreader with a box, a rigid body (<code>m</code>; <code>J_x</code>, <code>J_y</code>,
<code>J_z</code>), at the points <code>(C, D, h)</code>, <code>(-C, D, h)</code>,
<code>(-C, -D, h)</code>, <code>(C, -D, h)</code> in its frame. Nine degrees of freedom, seven
drives.</p>
<p>Coordinates: the trolley, the spreader's centre of mass <code>r</code> and its attitude in modified
Rodrigues parameters <code>sigma = e tan(angle/4)</code> with the body rates <code>omega</code>, regular
up to a full turn; the rope lengths follow from them. With the points <code>X_i</code> of the spreader and
<code>t_i</code> of the trolley, <code>Omega = theta' e_z</code>:</p>
<pre>c_i = r + R X_i - (x_t, y_t, 0) - t_i,   l_i = |c_i|,   e_i = c_i/l_i
c_i'' = r'' - (x_t'', y_t'', 0) + R (omega' x X_i + omega x (omega x X_i))
        - Omega' x t_i - Omega x (Omega x t_i)
sigma' = ((1 - |sigma|^2) omega + 2 sigma x omega + 2 (sigma.omega) sigma)/4
R = 1 + (8 S S + 4 (1 - |sigma|^2) S)/(1 + |sigma|^2)^2,   S = cross product matrix of sigma
m r''                      = F_wind - m g e_z - sum T_i e_i
J omega' + omega x J omega = -sum X_i x R^T T_i e_i
m_t (x_t'', y_t'')         = (F_x, F_y) + sum T_i (e_ix, e_iy)
J_t theta''                = M_t + sum T_i e_z.(t_i x e_i)
J_w/r_w^2 l_i''            = M_i/r_w + T_i,   l_i'' = e_i.c_i'' + (|c_i'|^2 - l_i'^2)/l_i</pre>
<p>The outputs <code>yaw</code>, <code>pitch</code>, <code>roll</code> are the angles of
<code>R = R_z(yaw) R_y(pitch) R_x(roll)</code>; they are singular at <code>pitch = pi/2</code>, the states
are not. Four ropes of a rigid body share its weight as their winches pull: the ropes' forces follow
from the torques, also where one of them is negative and a real rope would be slack. A difference
<code>T_1 - T_2 + T_3 - T_4</code> turns the level spreader unless <code>A D = B C</code>: then it is
prestress without effect, and <code>warp = l_1 - l_2 + l_3 - l_4</code> does not feel <code>theta</code>.</p>
<p>Equilibrium at the default start: <code>F_x = F_y = M_t = 0</code> and four ropes with the same force
<code>m g l_i/(4 (-z - h))</code>, <code>M_i = -r_w T_i</code> (-5913.4 N.m), which are the start values
of the inputs.</p>
</html>"));
end SpreaderCrane;
