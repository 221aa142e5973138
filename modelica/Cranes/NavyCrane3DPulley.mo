within Cranes;
model NavyCrane3DPulley "US Navy crane with slewing boom and massive pulley: three ropes"
  extends Icons.Crane;
  extends Interfaces.SpatialWind;

  parameter Types.Mass m = 100 "Mass of the load";
  parameter Types.Mass m_0 = 5 "Mass of the pulley";
  parameter Types.Mass M = 6.4 "Mass of the boom, lumped at P: M r^2 is its moment of inertia";
  parameter Types.Inertia J_1 = 0.1 "Moment of inertia of winch 1 (at A)";
  parameter Types.Inertia J_2 = 0.1 "Moment of inertia of winch 2 (at S)";
  parameter Types.Inertia J_3 = 0.1 "Moment of inertia of winch 3 (at P)";
  parameter Types.Length r_1 = 0.1 "Radius of winch 1";
  parameter Types.Length r_2 = 0.1 "Radius of winch 2";
  parameter Types.Length r_3 = 0.1 "Radius of winch 3";
  parameter Types.Length r = 8.660254037844386 "Distance of P from the slewing axis";
  parameter Types.Position z_3 = 5 "Height of P";
  parameter Real beta_1 = 0.5 "Position of A on the line from the origin to P: A = beta_1 P";
  parameter Real beta_2 = 1.5 "Position of S on the line from the origin to P: S = beta_2 P";
  parameter Types.Acceleration g = 9.81 "Gravity";

  parameter Types.Angle phi_start = 0 "Start value of phi";
  parameter Types.Position x_0_start = 8.660254037844386 "Start value of x_0";
  parameter Types.Position y_0_start = 0 "Start value of y_0";
  parameter Types.Position z_0_start = 2.5 "Start value of z_0";
  parameter Types.Position x_start = 8.660254037844386 "Start value of x";
  parameter Types.Position y_start = 0 "Start value of y";
  parameter Types.Position z_start = -15 "Start value of z";
  parameter Types.AngularVelocity v_phi_start = 0 "Start value of v_phi";
  parameter Types.Velocity v_L_2_start = 0 "Start value of v_L_2";
  parameter Types.AngularVelocity v_kappa_1_start = 0 "Start value of v_kappa_1";
  parameter Types.AngularVelocity v_kappa_2_start = 0 "Start value of v_kappa_2";
  parameter Types.Velocity v_d_start = 0 "Start value of v_d";
  parameter Types.AngularVelocity v_theta_1_start = 0 "Start value of v_theta_1";
  parameter Types.AngularVelocity v_theta_2_start = 0 "Start value of v_theta_2";

  input Types.Torque u_1(start=-4.247854605562668) "Torque on winch 1, positive pays rope out";
  input Types.Torque u_2(start=-6.488705090385903) "Torque on winch 2, positive pays rope out";
  input Types.Torque u_3(start=-98.1) "Torque on winch 3, positive pays rope out";
  input Types.Torque u_4(start=0) "Slewing torque";
  Interfaces.ForceInput F_wind_x(start=0) if useWind "Wind force on the load, along x";
  Interfaces.ForceInput F_wind_y(start=0) if useWind "Wind force on the load, along y";
  Interfaces.ForceInput F_wind_z(start=0) if useWind "Wind force on the load, vertical";

  output Types.Position x "Load";
  output Types.Position y "Load";
  output Types.Position z "Load, vertical";
  output Types.Position z_0 "Pulley, vertical";
  output Types.Position x_0 "Pulley";
  output Types.Position y_0 "Pulley";
  output Types.Velocity v_x "Velocity of the load";
  output Types.Velocity v_y "Velocity of the load";
  output Types.Velocity v_z "Velocity of the load, vertical";
  output Types.Velocity v_z_0 "Velocity of the pulley, vertical";
  output Types.Position L_1 "Length of rope 1, from A to the pulley";
  output Types.Position L_2(start=sqrt(a_1^2 + a_2^2 + a_3^2), fixed=true)
    "Length of rope 2, from S to the pulley";
  output Types.Position L_3 "Length of rope 3, from P over the pulley to the load";
  output Types.Position L_0 "Length of rope 3 from P to the pulley";
  output Types.Position x_3 "Top of the boom P";
  output Types.Position y_3 "Top of the boom P";
  output Types.Angle phi(start=phi_start, fixed=true) "Slewing angle";
  output Types.Velocity v_L_1 "Velocity of rope 1";
  output Types.Velocity v_L_2(start=v_L_2_start, fixed=true) "Velocity of rope 2";
  output Types.Velocity v_L_3 "Velocity of rope 3";
  output Types.AngularVelocity v_phi(start=v_phi_start, fixed=true) "Slewing velocity";
  output Types.Angle kappa_1(start=atan2(-a_2, -a_3), fixed=true)
    "Swing angle of rope 2 about the boom's horizontal direction";
  output Types.Angle kappa_2(start=atan2(a_1, sqrt(a_2^2 + a_3^2)), fixed=true)
    "Swing angle of rope 2 towards the boom's horizontal direction";
  output Types.AngularVelocity v_kappa_1(start=v_kappa_1_start, fixed=true)
    "Angular velocity of kappa_1";
  output Types.AngularVelocity v_kappa_2(start=v_kappa_2_start, fixed=true)
    "Angular velocity of kappa_2";
  output Types.Position d(start=sqrt(b_1^2 + b_2^2 + b_3^2), fixed=true)
    "Length of rope 3 from the pulley to the load";
  output Types.Velocity v_d(start=v_d_start, fixed=true) "Time derivative of d";
  output Types.Angle theta_1(start=atan2(-b_2, -b_3), fixed=true)
    "Swing angle of the load about the boom's horizontal direction";
  output Types.Angle theta_2(start=atan2(b_1, sqrt(b_2^2 + b_3^2)), fixed=true)
    "Swing angle of the load towards the boom's horizontal direction";
  output Types.AngularVelocity v_theta_1(start=v_theta_1_start, fixed=true)
    "Angular velocity of theta_1";
  output Types.AngularVelocity v_theta_2(start=v_theta_2_start, fixed=true)
    "Angular velocity of theta_2";
  output Types.Force T_cable1_A "Force in rope 1, positive pulls";
  output Types.Force T_cable2_S "Force in rope 2, positive pulls";
  output Types.Force T_cable3_upper_P "Force in rope 3 above the pulley, positive pulls";
  output Types.Force T_cable3_lower_load "Force in rope 3 below the pulley, positive pulls";
  output Types.Energy energy "Kinetic and potential energy, the latter zero at z = 0";
  output Types.AngularMomentum L_z "Angular momentum about the slewing axis";

protected
  parameter Types.Position a_1 = x_0_start*cos(phi_start) + y_0_start*sin(phi_start) - beta_2*r
    "Pulley from S at the start, along the boom's horizontal direction";
  parameter Types.Position a_2 = y_0_start*cos(phi_start) - x_0_start*sin(phi_start)
    "Pulley from S at the start, beside the boom";
  parameter Types.Position a_3 = z_0_start - beta_2*z_3 "Pulley from S at the start, vertical";
  parameter Types.Position b_1 = (x_start - x_0_start)*cos(phi_start)
    + (y_start - y_0_start)*sin(phi_start)
    "Load from pulley at the start, along the boom's horizontal direction";
  parameter Types.Position b_2 = (y_start - y_0_start)*cos(phi_start)
    - (x_start - x_0_start)*sin(phi_start) "Load from pulley at the start, beside the boom";
  parameter Types.Position b_3 = z_start - z_0_start "Load from pulley at the start, vertical";
  // All vectors in the frame that slews with the boom: outwards, sidewards, upwards
  Real k[3] "Direction from S to the pulley";
  Real k_1[3] "Derivative of k by kappa_1";
  Real k_2[3] "Derivative of k by kappa_2";
  Real k_v[3] "Time derivative of k";
  Real k_a[3] "Second time derivative of k";
  Real n[3] "Direction from the pulley to the load";
  Real n_1[3] "Derivative of n by theta_1";
  Real n_2[3] "Derivative of n by theta_2";
  Real n_v[3] "Time derivative of n";
  Real n_a[3] "Second time derivative of n";
  Types.Position B[3] "Pulley";
  Types.Position C[3] "Load";
  Types.Velocity w_B[3] "Velocity of the pulley relative to the boom";
  Types.Velocity w_C[3] "Velocity of the load relative to the boom";
  Types.Acceleration q_B[3] "Acceleration of the pulley relative to the boom";
  Types.Acceleration q_C[3] "Acceleration of the load relative to the boom";
  Types.Acceleration acc_B[3] "Acceleration of the pulley";
  Types.Acceleration acc_C[3] "Acceleration of the load";
  Types.Velocity v_B[3] "Velocity of the pulley";
  Types.Velocity v_C[3] "Velocity of the load";
  Real e_1[3] "Direction from A to the pulley";
  Real e_0[3] "Direction from P to the pulley";
  Types.Velocity v_L_0 "Time derivative of L_0";
  Types.Acceleration a_L_1 "Second time derivative of L_1";
  Types.Acceleration a_L_0 "Second time derivative of L_0";

equation
  connect(F_wind_x, wind_x);
  connect(F_wind_y, wind_y);
  connect(F_wind_z, wind_z);

  der(phi) = v_phi;
  der(L_2) = v_L_2;
  der(kappa_1) = v_kappa_1;
  der(kappa_2) = v_kappa_2;
  der(d) = v_d;
  der(theta_1) = v_theta_1;
  der(theta_2) = v_theta_2;

  // Directions of rope 2 and of the lower part of rope 3
  k = {sin(kappa_2), -sin(kappa_1)*cos(kappa_2), -cos(kappa_1)*cos(kappa_2)};
  k_1 = {0, -cos(kappa_1)*cos(kappa_2), sin(kappa_1)*cos(kappa_2)};
  k_2 = {cos(kappa_2), sin(kappa_1)*sin(kappa_2), cos(kappa_1)*sin(kappa_2)};
  k_v = k_1*v_kappa_1 + k_2*v_kappa_2;
  k_a = k_1*der(v_kappa_1) + k_2*der(v_kappa_2) - v_kappa_2^2*k
    + {0, v_kappa_1^2*sin(kappa_1)*cos(kappa_2) + 2*v_kappa_1*v_kappa_2*cos(kappa_1)*sin(kappa_2),
       v_kappa_1^2*cos(kappa_1)*cos(kappa_2) - 2*v_kappa_1*v_kappa_2*sin(kappa_1)*sin(kappa_2)};
  n = {sin(theta_2), -sin(theta_1)*cos(theta_2), -cos(theta_1)*cos(theta_2)};
  n_1 = {0, -cos(theta_1)*cos(theta_2), sin(theta_1)*cos(theta_2)};
  n_2 = {cos(theta_2), sin(theta_1)*sin(theta_2), cos(theta_1)*sin(theta_2)};
  n_v = n_1*v_theta_1 + n_2*v_theta_2;
  n_a = n_1*der(v_theta_1) + n_2*der(v_theta_2) - v_theta_2^2*n
    + {0, v_theta_1^2*sin(theta_1)*cos(theta_2) + 2*v_theta_1*v_theta_2*cos(theta_1)*sin(theta_2),
       v_theta_1^2*cos(theta_1)*cos(theta_2) - 2*v_theta_1*v_theta_2*sin(theta_1)*sin(theta_2)};

  // Pulley and load: relative to the boom, then absolute
  B = {beta_2*r, 0, beta_2*z_3} + L_2*k;
  w_B = v_L_2*k + L_2*k_v;
  q_B = der(v_L_2)*k + 2*v_L_2*k_v + L_2*k_a;
  C = B + d*n;
  w_C = w_B + v_d*n + d*n_v;
  q_C = q_B + der(v_d)*n + 2*v_d*n_v + d*n_a;
  v_B = w_B + v_phi*{-B[2], B[1], 0};
  v_C = w_C + v_phi*{-C[2], C[1], 0};
  acc_B = q_B + der(v_phi)*{-B[2], B[1], 0} + 2*v_phi*{-w_B[2], w_B[1], 0}
    - v_phi^2*{B[1], B[2], 0};
  acc_C = q_C + der(v_phi)*{-C[2], C[1], 0} + 2*v_phi*{-w_C[2], w_C[1], 0}
    - v_phi^2*{C[1], C[2], 0};

  // Ropes from A and P to the pulley
  L_1 = sqrt((B[1] - beta_1*r)^2 + B[2]^2 + (B[3] - beta_1*z_3)^2);
  e_1 = {B[1] - beta_1*r, B[2], B[3] - beta_1*z_3}/L_1;
  v_L_1 = e_1*w_B;
  a_L_1 = e_1*q_B + (w_B*w_B - v_L_1^2)/L_1;
  L_0 = sqrt((B[1] - r)^2 + B[2]^2 + (B[3] - z_3)^2);
  e_0 = {B[1] - r, B[2], B[3] - z_3}/L_0;
  v_L_0 = e_0*w_B;
  a_L_0 = e_0*q_B + (w_B*w_B - v_L_0^2)/L_0;

  // Newton's law for load and pulley, winches, boom
  m*acc_C = {wind_x*cos(phi) + wind_y*sin(phi), wind_y*cos(phi) - wind_x*sin(phi),
    wind_z - m*g} - T_cable3_lower_load*n;
  m_0*acc_B = {0, 0, -m_0*g} - T_cable1_A*e_1 - T_cable2_S*k + T_cable3_lower_load*(n - e_0);
  J_1/r_1^2*a_L_1 = u_1/r_1 + T_cable1_A;
  J_2/r_2^2*der(v_L_2) = u_2/r_2 + T_cable2_S;
  J_3/r_3^2*(a_L_0 + der(v_d)) = u_3/r_3 + T_cable3_lower_load;
  M*r^2*der(v_phi) = u_4
    + r*(beta_1*T_cable1_A*e_1[2] + beta_2*T_cable2_S*k[2] + T_cable3_lower_load*e_0[2]);

  // Outputs in the inertial frame
  x = C[1]*cos(phi) - C[2]*sin(phi);
  y = C[1]*sin(phi) + C[2]*cos(phi);
  z = C[3];
  x_0 = B[1]*cos(phi) - B[2]*sin(phi);
  y_0 = B[1]*sin(phi) + B[2]*cos(phi);
  z_0 = B[3];
  v_x = v_C[1]*cos(phi) - v_C[2]*sin(phi);
  v_y = v_C[1]*sin(phi) + v_C[2]*cos(phi);
  v_z = v_C[3];
  v_z_0 = v_B[3];
  x_3 = r*cos(phi);
  y_3 = r*sin(phi);
  T_cable3_upper_P = T_cable3_lower_load;
  L_3 = L_0 + d;
  v_L_3 = v_L_0 + v_d;
  energy = M*r^2*v_phi^2/2 + J_1/r_1^2*v_L_1^2/2 + J_2/r_2^2*v_L_2^2/2 + J_3/r_3^2*v_L_3^2/2
    + m_0*(v_B*v_B)/2 + m*(v_C*v_C)/2 + m_0*g*z_0 + m*g*z;
  L_z = M*r^2*v_phi + m_0*(B[1]*v_B[2] - B[2]*v_B[1]) + m*(C[1]*v_C[2] - C[2]*v_C[1]);

  annotation (
    experiment(StartTime=0, StopTime=20, Tolerance=1e-9),
    Documentation(info="<html>
<p>The boom slews about the vertical axis through the origin; its top is
<code>P = (r cos(phi), r sin(phi), z_3)</code>; winch 1 sits at <code>A = beta_1 P</code>, winch 2 at
<code>S = beta_2 P</code>, winch 3 at P. Ropes 1 and 2 hold a pulley B of mass <code>m_0</code>, rope
3 runs from P over it to the load C. Seven degrees of freedom, four drives. Coordinates: slewing
angle <code>phi</code>, rope 2 with its two swing angles for the pulley, free rope <code>d</code>
with two swing angles for the load. In the frame of the boom (outwards, sidewards, upwards)</p>
<pre>B = S + L_2 k,   k = (sin(kappa_2), -sin(kappa_1) cos(kappa_2), -cos(kappa_1) cos(kappa_2))
C = B + d n,     n = (sin(theta_2), -sin(theta_1) cos(theta_2), -cos(theta_1) cos(theta_2))
L_1 = |B - A|,   L_3 = |B - P| + d</pre>
<p>and with absolute accelerations <code>a = q + phi'' e_z x R + 2 phi' e_z x w - phi'^2 (R_1, R_2,
0)</code> of a point R with relative velocity w and relative acceleration q:</p>
<pre>m a_C   = F_wind - m g e_z - T_3 n
m_0 a_B = -m_0 g e_z - T_1 e_AB - T_2 k + T_3 (n - e_PB)
J_i/r_i^2 L_i'' = u_i/r_i + T_i,   i = 1, 2, 3
M r^2 phi''     = u_4 + e_z.(A x T_1 e_AB + S x T_2 k + P x T_3 e_PB)</pre>
<p>Equilibrium at the default start: rope forces 42.479 N, 64.887 N and 981 N, torques
<code>u_i = -r_i T_i</code>, which are the start values of the inputs.</p>
</html>"));
end NavyCrane3DPulley;
