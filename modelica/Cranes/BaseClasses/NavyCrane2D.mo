within Cranes.BaseClasses;
partial model NavyCrane2D "What the versions of NavyCrane2D with connectors have in common"
  extends Icons.Crane;
  extends Interfaces.OptionalWind(useWind=false);

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

  Interfaces.ForceInput F_wind_x(start=0) if useWind "Wind force on the load, horizontal"
    annotation (Placement(transformation(extent={{-10,-10},{10,10}}, rotation=90, origin={-30,-110})));
  Interfaces.ForceInput F_wind_z(start=0) if useWind "Wind force on the load, vertical"
    annotation (Placement(transformation(extent={{-10,-10},{10,10}}, rotation=90, origin={30,-110})));

  Interfaces.RealOutput x(final quantity="Length", final unit="m")
    "Load, horizontal"
    annotation (Placement(transformation(extent={{100,76},{108,84}})));
  Interfaces.RealOutput z(final quantity="Length", final unit="m")
    "Load, vertical"
    annotation (Placement(transformation(extent={{100,68},{108,76}})));
  Interfaces.RealOutput v_x(final quantity="Velocity", final unit="m/s")
    "Velocity of the load, horizontal"
    annotation (Placement(transformation(extent={{100,59},{108,67}})));
  Interfaces.RealOutput v_z(final quantity="Velocity", final unit="m/s")
    "Velocity of the load, vertical"
    annotation (Placement(transformation(extent={{100,51},{108,59}})));
  Interfaces.RealOutput L_1(final quantity="Length", final unit="m")
    "Length of rope 1, from A to the pulley"
    annotation (Placement(transformation(extent={{100,42},{108,50}})));
  Interfaces.RealOutput L_2(final quantity="Length", final unit="m")
    "Length of rope 2, from P over the pulley to the load"
    annotation (Placement(transformation(extent={{100,34},{108,42}})));
  Interfaces.RealOutput L_0(final quantity="Length", final unit="m")
    "Length of rope 2 from P to the pulley"
    annotation (Placement(transformation(extent={{100,25},{108,33}})));
  Interfaces.RealOutput x_0(final quantity="Length", final unit="m")
    "Pulley, horizontal"
    annotation (Placement(transformation(extent={{100,17},{108,25}})));
  Interfaces.RealOutput z_0(final quantity="Length", final unit="m")
    "Pulley, vertical"
    annotation (Placement(transformation(extent={{100,9},{108,17}})));
  Interfaces.RealOutput v_L_1(final quantity="Velocity", final unit="m/s")
    "Velocity of rope 1"
    annotation (Placement(transformation(extent={{100,0},{108,8}})));
  Interfaces.RealOutput v_L_2(final quantity="Velocity", final unit="m/s")
    "Velocity of rope 2"
    annotation (Placement(transformation(extent={{100,-8},{108,0}})));
  Interfaces.RealOutput beta(final quantity="Angle", final unit="rad", displayUnit="deg")
    "Angle of rope 1 above the horizontal"
    annotation (Placement(transformation(extent={{100,-17},{108,-9}})));
  Interfaces.RealOutput v_beta(final quantity="AngularVelocity", final unit="rad/s")
    "Angular velocity of rope 1"
    annotation (Placement(transformation(extent={{100,-25},{108,-17}})));
  Interfaces.RealOutput d(final quantity="Length", final unit="m")
    "Length of rope 2 from the pulley to the load"
    annotation (Placement(transformation(extent={{100,-33},{108,-25}})));
  Interfaces.RealOutput v_d(final quantity="Velocity", final unit="m/s")
    "Time derivative of d"
    annotation (Placement(transformation(extent={{100,-42},{108,-34}})));
  Interfaces.RealOutput theta(final quantity="Angle", final unit="rad", displayUnit="deg")
    "Swing angle of the load below the pulley, zero for a vertical rope, positive towards positive x"
    annotation (Placement(transformation(extent={{100,-50},{108,-42}})));
  Interfaces.RealOutput T_cable1_A(final quantity="Force", final unit="N")
    "Force in rope 1, positive pulls"
    annotation (Placement(transformation(extent={{100,-59},{108,-51}})));
  Interfaces.RealOutput T_cable2_upper_P(final quantity="Force", final unit="N")
    "Force in rope 2 above the pulley, positive pulls"
    annotation (Placement(transformation(extent={{100,-67},{108,-59}})));
  Interfaces.RealOutput T_cable2_lower_load(final quantity="Force", final unit="N")
    "Force in rope 2 below the pulley, positive pulls"
    annotation (Placement(transformation(extent={{100,-76},{108,-68}})));
  Interfaces.RealOutput energy(final quantity="Energy", final unit="J")
    "Kinetic and potential energy, the latter zero at P"
    annotation (Placement(transformation(extent={{100,-84},{108,-76}})));

  Cranes.NavyCrane2D crane(final useWind=useWind, m=m, J_1=J_1, J_2=J_2, r_1=r_1, r_2=r_2,
      alpha=alpha, l=l, g=g, x_0_start=x_0_start, z_0_start=z_0_start, L_2_start=L_2_start,
      v_L_1_start=v_L_1_start, v_beta_start=v_beta_start, v_d_start=v_d_start)
    "The crane: its equations"
    annotation (Placement(transformation(extent={{-30,-30},{30,30}})));
equation
  connect(F_wind_x, crane.F_wind_x)
    annotation (Line(points={{-30,-110},{-30,-60},{-10,-60},{-10,-30}}, color={0,0,127}));
  connect(F_wind_z, crane.F_wind_z)
    annotation (Line(points={{30,-110},{30,-60},{10,-60},{10,-30}}, color={0,0,127}));
  x = crane.x;
  z = crane.z;
  v_x = crane.v_x;
  v_z = crane.v_z;
  L_1 = crane.L_1;
  L_2 = crane.L_2;
  L_0 = crane.L_0;
  x_0 = crane.x_0;
  z_0 = crane.z_0;
  v_L_1 = crane.v_L_1;
  v_L_2 = crane.v_L_2;
  beta = crane.beta;
  v_beta = crane.v_beta;
  d = crane.d;
  v_d = crane.v_d;
  theta = crane.theta;
  T_cable1_A = crane.T_cable1_A;
  T_cable2_upper_P = crane.T_cable2_upper_P;
  T_cable2_lower_load = crane.T_cable2_lower_load;
  energy = crane.energy;
  annotation (Documentation(info="<html>
<p>What <a href=\"modelica://Cranes.Blocks.NavyCrane2D\">Blocks.NavyCrane2D</a> and
<a href=\"modelica://Cranes.Mechanics.NavyCrane2D\">Mechanics.NavyCrane2D</a> have in
common; the equations are those of
<a href=\"modelica://Cranes.NavyCrane2D\">Cranes.NavyCrane2D</a>.</p>
</html>"));
end NavyCrane2D;
