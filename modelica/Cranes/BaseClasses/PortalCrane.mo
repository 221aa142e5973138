within Cranes.BaseClasses;
partial model PortalCrane "What the versions of PortalCrane with connectors have in common"
  extends Icons.Crane;
  extends Interfaces.OptionalWind(useWind=false);

  parameter Types.Mass m = 15000 "Mass of the load";
  parameter Types.Mass m_b = 40000 "Mass of the bridge";
  parameter Types.Inertia J_b = 4e6 "Moment of inertia of the bridge about the vertical, at its centre";
  parameter Types.Length a = 15 "Distance of each rail from the middle between them";
  parameter Types.RotationalStiffness c_psi = 2e8 "Stiffness of the legs against skewing";
  parameter Types.Mass m_t = 3000 "Mass of the trolley";
  parameter Types.Inertia J_w = 60 "Moment of inertia of the winch";
  parameter Types.Length r_w = 0.3 "Radius of the drum";
  parameter Types.Acceleration g = 9.81 "Gravity";
  parameter Types.Position x_b_start = 0 "Start value of x_b";
  parameter Types.Angle psi_start = 0 "Start value of psi";
  parameter Types.Position s_start = -5 "Start value of s";
  parameter Types.Position x_start = 0 "Start value of x";
  parameter Types.Position y_start = -5 "Start value of y";
  parameter Types.Position z_start = -15 "Start value of z";
  parameter Types.Velocity v_x_b_start = 0 "Start value of v_x_b";
  parameter Types.AngularVelocity v_psi_start = 0 "Start value of v_psi";
  parameter Types.Velocity v_s_start = 0 "Start value of v_s";
  parameter Types.Velocity v_x_start = 0 "Start value of v_x";
  parameter Types.Velocity v_y_start = 0 "Start value of v_y";
  parameter Types.Velocity v_z_start = 0 "Start value of v_z";

  Interfaces.ForceInput F_wind_x(start=0) if useWind "Wind force on the load, along the rails"
    annotation (Placement(transformation(extent={{-10,-10},{10,10}}, rotation=90, origin={-60,-110})));
  Interfaces.ForceInput F_wind_y(start=0) if useWind "Wind force on the load, across the rails"
    annotation (Placement(transformation(extent={{-10,-10},{10,10}}, rotation=90, origin={0,-110})));
  Interfaces.ForceInput F_wind_z(start=0) if useWind "Wind force on the load, vertical"
    annotation (Placement(transformation(extent={{-10,-10},{10,10}}, rotation=90, origin={60,-110})));

  Interfaces.RealOutput x(final quantity="Length", final unit="m")
    "Load, along the rails"
    annotation (Placement(transformation(extent={{100,76},{108,84}})));
  Interfaces.RealOutput y(final quantity="Length", final unit="m")
    "Load, across the rails"
    annotation (Placement(transformation(extent={{100,70},{108,78}})));
  Interfaces.RealOutput z(final quantity="Length", final unit="m")
    "Load, vertical, zero at the trolley"
    annotation (Placement(transformation(extent={{100,63},{108,71}})));
  Interfaces.RealOutput psi(final quantity="Angle", final unit="rad", displayUnit="deg")
    "Skew angle of the bridge"
    annotation (Placement(transformation(extent={{100,57},{108,65}})));
  Interfaces.RealOutput v_x(final quantity="Velocity", final unit="m/s")
    "Velocity of the load, along the rails"
    annotation (Placement(transformation(extent={{100,50},{108,58}})));
  Interfaces.RealOutput v_y(final quantity="Velocity", final unit="m/s")
    "Velocity of the load, across the rails"
    annotation (Placement(transformation(extent={{100,44},{108,52}})));
  Interfaces.RealOutput v_z(final quantity="Velocity", final unit="m/s")
    "Velocity of the load, vertical"
    annotation (Placement(transformation(extent={{100,38},{108,46}})));
  Interfaces.RealOutput v_psi(final quantity="AngularVelocity", final unit="rad/s")
    "Angular velocity of the bridge"
    annotation (Placement(transformation(extent={{100,31},{108,39}})));
  Interfaces.RealOutput x_1(final quantity="Length", final unit="m")
    "Position of travel drive 1, at y = a cos(psi)"
    annotation (Placement(transformation(extent={{100,25},{108,33}})));
  Interfaces.RealOutput x_2(final quantity="Length", final unit="m")
    "Position of travel drive 2, at y = -a cos(psi)"
    annotation (Placement(transformation(extent={{100,18},{108,26}})));
  Interfaces.RealOutput x_b(final quantity="Length", final unit="m")
    "Position of the bridge's centre"
    annotation (Placement(transformation(extent={{100,12},{108,20}})));
  Interfaces.RealOutput s(final quantity="Length", final unit="m")
    "Position of the trolley on the bridge, from its centre towards drive 1"
    annotation (Placement(transformation(extent={{100,6},{108,14}})));
  Interfaces.RealOutput l(final quantity="Length", final unit="m")
    "Length of the rope"
    annotation (Placement(transformation(extent={{100,-1},{108,7}})));
  Interfaces.RealOutput v_x_1(final quantity="Velocity", final unit="m/s")
    "Velocity of travel drive 1"
    annotation (Placement(transformation(extent={{100,-7},{108,1}})));
  Interfaces.RealOutput v_x_2(final quantity="Velocity", final unit="m/s")
    "Velocity of travel drive 2"
    annotation (Placement(transformation(extent={{100,-14},{108,-6}})));
  Interfaces.RealOutput v_x_b(final quantity="Velocity", final unit="m/s")
    "Velocity of the bridge's centre"
    annotation (Placement(transformation(extent={{100,-20},{108,-12}})));
  Interfaces.RealOutput v_s(final quantity="Velocity", final unit="m/s")
    "Velocity of the trolley on the bridge"
    annotation (Placement(transformation(extent={{100,-26},{108,-18}})));
  Interfaces.RealOutput v_l(final quantity="Velocity", final unit="m/s")
    "Velocity of the rope"
    annotation (Placement(transformation(extent={{100,-33},{108,-25}})));
  Interfaces.RealOutput theta_1(final quantity="Angle", final unit="rad", displayUnit="deg")
    "Swing angle along the rails, positive towards positive x"
    annotation (Placement(transformation(extent={{100,-39},{108,-31}})));
  Interfaces.RealOutput theta_2(final quantity="Angle", final unit="rad", displayUnit="deg")
    "Swing angle across the rails, positive towards positive y"
    annotation (Placement(transformation(extent={{100,-46},{108,-38}})));
  Interfaces.RealOutput v_theta_1(final quantity="AngularVelocity", final unit="rad/s")
    "Angular velocity of theta_1"
    annotation (Placement(transformation(extent={{100,-52},{108,-44}})));
  Interfaces.RealOutput v_theta_2(final quantity="AngularVelocity", final unit="rad/s")
    "Angular velocity of theta_2"
    annotation (Placement(transformation(extent={{100,-58},{108,-50}})));
  Interfaces.RealOutput x_t(final quantity="Length", final unit="m")
    "Trolley, along the rails"
    annotation (Placement(transformation(extent={{100,-65},{108,-57}})));
  Interfaces.RealOutput y_t(final quantity="Length", final unit="m")
    "Trolley, across the rails"
    annotation (Placement(transformation(extent={{100,-71},{108,-63}})));
  Interfaces.RealOutput T_cable(final quantity="Force", final unit="N")
    "Force in the rope, positive pulls"
    annotation (Placement(transformation(extent={{100,-78},{108,-70}})));
  Interfaces.RealOutput energy(final quantity="Energy", final unit="J")
    "Kinetic and potential energy, the latter zero at z = 0 and psi = 0"
    annotation (Placement(transformation(extent={{100,-84},{108,-76}})));

  Cranes.PortalCrane crane(final useWind=useWind, m=m, m_b=m_b, J_b=J_b, a=a, c_psi=c_psi,
      m_t=m_t, J_w=J_w, r_w=r_w, g=g, x_b_start=x_b_start, psi_start=psi_start, s_start=s_start,
      x_start=x_start, y_start=y_start, z_start=z_start, v_x_b_start=v_x_b_start,
      v_psi_start=v_psi_start, v_s_start=v_s_start, v_x_start=v_x_start, v_y_start=v_y_start,
      v_z_start=v_z_start)
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
  psi = crane.psi;
  v_x = crane.v_x;
  v_y = crane.v_y;
  v_z = crane.v_z;
  v_psi = crane.v_psi;
  x_1 = crane.x_1;
  x_2 = crane.x_2;
  x_b = crane.x_b;
  s = crane.s;
  l = crane.l;
  v_x_1 = crane.v_x_1;
  v_x_2 = crane.v_x_2;
  v_x_b = crane.v_x_b;
  v_s = crane.v_s;
  v_l = crane.v_l;
  theta_1 = crane.theta_1;
  theta_2 = crane.theta_2;
  v_theta_1 = crane.v_theta_1;
  v_theta_2 = crane.v_theta_2;
  x_t = crane.x_t;
  y_t = crane.y_t;
  T_cable = crane.T_cable;
  energy = crane.energy;
  annotation (Documentation(info="<html>
<p>What <a href=\"modelica://Cranes.Blocks.PortalCrane\">Blocks.PortalCrane</a> and
<a href=\"modelica://Cranes.Mechanics.PortalCrane\">Mechanics.PortalCrane</a> have in
common; the equations are those of
<a href=\"modelica://Cranes.PortalCrane\">Cranes.PortalCrane</a>.</p>
</html>"));
end PortalCrane;
