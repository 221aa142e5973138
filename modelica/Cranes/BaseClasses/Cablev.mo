within Cranes.BaseClasses;
partial model Cablev "What the versions of Cablev with connectors have in common"
  extends Icons.Crane;
  extends Interfaces.OptionalWind(useWind=false);

  parameter Types.Mass m_0 = 380 "Mass of the gantry, with what moves with it";
  parameter Types.Mass m_1 = 35 "Mass of trolley 1";
  parameter Types.Mass m_2 = 35 "Mass of trolley 2";
  parameter Types.Mass m_3 = 35 "Mass of trolley 3";
  parameter Types.Mass m = 12.5 "Mass of the platform";
  parameter Types.Inertia J_1 = 0.75 "Moment of inertia of winch 1";
  parameter Types.Inertia J_2 = 0.75 "Moment of inertia of winch 2";
  parameter Types.Inertia J_3 = 1.5 "Moment of inertia of winch 3";
  parameter Types.Length r_1 = 0.1 "Radius of winch 1";
  parameter Types.Length r_2 = 0.1 "Radius of winch 2";
  parameter Types.Length r_3 = 0.1 "Radius of winch 3";
  parameter Types.Length l_1 = 1.2 "Side of the platform's triangle";
  parameter Types.Length l_2 = 0.6 "Distance of the girders of trolleys 2 and 3 from that of 1";
  parameter Types.Length b = 1.0392304845413265 "Offset of trolley 1 in the output x_0";
  parameter Types.Inertia J_x = 0.75 "Moment of inertia of the platform about its first axis";
  parameter Types.Inertia J_y = 0.75 "Moment of inertia of the platform about its second axis";
  parameter Types.Inertia J_z = 1.5 "Moment of inertia of the platform about its third axis";
  parameter Types.Acceleration g = 9.81 "Gravity, along positive z";
  parameter Types.Position p_g0_start = 1.2 "Start value of p_g0";
  parameter Types.Position p_g1_start = 2.0392304845413265 "Start value of p_g1";
  parameter Types.Position p_g2_start = 1 "Start value of p_g2";
  parameter Types.Position p_g3_start = 1 "Start value of p_g3";
  parameter Types.Position r_x_start = 1.3464101615137755 "Start value of r_x";
  parameter Types.Position r_y_start = 1.2 "Start value of r_y";
  parameter Types.Position r_z_start = 3 "Start value of r_z";
  parameter Types.Angle phi_1_start = 0 "Start value of phi_1";
  parameter Types.Angle phi_2_start = 0 "Start value of phi_2";
  parameter Types.Angle phi_3_start = 0 "Start value of phi_3";
  parameter Types.Velocity v_p_g0_start = 0 "Start value of v_p_g0";
  parameter Types.Velocity v_p_g1_start = 0 "Start value of v_p_g1";
  parameter Types.Velocity v_p_g2_start = 0 "Start value of v_p_g2";
  parameter Types.Velocity v_p_g3_start = 0 "Start value of v_p_g3";
  parameter Types.Velocity v_r_x_start = 0 "Start value of v_r_x";
  parameter Types.Velocity v_r_y_start = 0 "Start value of v_r_y";
  parameter Types.Velocity v_r_z_start = 0 "Start value of v_r_z";
  parameter Types.AngularVelocity omega_1_start = 0 "Start value of omega_1";
  parameter Types.AngularVelocity omega_2_start = 0 "Start value of omega_2";
  parameter Types.AngularVelocity omega_3_start = 0 "Start value of omega_3";

  Interfaces.ForceInput F_wind_x(start=0) if useWind "Wind force on the platform, along x"
    annotation (Placement(transformation(extent={{-10,-10},{10,10}}, rotation=90, origin={-60,-110})));
  Interfaces.ForceInput F_wind_y(start=0) if useWind "Wind force on the platform, along y"
    annotation (Placement(transformation(extent={{-10,-10},{10,10}}, rotation=90, origin={0,-110})));
  Interfaces.ForceInput F_wind_z(start=0) if useWind "Wind force on the platform, along z, downwards"
    annotation (Placement(transformation(extent={{-10,-10},{10,10}}, rotation=90, origin={60,-110})));

  Interfaces.RealOutput r_x(final quantity="Length", final unit="m")
    "Platform, along the girders"
    annotation (Placement(transformation(extent={{100,76},{108,84}})));
  Interfaces.RealOutput r_y(final quantity="Length", final unit="m")
    "Platform, along the gantry's way"
    annotation (Placement(transformation(extent={{100,72},{108,80}})));
  Interfaces.RealOutput r_z(final quantity="Length", final unit="m")
    "Platform, downwards"
    annotation (Placement(transformation(extent={{100,67},{108,75}})));
  Interfaces.RealOutput phi_1(final quantity="Angle", final unit="rad", displayUnit="deg")
    "Bryant angle about the first axis"
    annotation (Placement(transformation(extent={{100,63},{108,71}})));
  Interfaces.RealOutput phi_2(final quantity="Angle", final unit="rad", displayUnit="deg")
    "Bryant angle about the second axis"
    annotation (Placement(transformation(extent={{100,58},{108,66}})));
  Interfaces.RealOutput phi_3(final quantity="Angle", final unit="rad", displayUnit="deg")
    "Bryant angle about the third axis"
    annotation (Placement(transformation(extent={{100,54},{108,62}})));
  Interfaces.RealOutput x_0(final quantity="Length", final unit="m")
    "Trolley 1 relative to the mean of trolleys 2 and 3, less b"
    annotation (Placement(transformation(extent={{100,49},{108,57}})));
  Interfaces.RealOutput v_r_x(final quantity="Velocity", final unit="m/s")
    "Velocity of r_x"
    annotation (Placement(transformation(extent={{100,45},{108,53}})));
  Interfaces.RealOutput v_r_y(final quantity="Velocity", final unit="m/s")
    "Velocity of r_y"
    annotation (Placement(transformation(extent={{100,40},{108,48}})));
  Interfaces.RealOutput v_r_z(final quantity="Velocity", final unit="m/s")
    "Velocity of r_z"
    annotation (Placement(transformation(extent={{100,36},{108,44}})));
  Interfaces.RealOutput omega_1(final quantity="AngularVelocity", final unit="rad/s")
    "Angular velocity of the platform about its first axis"
    annotation (Placement(transformation(extent={{100,32},{108,40}})));
  Interfaces.RealOutput omega_2(final quantity="AngularVelocity", final unit="rad/s")
    "Angular velocity of the platform about its second axis"
    annotation (Placement(transformation(extent={{100,27},{108,35}})));
  Interfaces.RealOutput omega_3(final quantity="AngularVelocity", final unit="rad/s")
    "Angular velocity of the platform about its third axis"
    annotation (Placement(transformation(extent={{100,23},{108,31}})));
  Interfaces.RealOutput p_g0(final quantity="Length", final unit="m")
    "Position of the gantry"
    annotation (Placement(transformation(extent={{100,18},{108,26}})));
  Interfaces.RealOutput p_g1(final quantity="Length", final unit="m")
    "Position of trolley 1"
    annotation (Placement(transformation(extent={{100,14},{108,22}})));
  Interfaces.RealOutput p_g2(final quantity="Length", final unit="m")
    "Position of trolley 2"
    annotation (Placement(transformation(extent={{100,9},{108,17}})));
  Interfaces.RealOutput p_g3(final quantity="Length", final unit="m")
    "Position of trolley 3"
    annotation (Placement(transformation(extent={{100,5},{108,13}})));
  Interfaces.RealOutput p_c1(final quantity="Length", final unit="m")
    "Length of rope 1"
    annotation (Placement(transformation(extent={{100,0},{108,8}})));
  Interfaces.RealOutput p_c2(final quantity="Length", final unit="m")
    "Length of rope 2"
    annotation (Placement(transformation(extent={{100,-4},{108,4}})));
  Interfaces.RealOutput p_c3(final quantity="Length", final unit="m")
    "Length of rope 3"
    annotation (Placement(transformation(extent={{100,-8},{108,0}})));
  Interfaces.RealOutput v_p_g0(final quantity="Velocity", final unit="m/s")
    "Velocity of the gantry"
    annotation (Placement(transformation(extent={{100,-13},{108,-5}})));
  Interfaces.RealOutput v_p_g1(final quantity="Velocity", final unit="m/s")
    "Velocity of trolley 1"
    annotation (Placement(transformation(extent={{100,-17},{108,-9}})));
  Interfaces.RealOutput v_p_g2(final quantity="Velocity", final unit="m/s")
    "Velocity of trolley 2"
    annotation (Placement(transformation(extent={{100,-22},{108,-14}})));
  Interfaces.RealOutput v_p_g3(final quantity="Velocity", final unit="m/s")
    "Velocity of trolley 3"
    annotation (Placement(transformation(extent={{100,-26},{108,-18}})));
  Interfaces.RealOutput v_p_c1(final quantity="Velocity", final unit="m/s")
    "Velocity of rope 1"
    annotation (Placement(transformation(extent={{100,-31},{108,-23}})));
  Interfaces.RealOutput v_p_c2(final quantity="Velocity", final unit="m/s")
    "Velocity of rope 2"
    annotation (Placement(transformation(extent={{100,-35},{108,-27}})));
  Interfaces.RealOutput v_p_c3(final quantity="Velocity", final unit="m/s")
    "Velocity of rope 3"
    annotation (Placement(transformation(extent={{100,-40},{108,-32}})));
  Interfaces.RealOutput T_1(final quantity="Force", final unit="N")
    "Force in rope 1, positive pulls"
    annotation (Placement(transformation(extent={{100,-44},{108,-36}})));
  Interfaces.RealOutput T_2(final quantity="Force", final unit="N")
    "Force in rope 2, positive pulls"
    annotation (Placement(transformation(extent={{100,-48},{108,-40}})));
  Interfaces.RealOutput T_3(final quantity="Force", final unit="N")
    "Force in rope 3, positive pulls"
    annotation (Placement(transformation(extent={{100,-53},{108,-45}})));
  Interfaces.RealOutput theta_1x(final quantity="Angle", final unit="rad", displayUnit="deg")
    "Swing angle of rope 1 in the x-z plane"
    annotation (Placement(transformation(extent={{100,-57},{108,-49}})));
  Interfaces.RealOutput theta_1y(final quantity="Angle", final unit="rad", displayUnit="deg")
    "Swing angle of rope 1 in the y-z plane"
    annotation (Placement(transformation(extent={{100,-62},{108,-54}})));
  Interfaces.RealOutput theta_2x(final quantity="Angle", final unit="rad", displayUnit="deg")
    "Swing angle of rope 2 in the x-z plane"
    annotation (Placement(transformation(extent={{100,-66},{108,-58}})));
  Interfaces.RealOutput theta_2y(final quantity="Angle", final unit="rad", displayUnit="deg")
    "Swing angle of rope 2 in the y-z plane"
    annotation (Placement(transformation(extent={{100,-71},{108,-63}})));
  Interfaces.RealOutput theta_3x(final quantity="Angle", final unit="rad", displayUnit="deg")
    "Swing angle of rope 3 in the x-z plane"
    annotation (Placement(transformation(extent={{100,-75},{108,-67}})));
  Interfaces.RealOutput theta_3y(final quantity="Angle", final unit="rad", displayUnit="deg")
    "Swing angle of rope 3 in the y-z plane"
    annotation (Placement(transformation(extent={{100,-80},{108,-72}})));
  Interfaces.RealOutput energy(final quantity="Energy", final unit="J")
    "Kinetic and potential energy, the latter zero at r_z = 0"
    annotation (Placement(transformation(extent={{100,-84},{108,-76}})));

  Cranes.Cablev crane(final useWind=useWind, m_0=m_0, m_1=m_1, m_2=m_2, m_3=m_3, m=m, J_1=J_1,
      J_2=J_2, J_3=J_3, r_1=r_1, r_2=r_2, r_3=r_3, l_1=l_1, l_2=l_2, b=b, J_x=J_x, J_y=J_y,
      J_z=J_z, g=g, p_g0_start=p_g0_start, p_g1_start=p_g1_start, p_g2_start=p_g2_start,
      p_g3_start=p_g3_start, r_x_start=r_x_start, r_y_start=r_y_start, r_z_start=r_z_start,
      phi_1_start=phi_1_start, phi_2_start=phi_2_start, phi_3_start=phi_3_start,
      v_p_g0_start=v_p_g0_start, v_p_g1_start=v_p_g1_start, v_p_g2_start=v_p_g2_start,
      v_p_g3_start=v_p_g3_start, v_r_x_start=v_r_x_start, v_r_y_start=v_r_y_start,
      v_r_z_start=v_r_z_start, omega_1_start=omega_1_start, omega_2_start=omega_2_start,
      omega_3_start=omega_3_start)
    "The crane: its equations"
    annotation (Placement(transformation(extent={{-30,-30},{30,30}})));
equation
  connect(F_wind_x, crane.F_wind_x)
    annotation (Line(points={{-60,-110},{-60,-60},{-20,-60},{-20,-30}}, color={0,0,127}));
  connect(F_wind_y, crane.F_wind_y)
    annotation (Line(points={{0,-110},{0,-60},{0,-60},{0,-30}}, color={0,0,127}));
  connect(F_wind_z, crane.F_wind_z)
    annotation (Line(points={{60,-110},{60,-60},{20,-60},{20,-30}}, color={0,0,127}));
  r_x = crane.r_x;
  r_y = crane.r_y;
  r_z = crane.r_z;
  phi_1 = crane.phi_1;
  phi_2 = crane.phi_2;
  phi_3 = crane.phi_3;
  x_0 = crane.x_0;
  v_r_x = crane.v_r_x;
  v_r_y = crane.v_r_y;
  v_r_z = crane.v_r_z;
  omega_1 = crane.omega_1;
  omega_2 = crane.omega_2;
  omega_3 = crane.omega_3;
  p_g0 = crane.p_g0;
  p_g1 = crane.p_g1;
  p_g2 = crane.p_g2;
  p_g3 = crane.p_g3;
  p_c1 = crane.p_c1;
  p_c2 = crane.p_c2;
  p_c3 = crane.p_c3;
  v_p_g0 = crane.v_p_g0;
  v_p_g1 = crane.v_p_g1;
  v_p_g2 = crane.v_p_g2;
  v_p_g3 = crane.v_p_g3;
  v_p_c1 = crane.v_p_c1;
  v_p_c2 = crane.v_p_c2;
  v_p_c3 = crane.v_p_c3;
  T_1 = crane.T_1;
  T_2 = crane.T_2;
  T_3 = crane.T_3;
  theta_1x = crane.theta_1x;
  theta_1y = crane.theta_1y;
  theta_2x = crane.theta_2x;
  theta_2y = crane.theta_2y;
  theta_3x = crane.theta_3x;
  theta_3y = crane.theta_3y;
  energy = crane.energy;
  annotation (Documentation(info="<html>
<p>What <a href=\"modelica://Cranes.Blocks.Cablev\">Blocks.Cablev</a> and
<a href=\"modelica://Cranes.Mechanics.Cablev\">Mechanics.Cablev</a> have in
common; the equations are those of
<a href=\"modelica://Cranes.Cablev\">Cranes.Cablev</a>.</p>
</html>"));
end Cablev;
