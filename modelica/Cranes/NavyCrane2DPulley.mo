within Cranes;
model NavyCrane2DPulley "Planar US Navy crane with massive pulley: three ropes, three winches"
  extends Icons.Crane;
  extends Interfaces.PlanarWind;

  parameter Types.Mass m = 100 "Mass of the load";
  parameter Types.Mass m_0 = 150 "Mass of the pulley";
  parameter Types.Inertia J_1 = 0.1 "Moment of inertia of winch 1 (at A)";
  parameter Types.Inertia J_2 = 0.1 "Moment of inertia of winch 2 (at P)";
  parameter Types.Inertia J_3 = 0.1 "Moment of inertia of winch 3 (at S)";
  parameter Types.Length r_1 = 0.1 "Radius of winch 1";
  parameter Types.Length r_2 = 0.1 "Radius of winch 2";
  parameter Types.Length r_3 = 0.1 "Radius of winch 3";
  parameter Types.Angle alpha = 1.0471975511965976 "Angle of the boom to the vertical";
  parameter Types.Length s = 5 "Distance of P from S along the boom";
  parameter Types.Length l = 10 "Distance of A from P along the boom";
  parameter Types.Acceleration g = 9.81 "Gravity";

  parameter Types.Position x_0_start = -4.330127018922193 "Start value of x_0";
  parameter Types.Position z_0_start = -12.5 "Start value of z_0";
  parameter Types.Position x_start = -4.330127018922193 "Start value of x";
  parameter Types.Position z_start = -22.5 "Start value of z";
  parameter Types.Velocity v_L_3_start = 0 "Start value of v_L_3";
  parameter Types.AngularVelocity v_kappa_start = 0 "Start value of v_kappa";
  parameter Types.Velocity v_d_start = 0 "Start value of v_d";
  parameter Types.AngularVelocity v_theta_start = 0 "Start value of v_theta";

  input Types.Torque u_1(start=-49.05) "Torque on winch 1, positive pays rope out";
  input Types.Torque u_2(start=-98.1) "Torque on winch 2, positive pays rope out";
  input Types.Torque u_3(start=-129.77410180771818)
    "Torque on winch 3, positive pays rope out";
  Interfaces.ForceInput F_wind_x(start=0) if useWind "Wind force on the load, horizontal";
  Interfaces.ForceInput F_wind_z(start=0) if useWind "Wind force on the load, vertical";

  output Types.Position x "Load, horizontal";
  output Types.Position z "Load, vertical";
  output Types.Position z_0 "Pulley, vertical";
  output Types.Position x_0 "Pulley, horizontal";
  output Types.Velocity v_x "Velocity of the load, horizontal";
  output Types.Velocity v_z "Velocity of the load, vertical";
  output Types.Velocity v_z_0 "Velocity of the pulley, vertical";
  output Types.Velocity v_x_0 "Velocity of the pulley, horizontal";
  output Types.Position L_1 "Length of rope 1, from A to the pulley";
  output Types.Position L_2 "Length of rope 2, from P over the pulley to the load";
  output Types.Position L_3(start=sqrt(x_0_start^2 + z_0_start^2), fixed=true)
    "Length of rope 3, from S to the pulley";
  output Types.Position L_0 "Length of rope 2 from P to the pulley";
  output Types.Velocity v_L_1 "Velocity of rope 1";
  output Types.Velocity v_L_2 "Velocity of rope 2";
  output Types.Velocity v_L_3(start=v_L_3_start, fixed=true) "Velocity of rope 3";
  output Types.Angle kappa(start=atan2(x_0_start, -z_0_start), fixed=true)
    "Swing angle of rope 3, zero for a vertical rope, positive towards positive x";
  output Types.AngularVelocity v_kappa(start=v_kappa_start, fixed=true) "Angular velocity of rope 3";
  output Types.Position d(start=sqrt((x_start - x_0_start)^2 + (z_start - z_0_start)^2), fixed=true)
    "Length of rope 2 from the pulley to the load";
  output Types.Velocity v_d(start=v_d_start, fixed=true) "Time derivative of d";
  output Types.Angle theta(start=atan2(x_start - x_0_start, z_0_start - z_start), fixed=true)
    "Swing angle of the load below the pulley, zero for a vertical rope, positive towards positive x";
  output Types.AngularVelocity v_theta(start=v_theta_start, fixed=true) "Angular velocity of swing";
  output Types.Force T_cable1_A "Force in rope 1, positive pulls";
  output Types.Force T_cable2_upper_P "Force in rope 2 above the pulley, positive pulls";
  output Types.Force T_cable3_S "Force in rope 3, positive pulls";
  output Types.Force T_cable2_lower_load "Force in rope 2 below the pulley, positive pulls";
  output Types.Energy energy "Kinetic and potential energy, the latter zero at S";

protected
  Real e_1[2] "Direction from A to the pulley";
  Real e_0[2] "Direction from P to the pulley";
  Real e_3[2] "Direction from S to the pulley";
  Real n_3[2] "e_3 turned by +90 degrees";
  Real e[2] "Direction from the pulley to the load";
  Real n[2] "e turned by +90 degrees";
  Types.Velocity v_B[2] "Velocity of the pulley";
  Types.Acceleration a_B[2] "Acceleration of the pulley";
  Types.Acceleration a_C[2] "Acceleration of the load";
  Types.Velocity v_L_0 "Time derivative of L_0";
  Types.Acceleration a_L_1 "Second time derivative of L_1";
  Types.Acceleration a_L_0 "Second time derivative of L_0";

equation
  connect(F_wind_x, wind_x);
  connect(F_wind_z, wind_z);

  der(L_3) = v_L_3;
  der(kappa) = v_kappa;
  der(d) = v_d;
  der(theta) = v_theta;

  // Pulley on rope 3, load on rope 2
  e_3 = {sin(kappa), -cos(kappa)};
  n_3 = {cos(kappa), sin(kappa)};
  {x_0, z_0} = L_3*e_3;
  v_B = v_L_3*e_3 + L_3*v_kappa*n_3;
  a_B = (der(v_L_3) - L_3*v_kappa^2)*e_3 + (L_3*der(v_kappa) + 2*v_L_3*v_kappa)*n_3;
  e = {sin(theta), -cos(theta)};
  n = {cos(theta), sin(theta)};
  {x, z} = {x_0, z_0} + d*e;
  {v_x, v_z} = v_B + v_d*e + d*v_theta*n;
  a_C = a_B + (der(v_d) - d*v_theta^2)*e + (d*der(v_theta) + 2*v_d*v_theta)*n;
  {v_x_0, v_z_0} = v_B;

  // Ropes from A and P to the pulley: length, velocity, acceleration
  L_1 = sqrt((x_0 + (s + l)*sin(alpha))^2 + (z_0 + (s + l)*cos(alpha))^2);
  e_1 = {x_0 + (s + l)*sin(alpha), z_0 + (s + l)*cos(alpha)}/L_1;
  v_L_1 = e_1*v_B;
  a_L_1 = e_1*a_B + (v_B*v_B - v_L_1^2)/L_1;
  L_0 = sqrt((x_0 + s*sin(alpha))^2 + (z_0 + s*cos(alpha))^2);
  e_0 = {x_0 + s*sin(alpha), z_0 + s*cos(alpha)}/L_0;
  v_L_0 = e_0*v_B;
  a_L_0 = e_0*a_B + (v_B*v_B - v_L_0^2)/L_0;

  // Newton's law for load and pulley, winches
  m*a_C = {wind_x, wind_z - m*g} - T_cable2_lower_load*e;
  m_0*a_B = {0, -m_0*g} - T_cable1_A*e_1 - T_cable3_S*e_3 + T_cable2_lower_load*(e - e_0);
  J_1/r_1^2*a_L_1 = u_1/r_1 + T_cable1_A;
  J_2/r_2^2*(a_L_0 + der(v_d)) = u_2/r_2 + T_cable2_lower_load;
  J_3/r_3^2*der(v_L_3) = u_3/r_3 + T_cable3_S;

  T_cable2_upper_P = T_cable2_lower_load;
  L_2 = L_0 + d;
  v_L_2 = v_L_0 + v_d;
  energy = J_1/r_1^2*v_L_1^2/2 + J_2/r_2^2*v_L_2^2/2 + J_3/r_3^2*v_L_3^2/2
    + m_0*(v_B*v_B)/2 + m*(v_x^2 + v_z^2)/2 + m_0*g*z_0 + m*g*z;

  annotation (
    experiment(StartTime=0, StopTime=5, Tolerance=1e-9),
    Documentation(info="<html>
<p>The boom has three winches: winch 3 at <code>S = (0, 0)</code>, winch 2 at
<code>P = -s (sin(alpha), cos(alpha))</code>, winch 1 at
<code>A = -(s + l) (sin(alpha), cos(alpha))</code>. Ropes 1 and 3 hold a pulley B of mass
<code>m_0</code>, rope 2 runs from P over it to the load C. Four degrees of freedom, three drives.
Coordinates: <code>L_3</code> and its swing angle <code>kappa</code> for the pulley, free rope
<code>d</code> and swing angle <code>theta</code> for the load:</p>
<pre>B = L_3 (sin(kappa), -cos(kappa)),   C = B + d e,   e = (sin(theta), -cos(theta))
L_1 = |B - A|,   L_2 = |B - P| + d
m C''   = F_wind - m g e_z - T_2 e
m_0 B'' = -m_0 g e_z - T_1 e_AB - T_3 e_SB + T_2 (e - e_PB)
J_i/r_i^2 L_i'' = u_i/r_i + T_i,   i = 1, 2, 3</pre>
<p>Equilibrium at the default start: rope forces 490.5 N, 981 N and 1297.74 N, torques
<code>u_i = -r_i T_i</code>, which are the start values of the inputs.</p>
</html>"));
end NavyCrane2DPulley;
