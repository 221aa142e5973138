within Cranes;
model NavyCrane2D "Planar US Navy crane with massless pulley: two ropes, two winches"
  extends Icons.Crane;
  extends Interfaces.PlanarWind;

  parameter Types.Mass m = 100 "Mass of the load";
  parameter Types.Inertia J_1 = 0.1 "Moment of inertia of winch 1 (lower, at A)";
  parameter Types.Inertia J_2 = 0.1 "Moment of inertia of winch 2 (upper, at P)";
  parameter Types.Length r_1 = 0.1 "Radius of winch 1";
  parameter Types.Length r_2 = 0.1 "Radius of winch 2";
  parameter Types.Angle alpha = 1.0471975511965976 "Angle of the boom to the vertical";
  parameter Types.Length l = 10 "Distance of A from P along the boom";
  parameter Types.Acceleration g = 9.81 "Gravity";

  parameter Types.Position x_0_start = 0 "Start value of x_0";
  parameter Types.Position z_0_start = -5 "Start value of z_0";
  parameter Types.Length L_2_start = 15 "Start value of L_2";
  parameter Types.Velocity v_L_1_start = 0 "Start value of v_L_1";
  parameter Types.AngularVelocity v_beta_start = 0 "Start value of v_beta";
  parameter Types.Velocity v_d_start = 0 "Start value of v_d";

  input Types.Torque u_1(start=0) "Torque on winch 1, positive pays rope out";
  input Types.Torque u_2(start=-m*g*r_2) "Torque on winch 2, positive pays rope out";
  Interfaces.ForceInput F_wind_x(start=0) if useWind "Wind force on the load, horizontal";
  Interfaces.ForceInput F_wind_z(start=0) if useWind "Wind force on the load, vertical";

  output Types.Position x "Load, horizontal";
  output Types.Position z "Load, vertical";
  output Types.Velocity v_x "Velocity of the load, horizontal";
  output Types.Velocity v_z "Velocity of the load, vertical";
  output Types.Position L_1(start=sqrt((x_0_start + l*sin(alpha))^2 + (z_0_start + l*cos(alpha))^2),
    fixed=true) "Length of rope 1, from A to the pulley";
  output Types.Position L_2 "Length of rope 2, from P over the pulley to the load";
  output Types.Position L_0 "Length of rope 2 from P to the pulley";
  output Types.Position x_0 "Pulley, horizontal";
  output Types.Position z_0 "Pulley, vertical";
  output Types.Velocity v_L_1(start=v_L_1_start, fixed=true) "Velocity of rope 1";
  output Types.Velocity v_L_2 "Velocity of rope 2";
  output Types.Angle beta(start=atan2(z_0_start + l*cos(alpha), x_0_start + l*sin(alpha)),
    fixed=true) "Angle of rope 1 above the horizontal";
  output Types.AngularVelocity v_beta(start=v_beta_start, fixed=true) "Angular velocity of rope 1";
  output Types.Position d(start=L_2_start - sqrt(x_0_start^2 + z_0_start^2), fixed=true)
    "Length of rope 2 from the pulley to the load";
  output Types.Velocity v_d(start=v_d_start, fixed=true) "Time derivative of d";
  output Types.Angle theta
    "Swing angle of the load below the pulley, zero for a vertical rope, positive towards positive x";
  output Types.Force T_cable1_A "Force in rope 1, positive pulls";
  output Types.Force T_cable2_upper_P "Force in rope 2 above the pulley, positive pulls";
  output Types.Force T_cable2_lower_load "Force in rope 2 below the pulley, positive pulls";
  output Types.Energy energy "Kinetic and potential energy, the latter zero at P";

protected
  Real e_1[2] "Direction of rope 1, from A to the pulley";
  Real n_1[2] "e_1 turned by +90 degrees";
  Real e_0[2] "Direction of the upper part of rope 2, from P to the pulley";
  Real n_0[2] "e_0 turned by +90 degrees";
  Real e[2] "Direction of the lower part of rope 2, from the pulley to the load";
  Real n[2] "e turned by +90 degrees";
  Real c "Cosine of the angle between rope 1 and rope 2";
  Types.Velocity v_B[2] "Velocity of the pulley";
  Types.Acceleration a_B[2] "Acceleration of the pulley";
  Types.Velocity v_L_0 "Time derivative of L_0";
  Types.Acceleration a_L_0 "Second time derivative of L_0";
  Types.AngularVelocity v_eta "Angular velocity of the upper part of rope 2";
  Real a_eta(unit="rad/s2") "Angular acceleration of the upper part of rope 2";
  Types.AngularVelocity v_chi "Angular velocity of the lower part of rope 2";
  Types.Acceleration a_C[2] "Acceleration of the load";

equation
  connect(F_wind_x, wind_x);
  connect(F_wind_z, wind_z);

  der(L_1) = v_L_1;
  der(beta) = v_beta;
  der(d) = v_d;

  // Rope 1 and pulley B = A + L_1 e_1
  e_1 = {cos(beta), sin(beta)};
  n_1 = {-sin(beta), cos(beta)};
  x_0 = -l*sin(alpha) + L_1*e_1[1];
  z_0 = -l*cos(alpha) + L_1*e_1[2];
  v_B = v_L_1*e_1 + L_1*v_beta*n_1;
  a_B = (der(v_L_1) - L_1*v_beta^2)*e_1 + (L_1*der(v_beta) + 2*v_L_1*v_beta)*n_1;

  // Upper part of rope 2, from P to B
  L_0 = sqrt(x_0^2 + z_0^2);
  e_0 = {x_0, z_0}/L_0;
  n_0 = {-e_0[2], e_0[1]};
  v_L_0 = e_0*v_B;
  v_eta = n_0*v_B/L_0;
  a_L_0 = e_0*a_B + L_0*v_eta^2;
  a_eta = (n_0*a_B - 2*v_L_0*v_eta)/L_0;

  // Lower part: the massless pulley sits where rope 1 halves the angle between both parts
  c = -e_1*e_0;
  e = 2*c*e_1 + e_0;
  n = {-e[2], e[1]};
  v_chi = 2*v_beta - v_eta;
  x = x_0 + d*e[1];
  z = z_0 + d*e[2];
  {v_x, v_z} = v_B + v_d*e + d*v_chi*n;
  a_C = a_B + (der(v_d) - d*v_chi^2)*e + (d*(2*der(v_beta) - a_eta) + 2*v_d*v_chi)*n;

  // Newton's law for the load, balance of the pulley along rope 1, winches
  m*a_C = {wind_x, wind_z - m*g} - T_cable2_lower_load*e;
  T_cable1_A = 2*c*T_cable2_lower_load;
  J_1/r_1^2*der(v_L_1) = u_1/r_1 + T_cable1_A;
  J_2/r_2^2*(a_L_0 + der(v_d)) = u_2/r_2 + T_cable2_lower_load;

  T_cable2_upper_P = T_cable2_lower_load;
  L_2 = L_0 + d;
  v_L_2 = v_L_0 + v_d;
  theta = atan2(e[1], -e[2]);
  energy = J_1/r_1^2*v_L_1^2/2 + J_2/r_2^2*v_L_2^2/2 + m*(v_x^2 + v_z^2)/2 + m*g*z;

  annotation (
    experiment(StartTime=0, StopTime=5, Tolerance=1e-9),
    Documentation(info="<html>
<p>Winch 2 at <code>P = (0, 0)</code>, the top of the boom, and winch 1 at
<code>A = -l (sin(alpha), cos(alpha))</code>, further down. Rope 2 runs from P over a massless pulley
B to the load C; rope 1 pulls the pulley towards A. The pulley has no inertia: the forces on it
balance at every time,</p>
<pre>T_1 e_1 = T_2 (e_BP + e_BC),</pre>
<p>so rope 1 halves the angle between both parts of rope 2 and
<code>e_BC = 2 (e_1.e_BP) e_1 - e_BP</code>. The crane has therefore three dynamic degrees of
freedom, and the coordinates <code>L_1</code>, <code>beta</code> (angle of rope 1) and
<code>d</code> (free rope below the pulley) give everything explicitly:</p>
<pre>B = A + L_1 e_1,   e_1 = (cos(beta), sin(beta)),   C = B + d e_BC,   L_2 = |B| + d
m C''          = F_wind - m g e_z - T_2 e_BC
T_1            = 2 T_2 (e_1.e_BP)
J_1/r_1^2 L_1'' = u_1/r_1 + T_1
J_2/r_2^2 L_2'' = u_2/r_2 + T_2</pre>
<p>With the angle <code>delta</code> between rope 1 and the upper part of rope 2 the coordinates are
regular as long as <code>L_1 cos(delta) + d (2 + L_1/L_0 cos(delta)) &gt; 0</code>: always while rope
1 pulls, and also at <code>T_1 = 0</code>, where the form with redundant coordinates is singular.</p>
<p>While rope 1 would have to push, the motion can run into the fold where that sum vanishes: there the
rope forces grow without bound and a simulation stops. A real rope would be slack long before.</p>
<p>Equilibrium at the default start: <code>u_1 = 0</code> (rope 1 is without force there),
<code>u_2 = -m g r_2</code>.</p>
</html>"));
end NavyCrane2D;
