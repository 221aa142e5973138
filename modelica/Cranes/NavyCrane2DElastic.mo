within Cranes;
model NavyCrane2DElastic
  "Planar US Navy crane with elastic ropes that can only pull, and a pulley with mass"
  extends Icons.Crane;
  extends Interfaces.PlanarWind;

  parameter Types.Mass m = 100 "Mass of the load";
  parameter Types.Mass m_0 = 1 "Mass of the pulley: on slack ropes one without mass has no position";
  parameter Types.Inertia J_1 = 0.1 "Moment of inertia of winch 1 (lower, at A)";
  parameter Types.Inertia J_2 = 0.1 "Moment of inertia of winch 2 (upper, at P)";
  parameter Types.Length r_1 = 0.1 "Radius of winch 1";
  parameter Types.Length r_2 = 0.1 "Radius of winch 2";
  parameter Types.Angle alpha = 1.0471975511965976 "Angle of the boom to the vertical";
  parameter Types.Length l = 10 "Distance of A from P along the boom";
  parameter Types.Acceleration g = 9.81 "Gravity";
  parameter Types.Stiffness k_r = 1e6 "Stiffness of each rope";
  parameter Types.Damping d_r = 1e3 "Damping of each rope; 0 switches it off";
  parameter Types.Length d_min = 0.05 "Distance of pulley and load at which they meet: the end";

  parameter Types.Position x_start = -0.29333518007922044 "Start value of x";
  parameter Types.Position z_start = -14.99405586217567 "Start value of z";
  parameter Types.Position x_0_start = -0.29333518007922044 "Start value of x_0";
  parameter Types.Position z_0_start = -7.234875573174859 "Start value of z_0";
  parameter Types.Velocity v_x_start = 0 "Start value of v_x";
  parameter Types.Velocity v_z_start = 0 "Start value of v_z";
  parameter Types.Velocity v_x_0_start = 0 "Start value of v_x_0";
  parameter Types.Velocity v_z_0_start = 0 "Start value of v_z_0";
  parameter Types.Velocity v_L_1_start = 0 "Start value of v_L_1";
  parameter Types.Velocity v_L_2_start = 0 "Start value of v_L_2";
  parameter Types.Force T_1_start = 41.13490506553479 "Force in rope 1 at the start, from which L_1 follows";
  parameter Types.Force T_2_start = 981 "Force in rope 2 at the start, from which L_2 follows";

  input Types.Torque u_1(start=-T_1_start*r_1) "Torque on winch 1, positive pays rope out";
  input Types.Torque u_2(start=-T_2_start*r_2) "Torque on winch 2, positive pays rope out";
  Interfaces.ForceInput F_wind_x(start=0) if useWind "Wind force on the load, horizontal";
  Interfaces.ForceInput F_wind_z(start=0) if useWind "Wind force on the load, vertical";

  output Types.Position x(start=x_start, fixed=true) "Load, horizontal";
  output Types.Position z(start=z_start, fixed=true) "Load, vertical";
  output Types.Velocity v_x(start=v_x_start, fixed=true) "Velocity of the load, horizontal";
  output Types.Velocity v_z(start=v_z_start, fixed=true) "Velocity of the load, vertical";
  output Types.Position L_1(start=sqrt((x_0_start + l*sin(alpha))^2 + (z_0_start + l*cos(alpha))^2)
    - T_1_start/k_r, fixed=true) "Length of rope 1 that winch 1 has paid out";
  output Types.Position L_2(start=sqrt(x_0_start^2 + z_0_start^2)
    + sqrt((x_start - x_0_start)^2 + (z_start - z_0_start)^2) - T_2_start/k_r, fixed=true)
    "Length of rope 2 that winch 2 has paid out";
  output Types.Velocity v_L_1(start=v_L_1_start, fixed=true) "Velocity of rope 1 at its winch";
  output Types.Velocity v_L_2(start=v_L_2_start, fixed=true) "Velocity of rope 2 at its winch";
  output Types.Position x_0(start=x_0_start, fixed=true) "Pulley, horizontal";
  output Types.Position z_0(start=z_0_start, fixed=true) "Pulley, vertical";
  output Types.Velocity v_x_0(start=v_x_0_start, fixed=true) "Velocity of the pulley, horizontal";
  output Types.Velocity v_z_0(start=v_z_0_start, fixed=true) "Velocity of the pulley, vertical";
  output Types.Position L_0 "Distance of the pulley from P";
  output Types.Position d "Distance of the load from the pulley";
  output Types.Position stretch_1 "Elongation of rope 1; negative where it is slack";
  output Types.Position stretch_2 "Elongation of rope 2; negative where it is slack";
  output Types.Force T_cable1_A "Force in rope 1, never negative";
  output Types.Force T_cable2_upper_P "Force in rope 2 above the pulley, never negative";
  output Types.Force T_cable2_lower_load "Force in rope 2 below the pulley, never negative";
  output Types.Energy energy "Kinetic and potential energy, the latter zero at P";

  Parts.OneSidedSpring rope_1(k=k_r, d=d_r, deflection=stretch_1,
    v=e_1[1]*v_x_0 + e_1[2]*v_z_0 - v_L_1) "Rope 1, from A to the pulley";
  Parts.OneSidedSpring rope_2(k=k_r, d=d_r, deflection=stretch_2,
    v=e_0[1]*v_x_0 + e_0[2]*v_z_0 + e[1]*(v_x - v_x_0) + e[2]*(v_z - v_z_0) - v_L_2)
    "Rope 2, from P over the pulley to the load";

protected
  Types.Length D_1 "Distance of the pulley from A";
  Real e_1[2] "Direction from A to the pulley";
  Real e_0[2] "Direction from P to the pulley";
  Real e[2] "Direction from the pulley to the load";

equation
  connect(F_wind_x, wind_x);
  connect(F_wind_z, wind_z);

  der(x) = v_x;
  der(z) = v_z;
  der(x_0) = v_x_0;
  der(z_0) = v_z_0;
  der(L_1) = v_L_1;
  der(L_2) = v_L_2;

  // Geometry
  D_1 = sqrt((x_0 + l*sin(alpha))^2 + (z_0 + l*cos(alpha))^2);
  L_0 = sqrt(x_0^2 + z_0^2);
  d = sqrt((x - x_0)^2 + (z - z_0)^2);
  e_1 = {x_0 + l*sin(alpha), z_0 + l*cos(alpha)}/D_1;
  e_0 = {x_0, z_0}/L_0;
  e = {x - x_0, z - z_0}/d;

  // Ropes: rope 2 runs over the pulley without friction
  stretch_1 = D_1 - L_1;
  stretch_2 = L_0 + d - L_2;
  T_cable1_A = rope_1.force;
  T_cable2_upper_P = rope_2.force;
  T_cable2_lower_load = rope_2.force;

  // Newton's law for load and pulley, winches
  m*der(v_x) = wind_x - T_cable2_lower_load*e[1];
  m*der(v_z) = wind_z - T_cable2_lower_load*e[2] - m*g;
  m_0*der(v_x_0) = -T_cable1_A*e_1[1] + T_cable2_lower_load*(e[1] - e_0[1]);
  m_0*der(v_z_0) = -T_cable1_A*e_1[2] + T_cable2_lower_load*(e[2] - e_0[2]) - m_0*g;
  J_1/r_1^2*der(v_L_1) = u_1/r_1 + T_cable1_A;
  J_2/r_2^2*der(v_L_2) = u_2/r_2 + T_cable2_upper_P;

  // Pulley and load are points: what happens when they meet is not modelled.
  when d < d_min then
    terminate("the pulley has reached the load");
  end when;

  energy = J_1/r_1^2*v_L_1^2/2 + J_2/r_2^2*v_L_2^2/2 + m*(v_x^2 + v_z^2)/2
    + m_0*(v_x_0^2 + v_z_0^2)/2 + m*g*z + m_0*g*z_0 + rope_1.energy + rope_2.energy;

  annotation (
    experiment(StartTime=0, StopTime=3, Tolerance=1e-9),
    Documentation(info="<html>
<p>The crane of <a href=\"modelica://Cranes.NavyCrane2D\">NavyCrane2D</a> with ropes as they are: each
is a spring <code>k_r</code> with damping <code>d_r</code> that can only pull. Where the ideal crane
would need a rope that pushes, this one has a slack rope.</p>
<p>Load, pulley and winches are six masses on their own, in Cartesian coordinates: a slack rope simply
does not act, and nothing becomes singular. The pulley needs a mass <code>m_0</code> for it: on slack
ropes a pulley without mass would have no position. The limit <code>k_r</code> to infinity and
<code>m_0</code> to zero is the ideal crane, while its ropes pull.</p>
<pre>m C''   = F_wind - m g e_z - T_2 e_BC
m_0 B'' = -m_0 g e_z - T_1 e_AB + T_2 (e_BC - e_PB)
J_i/r_i^2 L_i'' = u_i/r_i + T_i,   i = 1, 2
T_1 = k_r (|B - A| - L_1) + d_r (...)',   T_2 = k_r (|B| + |C - B| - L_2) + d_r (...)'</pre>
<p>with <code>T_i = 0</code> where the rope is slack or its damper would push.</p>
<p>A pulley that no rope 1 holds runs down rope 2. Where it reaches the load, at the distance
<code>d_min</code>, the simulation ends.</p>
<p>Equilibrium at the default start: ropes as long as at the start of the ideal crane. The weight of
the pulley bends rope 2 by 0.29 m to the side and lowers the pulley by 2.23 m, because at the start
of the ideal crane rope 1 carries no force and holds nothing; torques <code>u_i = -r_i T_i</code>.</p>
</html>"));
end NavyCrane2DElastic;
