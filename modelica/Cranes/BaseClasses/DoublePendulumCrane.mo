within Cranes.BaseClasses;
partial model DoublePendulumCrane "What the versions of DoublePendulumCrane with connectors have in common"
  extends Icons.Crane;
  extends Interfaces.OptionalWind(useWind=false);

  parameter Types.Mass m = 8000 "Mass of the load";
  parameter Types.Mass m_h = 600 "Mass of the hook";
  parameter Types.Mass m_t = 1800 "Mass of the trolley";
  parameter Types.Length l_2 = 3 "Length of the sling, from the hook to the load";
  parameter Types.Inertia J = 60 "Moment of inertia of winch and motor at the drum";
  parameter Types.Length r = 0.2 "Radius of the drum";
  parameter Types.Acceleration g = 9.81 "Gravity";
  parameter Types.Damping d_t = 0 "Viscous friction of the trolley; 0 switches it off";
  parameter Types.Force F_c = 0 "Coulomb friction of the trolley; 0 switches it off";
  parameter Types.Velocity v_c = 0.01 "Velocity that smooths the trolley's Coulomb friction";
  parameter Types.RotationalDamping d_w = 0 "Viscous friction of the winch; 0 switches it off";
  parameter Types.Torque M_c = 0 "Coulomb friction of the winch; 0 switches it off";
  parameter Types.AngularVelocity omega_c = 0.1 "Angular velocity that smooths the winch's";
  parameter Types.Drag c_d = 0 "Drag of the load per square of speed; 0 switches it off";
  parameter Types.Velocity w_x = 0 "Wind speed";
  parameter Types.Position s_start = 0 "Start value of s";
  parameter Types.Position x_h_start = 0 "Start value of x_h";
  parameter Types.Position z_h_start = -8 "Start value of z_h";
  parameter Types.Angle theta_2_start = 0 "Start value of theta_2";
  parameter Types.Velocity v_s_start = 0 "Start value of v_s";
  parameter Types.Velocity v_x_h_start = 0 "Start value of v_x_h";
  parameter Types.Velocity v_z_h_start = 0 "Start value of v_z_h";
  parameter Types.AngularVelocity v_theta_2_start = 0 "Start value of v_theta_2";

  Interfaces.ForceInput F_wind_x(start=0) if useWind "Wind force on the load, horizontal"
    annotation (Placement(transformation(extent={{-10,-10},{10,10}}, rotation=90, origin={-30,-110})));
  Interfaces.ForceInput F_wind_z(start=0) if useWind "Wind force on the load, vertical"
    annotation (Placement(transformation(extent={{-10,-10},{10,10}}, rotation=90, origin={30,-110})));

  Interfaces.RealOutput s(final quantity="Length", final unit="m")
    "Position of the trolley"
    annotation (Placement(transformation(extent={{100,76},{108,84}})));
  Interfaces.RealOutput x_h(final quantity="Length", final unit="m")
    "Hook, horizontal"
    annotation (Placement(transformation(extent={{100,67},{108,75}})));
  Interfaces.RealOutput z_h(final quantity="Length", final unit="m")
    "Hook, vertical, zero at the trolley"
    annotation (Placement(transformation(extent={{100,58},{108,66}})));
  Interfaces.RealOutput theta_2(final quantity="Angle", final unit="rad", displayUnit="deg")
    "Swing angle of the sling, zero for a vertical one, positive towards positive x"
    annotation (Placement(transformation(extent={{100,49},{108,57}})));
  Interfaces.RealOutput v_s(final quantity="Velocity", final unit="m/s")
    "Velocity of the trolley"
    annotation (Placement(transformation(extent={{100,40},{108,48}})));
  Interfaces.RealOutput v_x_h(final quantity="Velocity", final unit="m/s")
    "Velocity of the hook, horizontal"
    annotation (Placement(transformation(extent={{100,32},{108,40}})));
  Interfaces.RealOutput v_z_h(final quantity="Velocity", final unit="m/s")
    "Velocity of the hook, vertical"
    annotation (Placement(transformation(extent={{100,23},{108,31}})));
  Interfaces.RealOutput v_theta_2(final quantity="AngularVelocity", final unit="rad/s")
    "Angular velocity of the sling"
    annotation (Placement(transformation(extent={{100,14},{108,22}})));
  Interfaces.RealOutput x(final quantity="Length", final unit="m")
    "Load, horizontal"
    annotation (Placement(transformation(extent={{100,5},{108,13}})));
  Interfaces.RealOutput z(final quantity="Length", final unit="m")
    "Load, vertical, zero at the trolley"
    annotation (Placement(transformation(extent={{100,-4},{108,4}})));
  Interfaces.RealOutput v_x(final quantity="Velocity", final unit="m/s")
    "Velocity of the load, horizontal"
    annotation (Placement(transformation(extent={{100,-13},{108,-5}})));
  Interfaces.RealOutput v_z(final quantity="Velocity", final unit="m/s")
    "Velocity of the load, vertical"
    annotation (Placement(transformation(extent={{100,-22},{108,-14}})));
  Interfaces.RealOutput l(final quantity="Length", final unit="m")
    "Length of the rope, from the trolley to the hook"
    annotation (Placement(transformation(extent={{100,-31},{108,-23}})));
  Interfaces.RealOutput v_l(final quantity="Velocity", final unit="m/s")
    "Velocity of the rope"
    annotation (Placement(transformation(extent={{100,-40},{108,-32}})));
  Interfaces.RealOutput theta_1(final quantity="Angle", final unit="rad", displayUnit="deg")
    "Swing angle of the rope, zero for a vertical one, positive towards positive x"
    annotation (Placement(transformation(extent={{100,-48},{108,-40}})));
  Interfaces.RealOutput v_theta_1(final quantity="AngularVelocity", final unit="rad/s")
    "Angular velocity of the rope"
    annotation (Placement(transformation(extent={{100,-57},{108,-49}})));
  Interfaces.RealOutput T_cable(final quantity="Force", final unit="N")
    "Force in the rope, positive pulls"
    annotation (Placement(transformation(extent={{100,-66},{108,-58}})));
  Interfaces.RealOutput T_sling(final quantity="Force", final unit="N")
    "Force in the sling, positive pulls"
    annotation (Placement(transformation(extent={{100,-75},{108,-67}})));
  Interfaces.RealOutput energy(final quantity="Energy", final unit="J")
    "Kinetic and potential energy, the latter zero at z = 0"
    annotation (Placement(transformation(extent={{100,-84},{108,-76}})));

  Cranes.DoublePendulumCrane crane(final useWind=useWind, m=m, m_h=m_h, m_t=m_t, l_2=l_2, J=J,
      r=r, g=g, d_t=d_t, F_c=F_c, v_c=v_c, d_w=d_w, M_c=M_c, omega_c=omega_c, c_d=c_d, w_x=w_x,
      s_start=s_start, x_h_start=x_h_start, z_h_start=z_h_start, theta_2_start=theta_2_start,
      v_s_start=v_s_start, v_x_h_start=v_x_h_start, v_z_h_start=v_z_h_start,
      v_theta_2_start=v_theta_2_start)
    "The crane: its equations"
    annotation (Placement(transformation(extent={{-30,-30},{30,30}})));
equation
  connect(F_wind_x, crane.F_wind_x)
    annotation (Line(points={{-30,-110},{-30,-60},{-10,-60},{-10,-30}}, color={0,0,127}));
  connect(F_wind_z, crane.F_wind_z)
    annotation (Line(points={{30,-110},{30,-60},{10,-60},{10,-30}}, color={0,0,127}));
  s = crane.s;
  x_h = crane.x_h;
  z_h = crane.z_h;
  theta_2 = crane.theta_2;
  v_s = crane.v_s;
  v_x_h = crane.v_x_h;
  v_z_h = crane.v_z_h;
  v_theta_2 = crane.v_theta_2;
  x = crane.x;
  z = crane.z;
  v_x = crane.v_x;
  v_z = crane.v_z;
  l = crane.l;
  v_l = crane.v_l;
  theta_1 = crane.theta_1;
  v_theta_1 = crane.v_theta_1;
  T_cable = crane.T_cable;
  T_sling = crane.T_sling;
  energy = crane.energy;
  annotation (Documentation(info="<html>
<p>What <a href=\"modelica://Cranes.Blocks.DoublePendulumCrane\">Blocks.DoublePendulumCrane</a> and
<a href=\"modelica://Cranes.Mechanics.DoublePendulumCrane\">Mechanics.DoublePendulumCrane</a> have in
common; the equations are those of
<a href=\"modelica://Cranes.DoublePendulumCrane\">Cranes.DoublePendulumCrane</a>.</p>
</html>"));
end DoublePendulumCrane;
