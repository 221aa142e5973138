within Cranes.BaseClasses;
partial model RotaryCraneFriction "What the versions of RotaryCraneFriction with connectors have in common"
  extends Icons.Crane;
  extends Interfaces.OptionalWind(useWind=false);

  parameter Types.Mass m = 100 "Mass of the load";
  parameter Types.Mass m_t = 10 "Mass of the trolley";
  parameter Types.Inertia J_w = 0.1 "Moment of inertia of the winch";
  parameter Types.Inertia J_b = 480 "Moment of inertia of the bridge about the tower axis";
  parameter Types.Length r_w = 0.1 "Radius of the winch";
  parameter Types.Acceleration g = 9.81 "Gravity";
  parameter Types.RotationalStiffness E_b = 1e5 "Presliding stiffness of the slewing drive's friction";
  parameter Types.Torque M_max_b = 0 "Coulomb friction of the slewing drive; 0: it has none";
  parameter Types.Torque M_static_b = 0 "Static friction of the slewing drive, if above M_max_b";
  parameter Types.AngularVelocity omega_stribeck_b = 0.1 "Rate over which it falls to M_max_b";
  parameter Types.RotationalDamping d_b = 0 "Viscous friction of the slewing drive";
  parameter Types.Torque M_spring_b_start = 0 "Torque in the slewing drive's friction at the start";
  parameter Types.Stiffness E_t = 1e6 "Presliding stiffness of the trolley's friction";
  parameter Types.Force F_max = 0 "Coulomb friction of the trolley; 0: it has none";
  parameter Types.Force F_static = 0 "Static friction of the trolley, if it is above F_max";
  parameter Types.Velocity v_stribeck = 0.01 "Velocity over which it falls to F_max";
  parameter Types.Damping d_t = 0 "Viscous friction of the trolley";
  parameter Types.Force F_spring_start = 0 "Force in the trolley's friction at the start";
  parameter Types.RotationalStiffness E_w = 1e5 "Presliding stiffness of the winch's friction";
  parameter Types.Torque M_max = 0 "Coulomb friction of the winch; 0: it has none";
  parameter Types.Torque M_static = 0 "Static friction of the winch, if above M_max";
  parameter Types.AngularVelocity omega_stribeck = 0.1 "Rate over which it falls to M_max";
  parameter Types.RotationalDamping d_w = 0 "Viscous friction of the winch";
  parameter Types.Torque M_spring_start = 0 "Torque in the winch's friction at the start";
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
    annotation (Placement(transformation(extent={{100,68},{108,76}})));
  Interfaces.RealOutput z(final quantity="Length", final unit="m")
    "Load, vertical, zero at the girder"
    annotation (Placement(transformation(extent={{100,61},{108,69}})));
  Interfaces.RealOutput v_x(final quantity="Velocity", final unit="m/s")
    "Velocity of the load"
    annotation (Placement(transformation(extent={{100,53},{108,61}})));
  Interfaces.RealOutput v_y(final quantity="Velocity", final unit="m/s")
    "Velocity of the load"
    annotation (Placement(transformation(extent={{100,45},{108,53}})));
  Interfaces.RealOutput v_z(final quantity="Velocity", final unit="m/s")
    "Velocity of the load, vertical"
    annotation (Placement(transformation(extent={{100,37},{108,45}})));
  Interfaces.RealOutput phi(final quantity="Angle", final unit="rad", displayUnit="deg")
    "Slewing angle"
    annotation (Placement(transformation(extent={{100,30},{108,38}})));
  Interfaces.RealOutput s(final quantity="Length", final unit="m")
    "Distance of the trolley from the tower axis"
    annotation (Placement(transformation(extent={{100,22},{108,30}})));
  Interfaces.RealOutput l(final quantity="Length", final unit="m")
    "Length of the rope"
    annotation (Placement(transformation(extent={{100,14},{108,22}})));
  Interfaces.RealOutput v_phi(final quantity="AngularVelocity", final unit="rad/s")
    "Slewing velocity"
    annotation (Placement(transformation(extent={{100,6},{108,14}})));
  Interfaces.RealOutput v_s(final quantity="Velocity", final unit="m/s")
    "Velocity of the trolley on the bridge"
    annotation (Placement(transformation(extent={{100,-1},{108,7}})));
  Interfaces.RealOutput v_l(final quantity="Velocity", final unit="m/s")
    "Velocity of the rope"
    annotation (Placement(transformation(extent={{100,-9},{108,-1}})));
  Interfaces.RealOutput theta_1(final quantity="Angle", final unit="rad", displayUnit="deg")
    "Swing angle about the bridge, zero for a vertical rope"
    annotation (Placement(transformation(extent={{100,-17},{108,-9}})));
  Interfaces.RealOutput theta_2(final quantity="Angle", final unit="rad", displayUnit="deg")
    "Swing angle in the plane of bridge and rope, zero for a vertical rope"
    annotation (Placement(transformation(extent={{100,-24},{108,-16}})));
  Interfaces.RealOutput v_theta_1(final quantity="AngularVelocity", final unit="rad/s")
    "Angular velocity of theta_1"
    annotation (Placement(transformation(extent={{100,-32},{108,-24}})));
  Interfaces.RealOutput v_theta_2(final quantity="AngularVelocity", final unit="rad/s")
    "Angular velocity of theta_2"
    annotation (Placement(transformation(extent={{100,-40},{108,-32}})));
  Interfaces.RealOutput T_cable(final quantity="Force", final unit="N")
    "Force in the rope, positive pulls"
    annotation (Placement(transformation(extent={{100,-48},{108,-40}})));
  Interfaces.RealOutput energy(final quantity="Energy", final unit="J")
    "Mechanical energy, with that of springs in the friction"
    annotation (Placement(transformation(extent={{100,-55},{108,-47}})));
  Interfaces.RealOutput L_z(final quantity="AngularMomentum", final unit="kg.m2/s")
    "Angular momentum about the tower axis"
    annotation (Placement(transformation(extent={{100,-63},{108,-55}})));
  Interfaces.RealOutput M_friction_b(final quantity="Torque", final unit="N.m")
    "Friction of the slewing drive"
    annotation (Placement(transformation(extent={{100,-71},{108,-63}})));
  Interfaces.RealOutput F_friction(final quantity="Force", final unit="N")
    "Friction of the trolley"
    annotation (Placement(transformation(extent={{100,-79},{108,-71}})));
  Interfaces.RealOutput M_friction(final quantity="Torque", final unit="N.m")
    "Friction of the winch"
    annotation (Placement(transformation(extent={{100,-86},{108,-78}})));
  Interfaces.RealOutput heat(final quantity="Energy", final unit="J")
    "Energy that friction turned into heat"
    annotation (Placement(transformation(extent={{100,-94},{108,-86}})));

  Cranes.RotaryCraneFriction crane(final useWind=useWind, m=m, m_t=m_t, J_w=J_w, J_b=J_b, r_w=r_w,
      g=g, E_b=E_b, M_max_b=M_max_b, M_static_b=M_static_b, omega_stribeck_b=omega_stribeck_b,
      d_b=d_b, M_spring_b_start=M_spring_b_start, E_t=E_t, F_max=F_max, F_static=F_static,
      v_stribeck=v_stribeck, d_t=d_t, F_spring_start=F_spring_start, E_w=E_w, M_max=M_max,
      M_static=M_static, omega_stribeck=omega_stribeck, d_w=d_w, M_spring_start=M_spring_start,
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
  M_friction_b = crane.M_friction_b;
  F_friction = crane.F_friction;
  M_friction = crane.M_friction;
  heat = crane.heat;
  annotation (Documentation(info="<html>
<p>What <a href=\"modelica://Cranes.Blocks.RotaryCraneFriction\">Blocks.RotaryCraneFriction</a> have in
common; the equations are those of
<a href=\"modelica://Cranes.RotaryCraneFriction\">Cranes.RotaryCraneFriction</a>.</p>
</html>"));
end RotaryCraneFriction;
