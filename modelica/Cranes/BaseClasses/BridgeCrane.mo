within Cranes.BaseClasses;
partial model BridgeCrane "What the versions of BridgeCrane with connectors have in common"
  extends Icons.Crane;
  extends Interfaces.OptionalWind(useWind=false);

  parameter Types.Mass m = 20000 "Mass of the load";
  parameter Types.Mass m_b = 18000 "Mass of the bridge";
  parameter Types.Mass m_t = 4500 "Mass of the trolley";
  parameter Types.Inertia J_w = 250 "Moment of inertia of winch and motor at the drum";
  parameter Types.Length r_w = 0.35 "Radius of the drum";
  parameter Types.Acceleration g = 9.81 "Gravity";
  parameter Types.Damping d_b = 0 "Viscous friction of the bridge; 0 switches it off";
  parameter Types.Force F_cb = 0 "Coulomb friction of the bridge; 0 switches it off";
  parameter Types.Damping d_t = 0 "Viscous friction of the trolley; 0 switches it off";
  parameter Types.Force F_ct = 0 "Coulomb friction of the trolley; 0 switches it off";
  parameter Types.Velocity v_c = 0.01 "Velocity that smooths the Coulomb friction of both";
  parameter Types.RotationalDamping d_w = 0 "Viscous friction of the winch; 0 switches it off";
  parameter Types.Torque M_cw = 0 "Coulomb friction of the winch; 0 switches it off";
  parameter Types.AngularVelocity omega_c = 0.1 "Angular velocity that smooths the winch's";
  parameter Types.Drag c_d = 0 "Drag of the load per square of speed; 0 switches it off";
  parameter Types.Velocity w_x = 0 "Wind speed along x";
  parameter Types.Velocity w_y = 0 "Wind speed along y";
  parameter Types.Position b_start = 0 "Start value of b";
  parameter Types.Position s_start = 0 "Start value of s";
  parameter Types.Position x_start = 0 "Start value of x";
  parameter Types.Position y_start = 0 "Start value of y";
  parameter Types.Position z_start = -8 "Start value of z";
  parameter Types.Velocity v_b_start = 0 "Start value of v_b";
  parameter Types.Velocity v_s_start = 0 "Start value of v_s";
  parameter Types.Velocity v_x_start = 0 "Start value of v_x";
  parameter Types.Velocity v_y_start = 0 "Start value of v_y";
  parameter Types.Velocity v_z_start = 0 "Start value of v_z";

  Interfaces.ForceInput F_wind_x(start=0) if useWind "Wind force on the load, along x"
    annotation (Placement(transformation(extent={{-10,-10},{10,10}}, rotation=90, origin={-60,-110})));
  Interfaces.ForceInput F_wind_y(start=0) if useWind "Wind force on the load, along y"
    annotation (Placement(transformation(extent={{-10,-10},{10,10}}, rotation=90, origin={0,-110})));
  Interfaces.ForceInput F_wind_z(start=0) if useWind "Wind force on the load, vertical"
    annotation (Placement(transformation(extent={{-10,-10},{10,10}}, rotation=90, origin={60,-110})));

  Interfaces.RealOutput b(final quantity="Length", final unit="m")
    "Position of the bridge, along y"
    annotation (Placement(transformation(extent={{100,76},{108,84}})));
  Interfaces.RealOutput s(final quantity="Length", final unit="m")
    "Position of the trolley, along x"
    annotation (Placement(transformation(extent={{100,67},{108,75}})));
  Interfaces.RealOutput x(final quantity="Length", final unit="m")
    "Load, along the bridge"
    annotation (Placement(transformation(extent={{100,57},{108,65}})));
  Interfaces.RealOutput y(final quantity="Length", final unit="m")
    "Load, across the bridge"
    annotation (Placement(transformation(extent={{100,48},{108,56}})));
  Interfaces.RealOutput z(final quantity="Length", final unit="m")
    "Load, vertical, zero at the trolley"
    annotation (Placement(transformation(extent={{100,38},{108,46}})));
  Interfaces.RealOutput v_b(final quantity="Velocity", final unit="m/s")
    "Velocity of the bridge"
    annotation (Placement(transformation(extent={{100,29},{108,37}})));
  Interfaces.RealOutput v_s(final quantity="Velocity", final unit="m/s")
    "Velocity of the trolley"
    annotation (Placement(transformation(extent={{100,20},{108,28}})));
  Interfaces.RealOutput v_x(final quantity="Velocity", final unit="m/s")
    "Velocity of the load, along the bridge"
    annotation (Placement(transformation(extent={{100,10},{108,18}})));
  Interfaces.RealOutput v_y(final quantity="Velocity", final unit="m/s")
    "Velocity of the load, across the bridge"
    annotation (Placement(transformation(extent={{100,1},{108,9}})));
  Interfaces.RealOutput v_z(final quantity="Velocity", final unit="m/s")
    "Velocity of the load, vertical"
    annotation (Placement(transformation(extent={{100,-9},{108,-1}})));
  Interfaces.RealOutput l(final quantity="Length", final unit="m")
    "Length of the rope"
    annotation (Placement(transformation(extent={{100,-18},{108,-10}})));
  Interfaces.RealOutput v_l(final quantity="Velocity", final unit="m/s")
    "Velocity of the rope"
    annotation (Placement(transformation(extent={{100,-28},{108,-20}})));
  Interfaces.RealOutput theta_1(final quantity="Angle", final unit="rad", displayUnit="deg")
    "Swing angle along the bridge, positive towards positive x"
    annotation (Placement(transformation(extent={{100,-37},{108,-29}})));
  Interfaces.RealOutput theta_2(final quantity="Angle", final unit="rad", displayUnit="deg")
    "Swing angle across the bridge, positive towards positive y"
    annotation (Placement(transformation(extent={{100,-46},{108,-38}})));
  Interfaces.RealOutput v_theta_1(final quantity="AngularVelocity", final unit="rad/s")
    "Angular velocity of theta_1"
    annotation (Placement(transformation(extent={{100,-56},{108,-48}})));
  Interfaces.RealOutput v_theta_2(final quantity="AngularVelocity", final unit="rad/s")
    "Angular velocity of theta_2"
    annotation (Placement(transformation(extent={{100,-65},{108,-57}})));
  Interfaces.RealOutput T_cable(final quantity="Force", final unit="N")
    "Force in the rope, positive pulls"
    annotation (Placement(transformation(extent={{100,-75},{108,-67}})));
  Interfaces.RealOutput energy(final quantity="Energy", final unit="J")
    "Kinetic and potential energy, the latter zero at z = 0"
    annotation (Placement(transformation(extent={{100,-84},{108,-76}})));

  Cranes.BridgeCrane crane(final useWind=useWind, m=m, m_b=m_b, m_t=m_t, J_w=J_w, r_w=r_w, g=g,
      d_b=d_b, F_cb=F_cb, d_t=d_t, F_ct=F_ct, v_c=v_c, d_w=d_w, M_cw=M_cw, omega_c=omega_c,
      c_d=c_d, w_x=w_x, w_y=w_y, b_start=b_start, s_start=s_start, x_start=x_start,
      y_start=y_start, z_start=z_start, v_b_start=v_b_start, v_s_start=v_s_start,
      v_x_start=v_x_start, v_y_start=v_y_start, v_z_start=v_z_start)
    "The crane: its equations"
    annotation (Placement(transformation(extent={{-30,-30},{30,30}})));
equation
  connect(F_wind_x, crane.F_wind_x)
    annotation (Line(points={{-60,-110},{-60,-60},{-20,-60},{-20,-30}}, color={0,0,127}));
  connect(F_wind_y, crane.F_wind_y)
    annotation (Line(points={{0,-110},{0,-60},{0,-60},{0,-30}}, color={0,0,127}));
  connect(F_wind_z, crane.F_wind_z)
    annotation (Line(points={{60,-110},{60,-60},{20,-60},{20,-30}}, color={0,0,127}));
  b = crane.b;
  s = crane.s;
  x = crane.x;
  y = crane.y;
  z = crane.z;
  v_b = crane.v_b;
  v_s = crane.v_s;
  v_x = crane.v_x;
  v_y = crane.v_y;
  v_z = crane.v_z;
  l = crane.l;
  v_l = crane.v_l;
  theta_1 = crane.theta_1;
  theta_2 = crane.theta_2;
  v_theta_1 = crane.v_theta_1;
  v_theta_2 = crane.v_theta_2;
  T_cable = crane.T_cable;
  energy = crane.energy;
  annotation (Documentation(info="<html>
<p>What <a href=\"modelica://Cranes.Blocks.BridgeCrane\">Blocks.BridgeCrane</a> and
<a href=\"modelica://Cranes.Mechanics.BridgeCrane\">Mechanics.BridgeCrane</a> have in
common; the equations are those of
<a href=\"modelica://Cranes.BridgeCrane\">Cranes.BridgeCrane</a>.</p>
</html>"));
end BridgeCrane;
