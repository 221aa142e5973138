within Cranes.BaseClasses;
partial model NavyCrane3D "What the versions of NavyCrane3D with connectors have in common"
  extends Icons.Crane;
  extends Interfaces.OptionalWind(useWind=false);

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

  Interfaces.ForceInput F_wind_x(start=0) if useWind "Wind force on the load, along x"
    annotation (Placement(transformation(extent={{-10,-10},{10,10}}, rotation=90, origin={-60,-110})));
  Interfaces.ForceInput F_wind_y(start=0) if useWind "Wind force on the load, along y"
    annotation (Placement(transformation(extent={{-10,-10},{10,10}}, rotation=90, origin={0,-110})));
  Interfaces.ForceInput F_wind_z(start=0) if useWind "Wind force on the load, vertical"
    annotation (Placement(transformation(extent={{-10,-10},{10,10}}, rotation=90, origin={60,-110})));

  Interfaces.RealOutput x(final quantity="Length", final unit="m")
    "Load"
    annotation (Placement(transformation(extent={{100,76},{108,84}})));
  Interfaces.RealOutput y(final quantity="Length", final unit="m")
    "Load"
    annotation (Placement(transformation(extent={{100,70},{108,78}})));
  Interfaces.RealOutput z(final quantity="Length", final unit="m")
    "Load, vertical"
    annotation (Placement(transformation(extent={{100,65},{108,73}})));
  Interfaces.RealOutput v_x(final quantity="Velocity", final unit="m/s")
    "Velocity of the load"
    annotation (Placement(transformation(extent={{100,59},{108,67}})));
  Interfaces.RealOutput v_y(final quantity="Velocity", final unit="m/s")
    "Velocity of the load"
    annotation (Placement(transformation(extent={{100,53},{108,61}})));
  Interfaces.RealOutput v_z(final quantity="Velocity", final unit="m/s")
    "Velocity of the load, vertical"
    annotation (Placement(transformation(extent={{100,47},{108,55}})));
  Interfaces.RealOutput L_1(final quantity="Length", final unit="m")
    "Length of rope 1, from A to the pulley"
    annotation (Placement(transformation(extent={{100,42},{108,50}})));
  Interfaces.RealOutput L_3(final quantity="Length", final unit="m")
    "Length of rope 3, from P over the pulley to the load"
    annotation (Placement(transformation(extent={{100,36},{108,44}})));
  Interfaces.RealOutput L_0(final quantity="Length", final unit="m")
    "Length of rope 3 from P to the pulley"
    annotation (Placement(transformation(extent={{100,30},{108,38}})));
  Interfaces.RealOutput x_0(final quantity="Length", final unit="m")
    "Pulley"
    annotation (Placement(transformation(extent={{100,25},{108,33}})));
  Interfaces.RealOutput y_0(final quantity="Length", final unit="m")
    "Pulley"
    annotation (Placement(transformation(extent={{100,19},{108,27}})));
  Interfaces.RealOutput z_0(final quantity="Length", final unit="m")
    "Pulley, vertical"
    annotation (Placement(transformation(extent={{100,13},{108,21}})));
  Interfaces.RealOutput x_3(final quantity="Length", final unit="m")
    "Top of the boom P"
    annotation (Placement(transformation(extent={{100,7},{108,15}})));
  Interfaces.RealOutput y_3(final quantity="Length", final unit="m")
    "Top of the boom P"
    annotation (Placement(transformation(extent={{100,2},{108,10}})));
  Interfaces.RealOutput phi(final quantity="Angle", final unit="rad", displayUnit="deg")
    "Slewing angle"
    annotation (Placement(transformation(extent={{100,-4},{108,4}})));
  Interfaces.RealOutput v_L_1(final quantity="Velocity", final unit="m/s")
    "Velocity of rope 1"
    annotation (Placement(transformation(extent={{100,-10},{108,-2}})));
  Interfaces.RealOutput v_L_3(final quantity="Velocity", final unit="m/s")
    "Velocity of rope 3"
    annotation (Placement(transformation(extent={{100,-15},{108,-7}})));
  Interfaces.RealOutput v_phi(final quantity="AngularVelocity", final unit="rad/s")
    "Slewing velocity"
    annotation (Placement(transformation(extent={{100,-21},{108,-13}})));
  Interfaces.RealOutput psi(final quantity="Angle", final unit="rad", displayUnit="deg")
    "Swing angle of the plane of the ropes about the line from the origin to P"
    annotation (Placement(transformation(extent={{100,-27},{108,-19}})));
  Interfaces.RealOutput v_psi(final quantity="AngularVelocity", final unit="rad/s")
    "Angular velocity of psi"
    annotation (Placement(transformation(extent={{100,-33},{108,-25}})));
  Interfaces.RealOutput beta(final quantity="Angle", final unit="rad", displayUnit="deg")
    "Angle of rope 1 in the plane of the ropes, zero normal to the boom"
    annotation (Placement(transformation(extent={{100,-38},{108,-30}})));
  Interfaces.RealOutput v_beta(final quantity="AngularVelocity", final unit="rad/s")
    "Angular velocity of beta"
    annotation (Placement(transformation(extent={{100,-44},{108,-36}})));
  Interfaces.RealOutput d(final quantity="Length", final unit="m")
    "Length of rope 3 from the pulley to the load"
    annotation (Placement(transformation(extent={{100,-50},{108,-42}})));
  Interfaces.RealOutput v_d(final quantity="Velocity", final unit="m/s")
    "Time derivative of d"
    annotation (Placement(transformation(extent={{100,-55},{108,-47}})));
  Interfaces.RealOutput T_cable1_A(final quantity="Force", final unit="N")
    "Force in rope 1, positive pulls"
    annotation (Placement(transformation(extent={{100,-61},{108,-53}})));
  Interfaces.RealOutput T_cable3_upper_P(final quantity="Force", final unit="N")
    "Force in rope 3 above the pulley, positive pulls"
    annotation (Placement(transformation(extent={{100,-67},{108,-59}})));
  Interfaces.RealOutput T_cable3_lower_load(final quantity="Force", final unit="N")
    "Force in rope 3 below the pulley, positive pulls"
    annotation (Placement(transformation(extent={{100,-73},{108,-65}})));
  Interfaces.RealOutput energy(final quantity="Energy", final unit="J")
    "Kinetic and potential energy, the latter zero at z = 0"
    annotation (Placement(transformation(extent={{100,-78},{108,-70}})));
  Interfaces.RealOutput L_z(final quantity="AngularMomentum", final unit="kg.m2/s")
    "Angular momentum about the slewing axis"
    annotation (Placement(transformation(extent={{100,-84},{108,-76}})));

  Cranes.NavyCrane3D crane(final useWind=useWind, m=m, M=M, J_1=J_1, J_3=J_3, r_1=r_1, r_3=r_3,
      r=r, z_3=z_3, beta_1=beta_1, g=g, phi_start=phi_start, x_0_start=x_0_start,
      y_0_start=y_0_start, z_0_start=z_0_start, L_3_start=L_3_start, v_phi_start=v_phi_start,
      v_psi_start=v_psi_start, v_L_1_start=v_L_1_start, v_beta_start=v_beta_start,
      v_d_start=v_d_start)
    "The crane: its equations"
    annotation (Placement(transformation(extent={{-30,-30},{30,30}})));
equation
  connect(F_wind_x, crane.F_wind_x)
    annotation (Line(points={{-60,-110},{-60,-60},{-20,-60},{-20,-30}}, color={0,0,127}));
  connect(F_wind_y, crane.F_wind_y)
    annotation (Line(points={{0,-110},{0,-60},{0,-60},{0,-30}}, color={0,0,127}));
  connect(F_wind_z, crane.F_wind_z)
    annotation (Line(points={{60,-110},{60,-60},{20,-60},{20,-30}}, color={0,0,127}));
  x = crane.x;
  y = crane.y;
  z = crane.z;
  v_x = crane.v_x;
  v_y = crane.v_y;
  v_z = crane.v_z;
  L_1 = crane.L_1;
  L_3 = crane.L_3;
  L_0 = crane.L_0;
  x_0 = crane.x_0;
  y_0 = crane.y_0;
  z_0 = crane.z_0;
  x_3 = crane.x_3;
  y_3 = crane.y_3;
  phi = crane.phi;
  v_L_1 = crane.v_L_1;
  v_L_3 = crane.v_L_3;
  v_phi = crane.v_phi;
  psi = crane.psi;
  v_psi = crane.v_psi;
  beta = crane.beta;
  v_beta = crane.v_beta;
  d = crane.d;
  v_d = crane.v_d;
  T_cable1_A = crane.T_cable1_A;
  T_cable3_upper_P = crane.T_cable3_upper_P;
  T_cable3_lower_load = crane.T_cable3_lower_load;
  energy = crane.energy;
  L_z = crane.L_z;
  annotation (Documentation(info="<html>
<p>What <a href=\"modelica://Cranes.Blocks.NavyCrane3D\">Blocks.NavyCrane3D</a> and
<a href=\"modelica://Cranes.Mechanics.NavyCrane3D\">Mechanics.NavyCrane3D</a> have in
common; the equations are those of
<a href=\"modelica://Cranes.NavyCrane3D\">Cranes.NavyCrane3D</a>.</p>
</html>"));
end NavyCrane3D;
