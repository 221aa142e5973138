within Cranes;
model NavyCrane3D "US Navy crane with slewing boom and massless pulley: two ropes"
  extends Icons.Crane;
  extends Interfaces.SpatialWind;

  parameter Types.Mass m = 100 "Mass of the load";
  parameter Types.Mass M = 6.4 "Mass of the boom, lumped at P: M r^2 is its moment of inertia";
  parameter Types.Inertia J_1 = 0.1 "Moment of inertia of winch 1 (at A)";
  parameter Types.Inertia J_3 = 0.1 "Moment of inertia of winch 3 (at P)";
  parameter Types.Length r_1 = 0.1 "Radius of winch 1";
  parameter Types.Length r_3 = 0.1 "Radius of winch 3";
  parameter Types.Length r = 8.660254037844386 "Distance of P from the slewing axis";
  parameter Types.Position z_3 = 5 "Height of P";
  parameter Real beta_1 = 0.5 "Position of A on the line from the origin to P: A = beta_1 P";
  parameter Types.Acceleration g = 9.81 "Gravity";

  parameter Types.Angle phi_start = 0 "Start value of phi";
  parameter Types.Position x_0_start = 8.660254037844386 "Start value of x_0";
  parameter Types.Position y_0_start = 0 "Start value of y_0";
  parameter Types.Position z_0_start = 2.5 "Start value of z_0";
  parameter Types.Length L_3_start = 20 "Start value of L_3";
  parameter Types.AngularVelocity v_phi_start = 0 "Start value of v_phi";
  parameter Types.AngularVelocity v_psi_start = 0 "Start value of v_psi";
  parameter Types.Velocity v_L_1_start = 0 "Start value of v_L_1";
  parameter Types.AngularVelocity v_beta_start = 0 "Start value of v_beta";
  parameter Types.Velocity v_d_start = 0 "Start value of v_d";

  input Types.Torque u_1(start=0) "Torque on winch 1, positive pays rope out";
  input Types.Torque u_3(start=-m*g*r_3) "Torque on winch 3, positive pays rope out";
  input Types.Torque u_4(start=0) "Slewing torque";
  Interfaces.ForceInput F_wind_x(start=0) if useWind "Wind force on the load, along x";
  Interfaces.ForceInput F_wind_y(start=0) if useWind "Wind force on the load, along y";
  Interfaces.ForceInput F_wind_z(start=0) if useWind "Wind force on the load, vertical";

  output Types.Position x "Load";
  output Types.Position y "Load";
  output Types.Position z "Load, vertical";
  output Types.Velocity v_x "Velocity of the load";
  output Types.Velocity v_y "Velocity of the load";
  output Types.Velocity v_z "Velocity of the load, vertical";
  output Types.Position L_1(start=sqrt(xi_start^2 + (zeta_start - beta_1*p)^2), fixed=true)
    "Length of rope 1, from A to the pulley";
  output Types.Position L_3 "Length of rope 3, from P over the pulley to the load";
  output Types.Position L_0 "Length of rope 3 from P to the pulley";
  output Types.Position x_0 "Pulley";
  output Types.Position y_0 "Pulley";
  output Types.Position z_0 "Pulley, vertical";
  output Types.Position x_3 "Top of the boom P";
  output Types.Position y_3 "Top of the boom P";
  output Types.Angle phi(start=phi_start, fixed=true) "Slewing angle";
  output Types.Velocity v_L_1(start=v_L_1_start, fixed=true) "Velocity of rope 1";
  output Types.Velocity v_L_3 "Velocity of rope 3";
  output Types.AngularVelocity v_phi(start=v_phi_start, fixed=true) "Slewing velocity";
  output Types.Angle psi(start=atan2(eta_start, xi_0_start), fixed=true)
    "Swing angle of the plane of the ropes about the line from the origin to P";
  output Types.AngularVelocity v_psi(start=v_psi_start, fixed=true) "Angular velocity of psi";
  output Types.Angle beta(start=atan2(zeta_start - beta_1*p, xi_start), fixed=true)
    "Angle of rope 1 in the plane of the ropes, zero normal to the boom";
  output Types.AngularVelocity v_beta(start=v_beta_start, fixed=true) "Angular velocity of beta";
  output Types.Position d(start=L_3_start - sqrt(xi_start^2 + (zeta_start - p)^2), fixed=true)
    "Length of rope 3 from the pulley to the load";
  output Types.Velocity v_d(start=v_d_start, fixed=true) "Time derivative of d";
  output Types.Force T_cable1_A "Force in rope 1, positive pulls";
  output Types.Force T_cable3_upper_P "Force in rope 3 above the pulley, positive pulls";
  output Types.Force T_cable3_lower_load "Force in rope 3 below the pulley, positive pulls";
  output Types.Energy energy "Kinetic and potential energy, the latter zero at z = 0";
  output Types.AngularMomentum L_z "Angular momentum about the slewing axis";

protected
  parameter Types.Length p = sqrt(r^2 + z_3^2) "Distance of P from the origin";
  parameter Real sa = r/p "Sine of the angle between boom and vertical";
  parameter Real ca = z_3/p "Cosine of the angle between boom and vertical";
  parameter Types.Position rho_start = x_0_start*cos(phi_start) + y_0_start*sin(phi_start)
    "Pulley at the start, along the boom's horizontal projection";
  parameter Types.Position eta_start = y_0_start*cos(phi_start) - x_0_start*sin(phi_start)
    "Pulley at the start, beside the boom";
  parameter Types.Position xi_0_start = rho_start*ca - z_0_start*sa
    "Pulley at the start, normal to the boom in its vertical plane";
  parameter Types.Position xi_start = sqrt(xi_0_start^2 + eta_start^2)
    "Pulley at the start, distance from the boom";
  parameter Types.Position zeta_start = rho_start*sa + z_0_start*ca
    "Pulley at the start, along the boom";
  Real e_1[2] "Direction of rope 1, from A to the pulley, in the plane";
  Real n_1[2] "e_1 turned by +90 degrees";
  Real e_0[2] "Direction of the upper part of rope 3, from P to the pulley";
  Real n_0[2] "e_0 turned by +90 degrees";
  Real e[2] "Direction of the lower part of rope 3, from the pulley to the load";
  Real n[2] "e turned by +90 degrees";
  Real c "Cosine of the angle between rope 1 and rope 3";
  Types.Position B[2] "Pulley in the plane";
  Types.Velocity v_B[2] "Velocity of the pulley in the plane";
  Types.Acceleration a_B[2] "Acceleration of the pulley in the plane";
  Types.Velocity v_L_0 "Time derivative of L_0";
  Types.Acceleration a_L_0 "Second time derivative of L_0";
  Types.AngularVelocity v_eta "Angular velocity of the upper part of rope 3 in the plane";
  Real a_eta(unit="rad/s2") "Angular acceleration of the upper part of rope 3 in the plane";
  Types.AngularVelocity v_chi "Angular velocity of the lower part of rope 3 in the plane";
  Types.Position C[3] "Load, in the frame of the plane (in it, normal to it, along the boom)";
  Types.Velocity w[3] "Velocity of the load relative to the plane";
  Types.Acceleration q[3] "Acceleration of the load relative to the plane";
  Types.AngularVelocity omega[3] "Angular velocity of the plane, in its frame";
  Real a_omega[3](each unit="rad/s2") "Angular acceleration of the plane, in its frame";
  Types.Velocity v[3] "Velocity of the load, in the frame of the plane";
  Real up[3] "Vertical axis, in the frame of the plane";
  Real R[3,3] "Axes of the plane in the inertial frame, as columns";

equation
  connect(F_wind_x, wind_x);
  connect(F_wind_y, wind_y);
  connect(F_wind_z, wind_z);

  der(phi) = v_phi;
  der(psi) = v_psi;
  der(L_1) = v_L_1;
  der(beta) = v_beta;
  der(d) = v_d;

  // In the plane of the ropes, which contains the origin, A, P, pulley and load: as NavyCrane2D
  e_1 = {cos(beta), sin(beta)};
  n_1 = {-sin(beta), cos(beta)};
  B = {0, beta_1*p} + L_1*e_1;
  v_B = v_L_1*e_1 + L_1*v_beta*n_1;
  a_B = (der(v_L_1) - L_1*v_beta^2)*e_1 + (L_1*der(v_beta) + 2*v_L_1*v_beta)*n_1;
  L_0 = sqrt(B[1]^2 + (B[2] - p)^2);
  e_0 = {B[1], B[2] - p}/L_0;
  n_0 = {-e_0[2], e_0[1]};
  v_L_0 = e_0*v_B;
  v_eta = n_0*v_B/L_0;
  a_L_0 = e_0*a_B + L_0*v_eta^2;
  a_eta = (n_0*a_B - 2*v_L_0*v_eta)/L_0;
  c = -e_1*e_0;
  e = 2*c*e_1 + e_0;
  n = {-e[2], e[1]};
  v_chi = 2*v_beta - v_eta;
  C = {B[1] + d*e[1], 0, B[2] + d*e[2]};
  w = {v_B[1] + v_d*e[1] + d*v_chi*n[1], 0, v_B[2] + v_d*e[2] + d*v_chi*n[2]};
  {q[1], q[3]} = a_B + (der(v_d) - d*v_chi^2)*e
    + (d*(2*der(v_beta) - a_eta) + 2*v_d*v_chi)*n;
  q[2] = 0;

  // Rotation of the plane about the fixed origin
  up = {-sa*cos(psi), sa*sin(psi), ca};
  omega = v_phi*up + {0, 0, v_psi};
  a_omega = der(v_phi)*up + {v_phi*v_psi*sa*sin(psi), v_phi*v_psi*sa*cos(psi), der(v_psi)};
  v = w + cross(omega, C);

  // Newton's law for the load, balance of the pulley along rope 1, winches, boom
  m*(q + cross(a_omega, C) + 2*cross(omega, w) + cross(omega, cross(omega, C)))
    = {wind_x, wind_y, wind_z}*R - m*g*up - T_cable3_lower_load*{e[1], 0, e[2]};
  T_cable1_A = 2*c*T_cable3_lower_load;
  J_1/r_1^2*der(v_L_1) = u_1/r_1 + T_cable1_A;
  J_3/r_3^2*(a_L_0 + der(v_d)) = u_3/r_3 + T_cable3_lower_load;
  M*r^2*der(v_phi) = u_4 + T_cable3_lower_load*(up*cross(C, {e[1], 0, e[2]}));

  // Outputs in the inertial frame
  R = [cos(phi)*ca*cos(psi) - sin(phi)*sin(psi), -cos(phi)*ca*sin(psi) - sin(phi)*cos(psi), cos(phi)*sa;
       sin(phi)*ca*cos(psi) + cos(phi)*sin(psi), -sin(phi)*ca*sin(psi) + cos(phi)*cos(psi), sin(phi)*sa;
       -sa*cos(psi), sa*sin(psi), ca];
  {x, y, z} = R*C;
  {v_x, v_y, v_z} = R*v;
  {x_0, y_0, z_0} = R*{B[1], 0, B[2]};
  {x_3, y_3} = {r*cos(phi), r*sin(phi)};
  T_cable3_upper_P = T_cable3_lower_load;
  L_3 = L_0 + d;
  v_L_3 = v_L_0 + v_d;
  energy = M*r^2*v_phi^2/2 + J_1/r_1^2*v_L_1^2/2 + J_3/r_3^2*v_L_3^2/2 + m*(v*v)/2 + m*g*z;
  L_z = M*r^2*v_phi + m*(up*cross(C, v));

  annotation (
    experiment(StartTime=0, StopTime=20, Tolerance=1e-9),
    Documentation(info="<html>
<p>The boom slews about the vertical axis through the origin; its top is
<code>P = (r cos(phi), r sin(phi), z_3)</code>, winch 1 sits at <code>A = beta_1 P</code>. Rope 3 runs
from P over a massless pulley B to the load C, rope 1 pulls the pulley towards A. The three forces on
the massless pulley balance and therefore lie in one plane: it contains the origin, A, P, B and C.
Five dynamic degrees of freedom, three drives. Coordinates: slewing angle <code>phi</code>, angle
<code>psi</code> by which the plane of the ropes has turned about the line from the origin to P, and
in the plane <code>L_1</code>, <code>beta</code>, <code>d</code> as in
<a href=\"modelica://Cranes.NavyCrane2D\">NavyCrane2D</a>.</p>
<p>With the components of load position <code>C</code> in the frame of the plane, and its angular
velocity <code>omega = phi' e_z + psi' e_P</code>:</p>
<pre>m (C'' + omega' x C + 2 omega x C' + omega x (omega x C)) = F_wind - m g e_z - T_3 e_BC
T_1              = 2 T_3 (e_1.e_BP)
J_1/r_1^2 L_1''  = u_1/r_1 + T_1
J_3/r_3^2 L_3''  = u_3/r_3 + T_3
M r^2 phi''      = u_4 + T_3 e_z.(C x e_BC)</pre>
<p>The last term is the moment of both ropes on the boom: their forces meet in B and add up to
<code>T_3 e_BC</code> there.</p>
<p>As there, the motion can run into a fold, where a simulation stops, while rope 1 would have to
push.</p>
<p>Equilibrium at the default start: <code>u_1 = u_4 = 0</code> (rope 1 is without force there),
<code>u_3 = -m g r_3</code>.</p>
</html>"));
end NavyCrane3D;
