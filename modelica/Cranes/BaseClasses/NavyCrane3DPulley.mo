within Cranes.BaseClasses;
partial model NavyCrane3DPulley "What the versions of NavyCrane3DPulley with connectors have in common"
  extends Icons.Crane;
  extends Interfaces.OptionalWind(useWind=false);

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
    annotation (Placement(transformation(extent={{100,72},{108,80}})));
  Interfaces.RealOutput z(final quantity="Length", final unit="m")
    "Load, vertical"
    annotation (Placement(transformation(extent={{100,67},{108,75}})));
  Interfaces.RealOutput z_0(final quantity="Length", final unit="m")
    "Pulley, vertical"
    annotation (Placement(transformation(extent={{100,63},{108,71}})));
  Interfaces.RealOutput x_0(final quantity="Length", final unit="m")
    "Pulley"
    annotation (Placement(transformation(extent={{100,58},{108,66}})));
  Interfaces.RealOutput y_0(final quantity="Length", final unit="m")
    "Pulley"
    annotation (Placement(transformation(extent={{100,54},{108,62}})));
  Interfaces.RealOutput v_x(final quantity="Velocity", final unit="m/s")
    "Velocity of the load"
    annotation (Placement(transformation(extent={{100,49},{108,57}})));
  Interfaces.RealOutput v_y(final quantity="Velocity", final unit="m/s")
    "Velocity of the load"
    annotation (Placement(transformation(extent={{100,45},{108,53}})));
  Interfaces.RealOutput v_z(final quantity="Velocity", final unit="m/s")
    "Velocity of the load, vertical"
    annotation (Placement(transformation(extent={{100,40},{108,48}})));
  Interfaces.RealOutput v_z_0(final quantity="Velocity", final unit="m/s")
    "Velocity of the pulley, vertical"
    annotation (Placement(transformation(extent={{100,36},{108,44}})));
  Interfaces.RealOutput L_1(final quantity="Length", final unit="m")
    "Length of rope 1, from A to the pulley"
    annotation (Placement(transformation(extent={{100,32},{108,40}})));
  Interfaces.RealOutput L_2(final quantity="Length", final unit="m")
    "Length of rope 2, from S to the pulley"
    annotation (Placement(transformation(extent={{100,27},{108,35}})));
  Interfaces.RealOutput L_3(final quantity="Length", final unit="m")
    "Length of rope 3, from P over the pulley to the load"
    annotation (Placement(transformation(extent={{100,23},{108,31}})));
  Interfaces.RealOutput L_0(final quantity="Length", final unit="m")
    "Length of rope 3 from P to the pulley"
    annotation (Placement(transformation(extent={{100,18},{108,26}})));
  Interfaces.RealOutput x_3(final quantity="Length", final unit="m")
    "Top of the boom P"
    annotation (Placement(transformation(extent={{100,14},{108,22}})));
  Interfaces.RealOutput y_3(final quantity="Length", final unit="m")
    "Top of the boom P"
    annotation (Placement(transformation(extent={{100,9},{108,17}})));
  Interfaces.RealOutput phi(final quantity="Angle", final unit="rad", displayUnit="deg")
    "Slewing angle"
    annotation (Placement(transformation(extent={{100,5},{108,13}})));
  Interfaces.RealOutput v_L_1(final quantity="Velocity", final unit="m/s")
    "Velocity of rope 1"
    annotation (Placement(transformation(extent={{100,0},{108,8}})));
  Interfaces.RealOutput v_L_2(final quantity="Velocity", final unit="m/s")
    "Velocity of rope 2"
    annotation (Placement(transformation(extent={{100,-4},{108,4}})));
  Interfaces.RealOutput v_L_3(final quantity="Velocity", final unit="m/s")
    "Velocity of rope 3"
    annotation (Placement(transformation(extent={{100,-8},{108,0}})));
  Interfaces.RealOutput v_phi(final quantity="AngularVelocity", final unit="rad/s")
    "Slewing velocity"
    annotation (Placement(transformation(extent={{100,-13},{108,-5}})));
  Interfaces.RealOutput kappa_1(final quantity="Angle", final unit="rad", displayUnit="deg")
    "Swing angle of rope 2 about the boom's horizontal direction"
    annotation (Placement(transformation(extent={{100,-17},{108,-9}})));
  Interfaces.RealOutput kappa_2(final quantity="Angle", final unit="rad", displayUnit="deg")
    "Swing angle of rope 2 towards the boom's horizontal direction"
    annotation (Placement(transformation(extent={{100,-22},{108,-14}})));
  Interfaces.RealOutput v_kappa_1(final quantity="AngularVelocity", final unit="rad/s")
    "Angular velocity of kappa_1"
    annotation (Placement(transformation(extent={{100,-26},{108,-18}})));
  Interfaces.RealOutput v_kappa_2(final quantity="AngularVelocity", final unit="rad/s")
    "Angular velocity of kappa_2"
    annotation (Placement(transformation(extent={{100,-31},{108,-23}})));
  Interfaces.RealOutput d(final quantity="Length", final unit="m")
    "Length of rope 3 from the pulley to the load"
    annotation (Placement(transformation(extent={{100,-35},{108,-27}})));
  Interfaces.RealOutput v_d(final quantity="Velocity", final unit="m/s")
    "Time derivative of d"
    annotation (Placement(transformation(extent={{100,-40},{108,-32}})));
  Interfaces.RealOutput theta_1(final quantity="Angle", final unit="rad", displayUnit="deg")
    "Swing angle of the load about the boom's horizontal direction"
    annotation (Placement(transformation(extent={{100,-44},{108,-36}})));
  Interfaces.RealOutput theta_2(final quantity="Angle", final unit="rad", displayUnit="deg")
    "Swing angle of the load towards the boom's horizontal direction"
    annotation (Placement(transformation(extent={{100,-48},{108,-40}})));
  Interfaces.RealOutput v_theta_1(final quantity="AngularVelocity", final unit="rad/s")
    "Angular velocity of theta_1"
    annotation (Placement(transformation(extent={{100,-53},{108,-45}})));
  Interfaces.RealOutput v_theta_2(final quantity="AngularVelocity", final unit="rad/s")
    "Angular velocity of theta_2"
    annotation (Placement(transformation(extent={{100,-57},{108,-49}})));
  Interfaces.RealOutput T_cable1_A(final quantity="Force", final unit="N")
    "Force in rope 1, positive pulls"
    annotation (Placement(transformation(extent={{100,-62},{108,-54}})));
  Interfaces.RealOutput T_cable2_S(final quantity="Force", final unit="N")
    "Force in rope 2, positive pulls"
    annotation (Placement(transformation(extent={{100,-66},{108,-58}})));
  Interfaces.RealOutput T_cable3_upper_P(final quantity="Force", final unit="N")
    "Force in rope 3 above the pulley, positive pulls"
    annotation (Placement(transformation(extent={{100,-71},{108,-63}})));
  Interfaces.RealOutput T_cable3_lower_load(final quantity="Force", final unit="N")
    "Force in rope 3 below the pulley, positive pulls"
    annotation (Placement(transformation(extent={{100,-75},{108,-67}})));
  Interfaces.RealOutput energy(final quantity="Energy", final unit="J")
    "Kinetic and potential energy, the latter zero at z = 0"
    annotation (Placement(transformation(extent={{100,-80},{108,-72}})));
  Interfaces.RealOutput L_z(final quantity="AngularMomentum", final unit="kg.m2/s")
    "Angular momentum about the slewing axis"
    annotation (Placement(transformation(extent={{100,-84},{108,-76}})));

  Cranes.NavyCrane3DPulley crane(final useWind=useWind, m=m, m_0=m_0, M=M, J_1=J_1, J_2=J_2,
      J_3=J_3, r_1=r_1, r_2=r_2, r_3=r_3, r=r, z_3=z_3, beta_1=beta_1, beta_2=beta_2, g=g,
      phi_start=phi_start, x_0_start=x_0_start, y_0_start=y_0_start, z_0_start=z_0_start,
      x_start=x_start, y_start=y_start, z_start=z_start, v_phi_start=v_phi_start,
      v_L_2_start=v_L_2_start, v_kappa_1_start=v_kappa_1_start, v_kappa_2_start=v_kappa_2_start,
      v_d_start=v_d_start, v_theta_1_start=v_theta_1_start, v_theta_2_start=v_theta_2_start)
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
  z_0 = crane.z_0;
  x_0 = crane.x_0;
  y_0 = crane.y_0;
  v_x = crane.v_x;
  v_y = crane.v_y;
  v_z = crane.v_z;
  v_z_0 = crane.v_z_0;
  L_1 = crane.L_1;
  L_2 = crane.L_2;
  L_3 = crane.L_3;
  L_0 = crane.L_0;
  x_3 = crane.x_3;
  y_3 = crane.y_3;
  phi = crane.phi;
  v_L_1 = crane.v_L_1;
  v_L_2 = crane.v_L_2;
  v_L_3 = crane.v_L_3;
  v_phi = crane.v_phi;
  kappa_1 = crane.kappa_1;
  kappa_2 = crane.kappa_2;
  v_kappa_1 = crane.v_kappa_1;
  v_kappa_2 = crane.v_kappa_2;
  d = crane.d;
  v_d = crane.v_d;
  theta_1 = crane.theta_1;
  theta_2 = crane.theta_2;
  v_theta_1 = crane.v_theta_1;
  v_theta_2 = crane.v_theta_2;
  T_cable1_A = crane.T_cable1_A;
  T_cable2_S = crane.T_cable2_S;
  T_cable3_upper_P = crane.T_cable3_upper_P;
  T_cable3_lower_load = crane.T_cable3_lower_load;
  energy = crane.energy;
  L_z = crane.L_z;
  annotation (Documentation(info="<html>
<p>What <a href=\"modelica://Cranes.Blocks.NavyCrane3DPulley\">Blocks.NavyCrane3DPulley</a> and
<a href=\"modelica://Cranes.Mechanics.NavyCrane3DPulley\">Mechanics.NavyCrane3DPulley</a> have in
common; the equations are those of
<a href=\"modelica://Cranes.NavyCrane3DPulley\">Cranes.NavyCrane3DPulley</a>.</p>
</html>"));
end NavyCrane3DPulley;
