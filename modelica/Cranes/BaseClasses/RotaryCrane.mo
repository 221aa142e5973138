within Cranes.BaseClasses;
partial model RotaryCrane "What the versions of RotaryCrane with connectors have in common"
  extends Icons.Crane;
  extends Interfaces.OptionalWind(useWind=false);

  parameter Types.Mass m = 100 "Mass of the load";
  parameter Types.Mass m_t = 10 "Mass of the trolley";
  parameter Types.Inertia J_w = 0.1 "Moment of inertia of the winch";
  parameter Types.Inertia J_b = 480 "Moment of inertia of the bridge about the tower axis";
  parameter Types.Length r_w = 0.1 "Radius of the winch";
  parameter Types.Acceleration g = 9.81 "Gravity";
  parameter Types.Angle phi_start = 0 "Start value of phi";
  parameter Types.Position s_start = 5 "Start value of s";
  parameter Types.Length l_start = 5 "Start value of l";
  parameter Types.Angle theta_1_start = 0 "Start value of theta_1";
  parameter Types.Angle theta_2_start = 0 "Start value of theta_2";
  parameter Types.AngularVelocity v_phi_start = 0 "Start value of v_phi";
  parameter Types.Velocity v_s_start = 0 "Start value of v_s";
  parameter Types.Velocity v_l_start = 0 "Start value of v_l";
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
    annotation (Placement(transformation(extent={{100,67},{108,75}})));
  Interfaces.RealOutput z(final quantity="Length", final unit="m")
    "Load, vertical, zero at the girder"
    annotation (Placement(transformation(extent={{100,58},{108,66}})));
  Interfaces.RealOutput v_x(final quantity="Velocity", final unit="m/s")
    "Velocity of the load"
    annotation (Placement(transformation(extent={{100,49},{108,57}})));
  Interfaces.RealOutput v_y(final quantity="Velocity", final unit="m/s")
    "Velocity of the load"
    annotation (Placement(transformation(extent={{100,40},{108,48}})));
  Interfaces.RealOutput v_z(final quantity="Velocity", final unit="m/s")
    "Velocity of the load, vertical"
    annotation (Placement(transformation(extent={{100,32},{108,40}})));
  Interfaces.RealOutput phi(final quantity="Angle", final unit="rad", displayUnit="deg")
    "Slewing angle"
    annotation (Placement(transformation(extent={{100,23},{108,31}})));
  Interfaces.RealOutput s(final quantity="Length", final unit="m")
    "Distance of the trolley from the tower axis"
    annotation (Placement(transformation(extent={{100,14},{108,22}})));
  Interfaces.RealOutput l(final quantity="Length", final unit="m")
    "Length of the rope"
    annotation (Placement(transformation(extent={{100,5},{108,13}})));
  Interfaces.RealOutput v_phi(final quantity="AngularVelocity", final unit="rad/s")
    "Slewing velocity"
    annotation (Placement(transformation(extent={{100,-4},{108,4}})));
  Interfaces.RealOutput v_s(final quantity="Velocity", final unit="m/s")
    "Velocity of the trolley on the bridge"
    annotation (Placement(transformation(extent={{100,-13},{108,-5}})));
  Interfaces.RealOutput v_l(final quantity="Velocity", final unit="m/s")
    "Velocity of the rope"
    annotation (Placement(transformation(extent={{100,-22},{108,-14}})));
  Interfaces.RealOutput theta_1(final quantity="Angle", final unit="rad", displayUnit="deg")
    "Swing angle about the bridge, zero for a vertical rope"
    annotation (Placement(transformation(extent={{100,-31},{108,-23}})));
  Interfaces.RealOutput theta_2(final quantity="Angle", final unit="rad", displayUnit="deg")
    "Swing angle in the plane of bridge and rope, zero for a vertical rope"
    annotation (Placement(transformation(extent={{100,-40},{108,-32}})));
  Interfaces.RealOutput v_theta_1(final quantity="AngularVelocity", final unit="rad/s")
    "Angular velocity of theta_1"
    annotation (Placement(transformation(extent={{100,-48},{108,-40}})));
  Interfaces.RealOutput v_theta_2(final quantity="AngularVelocity", final unit="rad/s")
    "Angular velocity of theta_2"
    annotation (Placement(transformation(extent={{100,-57},{108,-49}})));
  Interfaces.RealOutput T_cable(final quantity="Force", final unit="N")
    "Force in the rope, positive pulls"
    annotation (Placement(transformation(extent={{100,-66},{108,-58}})));
  Interfaces.RealOutput energy(final quantity="Energy", final unit="J")
    "Kinetic and potential energy, the latter zero at z = 0"
    annotation (Placement(transformation(extent={{100,-75},{108,-67}})));
  Interfaces.RealOutput L_z(final quantity="AngularMomentum", final unit="kg.m2/s")
    "Angular momentum about the tower axis"
    annotation (Placement(transformation(extent={{100,-84},{108,-76}})));

  Cranes.RotaryCrane crane(final useWind=useWind, m=m, m_t=m_t, J_w=J_w, J_b=J_b, r_w=r_w, g=g,
      phi_start=phi_start, s_start=s_start, l_start=l_start, theta_1_start=theta_1_start,
      theta_2_start=theta_2_start, v_phi_start=v_phi_start, v_s_start=v_s_start,
      v_l_start=v_l_start, v_theta_1_start=v_theta_1_start, v_theta_2_start=v_theta_2_start)
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
  phi = crane.phi;
  s = crane.s;
  l = crane.l;
  v_phi = crane.v_phi;
  v_s = crane.v_s;
  v_l = crane.v_l;
  theta_1 = crane.theta_1;
  theta_2 = crane.theta_2;
  v_theta_1 = crane.v_theta_1;
  v_theta_2 = crane.v_theta_2;
  T_cable = crane.T_cable;
  energy = crane.energy;
  L_z = crane.L_z;
  annotation (Documentation(info="<html>
<p>What <a href=\"modelica://Cranes.Blocks.RotaryCrane\">Blocks.RotaryCrane</a> and
<a href=\"modelica://Cranes.Mechanics.RotaryCrane\">Mechanics.RotaryCrane</a> have in
common; the equations are those of
<a href=\"modelica://Cranes.RotaryCrane\">Cranes.RotaryCrane</a>.</p>
</html>"));
end RotaryCrane;
