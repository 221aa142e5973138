within Cranes.BaseClasses;
partial model NavyCrane2DPulley "What the versions of NavyCrane2DPulley with connectors have in common"
  extends Icons.Crane;
  extends Interfaces.OptionalWind(useWind=false);

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

  Interfaces.ForceInput F_wind_x(start=0) if useWind "Wind force on the load, horizontal"
    annotation (Placement(transformation(extent={{-10,-10},{10,10}}, rotation=90, origin={-30,-110})));
  Interfaces.ForceInput F_wind_z(start=0) if useWind "Wind force on the load, vertical"
    annotation (Placement(transformation(extent={{-10,-10},{10,10}}, rotation=90, origin={30,-110})));

  Interfaces.RealOutput x(final quantity="Length", final unit="m")
    "Load, horizontal"
    annotation (Placement(transformation(extent={{100,76},{108,84}})));
  Interfaces.RealOutput z(final quantity="Length", final unit="m")
    "Load, vertical"
    annotation (Placement(transformation(extent={{100,70},{108,78}})));
  Interfaces.RealOutput z_0(final quantity="Length", final unit="m")
    "Pulley, vertical"
    annotation (Placement(transformation(extent={{100,63},{108,71}})));
  Interfaces.RealOutput x_0(final quantity="Length", final unit="m")
    "Pulley, horizontal"
    annotation (Placement(transformation(extent={{100,57},{108,65}})));
  Interfaces.RealOutput v_x(final quantity="Velocity", final unit="m/s")
    "Velocity of the load, horizontal"
    annotation (Placement(transformation(extent={{100,50},{108,58}})));
  Interfaces.RealOutput v_z(final quantity="Velocity", final unit="m/s")
    "Velocity of the load, vertical"
    annotation (Placement(transformation(extent={{100,44},{108,52}})));
  Interfaces.RealOutput v_z_0(final quantity="Velocity", final unit="m/s")
    "Velocity of the pulley, vertical"
    annotation (Placement(transformation(extent={{100,38},{108,46}})));
  Interfaces.RealOutput v_x_0(final quantity="Velocity", final unit="m/s")
    "Velocity of the pulley, horizontal"
    annotation (Placement(transformation(extent={{100,31},{108,39}})));
  Interfaces.RealOutput L_1(final quantity="Length", final unit="m")
    "Length of rope 1, from A to the pulley"
    annotation (Placement(transformation(extent={{100,25},{108,33}})));
  Interfaces.RealOutput L_2(final quantity="Length", final unit="m")
    "Length of rope 2, from P over the pulley to the load"
    annotation (Placement(transformation(extent={{100,18},{108,26}})));
  Interfaces.RealOutput L_3(final quantity="Length", final unit="m")
    "Length of rope 3, from S to the pulley"
    annotation (Placement(transformation(extent={{100,12},{108,20}})));
  Interfaces.RealOutput L_0(final quantity="Length", final unit="m")
    "Length of rope 2 from P to the pulley"
    annotation (Placement(transformation(extent={{100,6},{108,14}})));
  Interfaces.RealOutput v_L_1(final quantity="Velocity", final unit="m/s")
    "Velocity of rope 1"
    annotation (Placement(transformation(extent={{100,-1},{108,7}})));
  Interfaces.RealOutput v_L_2(final quantity="Velocity", final unit="m/s")
    "Velocity of rope 2"
    annotation (Placement(transformation(extent={{100,-7},{108,1}})));
  Interfaces.RealOutput v_L_3(final quantity="Velocity", final unit="m/s")
    "Velocity of rope 3"
    annotation (Placement(transformation(extent={{100,-14},{108,-6}})));
  Interfaces.RealOutput kappa(final quantity="Angle", final unit="rad", displayUnit="deg")
    "Swing angle of rope 3, zero for a vertical rope, positive towards positive x"
    annotation (Placement(transformation(extent={{100,-20},{108,-12}})));
  Interfaces.RealOutput v_kappa(final quantity="AngularVelocity", final unit="rad/s")
    "Angular velocity of rope 3"
    annotation (Placement(transformation(extent={{100,-26},{108,-18}})));
  Interfaces.RealOutput d(final quantity="Length", final unit="m")
    "Length of rope 2 from the pulley to the load"
    annotation (Placement(transformation(extent={{100,-33},{108,-25}})));
  Interfaces.RealOutput v_d(final quantity="Velocity", final unit="m/s")
    "Time derivative of d"
    annotation (Placement(transformation(extent={{100,-39},{108,-31}})));
  Interfaces.RealOutput theta(final quantity="Angle", final unit="rad", displayUnit="deg")
    "Swing angle of the load below the pulley, zero for a vertical rope, positive towards positive x"
    annotation (Placement(transformation(extent={{100,-46},{108,-38}})));
  Interfaces.RealOutput v_theta(final quantity="AngularVelocity", final unit="rad/s")
    "Angular velocity of swing"
    annotation (Placement(transformation(extent={{100,-52},{108,-44}})));
  Interfaces.RealOutput T_cable1_A(final quantity="Force", final unit="N")
    "Force in rope 1, positive pulls"
    annotation (Placement(transformation(extent={{100,-58},{108,-50}})));
  Interfaces.RealOutput T_cable2_upper_P(final quantity="Force", final unit="N")
    "Force in rope 2 above the pulley, positive pulls"
    annotation (Placement(transformation(extent={{100,-65},{108,-57}})));
  Interfaces.RealOutput T_cable3_S(final quantity="Force", final unit="N")
    "Force in rope 3, positive pulls"
    annotation (Placement(transformation(extent={{100,-71},{108,-63}})));
  Interfaces.RealOutput T_cable2_lower_load(final quantity="Force", final unit="N")
    "Force in rope 2 below the pulley, positive pulls"
    annotation (Placement(transformation(extent={{100,-78},{108,-70}})));
  Interfaces.RealOutput energy(final quantity="Energy", final unit="J")
    "Kinetic and potential energy, the latter zero at S"
    annotation (Placement(transformation(extent={{100,-84},{108,-76}})));

  Cranes.NavyCrane2DPulley crane(final useWind=useWind, m=m, m_0=m_0, J_1=J_1, J_2=J_2, J_3=J_3,
      r_1=r_1, r_2=r_2, r_3=r_3, alpha=alpha, s=s, l=l, g=g, x_0_start=x_0_start,
      z_0_start=z_0_start, x_start=x_start, z_start=z_start, v_L_3_start=v_L_3_start,
      v_kappa_start=v_kappa_start, v_d_start=v_d_start, v_theta_start=v_theta_start)
    "The crane: its equations"
    annotation (Placement(transformation(extent={{-30,-30},{30,30}})));
equation
  connect(F_wind_x, crane.F_wind_x)
    annotation (Line(points={{-30,-110},{-30,-60},{-10,-60},{-10,-30}}, color={0,0,127}));
  connect(F_wind_z, crane.F_wind_z)
    annotation (Line(points={{30,-110},{30,-60},{10,-60},{10,-30}}, color={0,0,127}));
  x = crane.x;
  z = crane.z;
  z_0 = crane.z_0;
  x_0 = crane.x_0;
  v_x = crane.v_x;
  v_z = crane.v_z;
  v_z_0 = crane.v_z_0;
  v_x_0 = crane.v_x_0;
  L_1 = crane.L_1;
  L_2 = crane.L_2;
  L_3 = crane.L_3;
  L_0 = crane.L_0;
  v_L_1 = crane.v_L_1;
  v_L_2 = crane.v_L_2;
  v_L_3 = crane.v_L_3;
  kappa = crane.kappa;
  v_kappa = crane.v_kappa;
  d = crane.d;
  v_d = crane.v_d;
  theta = crane.theta;
  v_theta = crane.v_theta;
  T_cable1_A = crane.T_cable1_A;
  T_cable2_upper_P = crane.T_cable2_upper_P;
  T_cable3_S = crane.T_cable3_S;
  T_cable2_lower_load = crane.T_cable2_lower_load;
  energy = crane.energy;
  annotation (Documentation(info="<html>
<p>What <a href=\"modelica://Cranes.Blocks.NavyCrane2DPulley\">Blocks.NavyCrane2DPulley</a> and
<a href=\"modelica://Cranes.Mechanics.NavyCrane2DPulley\">Mechanics.NavyCrane2DPulley</a> have in
common; the equations are those of
<a href=\"modelica://Cranes.NavyCrane2DPulley\">Cranes.NavyCrane2DPulley</a>.</p>
</html>"));
end NavyCrane2DPulley;
