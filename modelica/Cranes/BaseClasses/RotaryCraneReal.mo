within Cranes.BaseClasses;
partial model RotaryCraneReal "What the versions of RotaryCraneReal with connectors have in common"
  extends Icons.Crane;
  extends Interfaces.OptionalWind(useWind=false);

  parameter Types.Mass m = 100 "Mass of the load";
  parameter Types.Mass m_t = 10 "Mass of the trolley";
  parameter Types.Inertia J_w = 0.1 "Moment of inertia of the winch";
  parameter Types.Inertia J_b = 480 "Moment of inertia of the bridge about the tower axis";
  parameter Types.Length r_w = 0.1 "Radius of the winch";
  parameter Types.Acceleration g = 9.81 "Gravity";
  parameter Types.Stiffness k_r = 1e7
    "Stiffness of the rope; the default is stiff: 0.1 mm stretch under the load's weight";
  parameter Types.Damping d_r = 0 "Damping of the rope; 0 switches it off";
  parameter Types.Force EA = 0
    "Stiffness of the rope by strain; above 1 N it takes the place of k_r, 0 switches it off";
  parameter Real D(unit="N.s") = 0 "Damping of the rope by strain rate, beside d_r";
  parameter Types.RotationalDamping d_b = 0 "Viscous friction of the slewing; 0 switches it off";
  parameter Types.Torque M_cb = 0 "Coulomb friction of the slewing; 0 switches it off";
  parameter Types.Damping d_t = 0 "Viscous friction of the trolley; 0 switches it off";
  parameter Types.Force F_c = 0 "Coulomb friction of the trolley; 0 switches it off";
  parameter Types.RotationalDamping d_w = 0 "Viscous friction of the winch; 0 switches it off";
  parameter Types.Torque M_c = 0 "Coulomb friction of the winch; 0 switches it off";
  parameter Types.Torque M_sb = 0 "Static friction of the slewing; 0: it does not stick";
  parameter Types.Force F_s = 0 "Static friction of the trolley; 0: it does not stick";
  parameter Types.Torque M_s = 0 "Static friction of the winch; 0: it does not stick";
  parameter Types.AngularVelocity omega_cb = 0.001
    "Angular velocity that smooths the slewing's Coulomb friction";
  parameter Types.Velocity v_c = 0.01 "Velocity that smooths the trolley's Coulomb friction";
  parameter Types.AngularVelocity omega_c = 0.1 "Angular velocity that smooths the winch's";
  parameter Types.Position s_min = -1000 "End stop of the trolley; the default is out of reach";
  parameter Types.Position s_max = 1000 "End stop of the trolley; the default is out of reach";
  parameter Types.Stiffness k_e = 1e5 "Stiffness of the end stops' buffers";
  parameter Types.Damping d_e = 1e3 "Damping of the end stops' buffers";
  parameter Types.Time tau_b = 0 "Time constant of the slewing drive; 0 switches the lag off";
  parameter Types.Time tau_t = 0 "Time constant of the trolley's drive; 0 switches the lag off";
  parameter Types.Time tau_w = 0 "Time constant of the winch's drive; 0 switches the lag off";
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

  Interfaces.ForceInput F_wind_x(start=0) if useWind "Wind force on the load"
    annotation (Placement(transformation(extent={{-10,-10},{10,10}}, rotation=90, origin={-60,-110})));
  Interfaces.ForceInput F_wind_y(start=0) if useWind "Wind force on the load"
    annotation (Placement(transformation(extent={{-10,-10},{10,10}}, rotation=90, origin={0,-110})));
  Interfaces.ForceInput F_wind_z(start=0) if useWind "Wind force on the load, vertical"
    annotation (Placement(transformation(extent={{-10,-10},{10,10}}, rotation=90, origin={60,-110})));

  Interfaces.RealOutput x(final quantity="Length", final unit="m")
    "Load"
    annotation (Placement(transformation(extent={{100,76},{108,84}})));
  Interfaces.RealOutput y(final quantity="Length", final unit="m")
    "Load"
    annotation (Placement(transformation(extent={{100,69},{108,77}})));
  Interfaces.RealOutput z(final quantity="Length", final unit="m")
    "Load, vertical, zero at the girder"
    annotation (Placement(transformation(extent={{100,63},{108,71}})));
  Interfaces.RealOutput v_x(final quantity="Velocity", final unit="m/s")
    "Velocity of the load"
    annotation (Placement(transformation(extent={{100,56},{108,64}})));
  Interfaces.RealOutput v_y(final quantity="Velocity", final unit="m/s")
    "Velocity of the load"
    annotation (Placement(transformation(extent={{100,49},{108,57}})));
  Interfaces.RealOutput v_z(final quantity="Velocity", final unit="m/s")
    "Velocity of the load, vertical"
    annotation (Placement(transformation(extent={{100,43},{108,51}})));
  Interfaces.RealOutput phi(final quantity="Angle", final unit="rad", displayUnit="deg")
    "Slewing angle"
    annotation (Placement(transformation(extent={{100,36},{108,44}})));
  Interfaces.RealOutput s(final quantity="Length", final unit="m")
    "Distance of the trolley from the tower axis"
    annotation (Placement(transformation(extent={{100,29},{108,37}})));
  Interfaces.RealOutput l(final quantity="Length", final unit="m")
    "Length of rope that the winch has paid out"
    annotation (Placement(transformation(extent={{100,23},{108,31}})));
  Interfaces.RealOutput stretch(final quantity="Length", final unit="m", nominal=1e-4)
    "Elongation of the rope"
    annotation (Placement(transformation(extent={{100,16},{108,24}})));
  Interfaces.RealOutput v_phi(final quantity="AngularVelocity", final unit="rad/s")
    "Slewing velocity"
    annotation (Placement(transformation(extent={{100,9},{108,17}})));
  Interfaces.RealOutput v_s(final quantity="Velocity", final unit="m/s")
    "Velocity of the trolley on the bridge"
    annotation (Placement(transformation(extent={{100,3},{108,11}})));
  Interfaces.RealOutput v_l(final quantity="Velocity", final unit="m/s")
    "Velocity of the rope at the winch"
    annotation (Placement(transformation(extent={{100,-4},{108,4}})));
  Interfaces.RealOutput theta_1(final quantity="Angle", final unit="rad", displayUnit="deg")
    "Swing angle about the bridge, zero for a vertical rope"
    annotation (Placement(transformation(extent={{100,-11},{108,-3}})));
  Interfaces.RealOutput theta_2(final quantity="Angle", final unit="rad", displayUnit="deg")
    "Swing angle in the plane of bridge and rope, zero for a vertical rope"
    annotation (Placement(transformation(extent={{100,-17},{108,-9}})));
  Interfaces.RealOutput v_stretch(final quantity="Velocity", final unit="m/s")
    "Time derivative of the elongation"
    annotation (Placement(transformation(extent={{100,-24},{108,-16}})));
  Interfaces.RealOutput v_theta_1(final quantity="AngularVelocity", final unit="rad/s")
    "Angular velocity of theta_1"
    annotation (Placement(transformation(extent={{100,-31},{108,-23}})));
  Interfaces.RealOutput v_theta_2(final quantity="AngularVelocity", final unit="rad/s")
    "Angular velocity of theta_2"
    annotation (Placement(transformation(extent={{100,-37},{108,-29}})));
  Interfaces.RealOutput T_cable(final quantity="Force", final unit="N")
    "Force in the rope, positive pulls"
    annotation (Placement(transformation(extent={{100,-44},{108,-36}})));
  Interfaces.RealOutput energy(final quantity="Energy", final unit="J")
    "Kinetic and potential energy, the latter zero at z = 0"
    annotation (Placement(transformation(extent={{100,-51},{108,-43}})));
  Interfaces.RealOutput L_z(final quantity="AngularMomentum", final unit="kg.m2/s")
    "Angular momentum about the tower axis"
    annotation (Placement(transformation(extent={{100,-57},{108,-49}})));
  Interfaces.RealOutput M_b_drive(final quantity="Torque", final unit="N.m")
    "Torque of the slewing drive"
    annotation (Placement(transformation(extent={{100,-64},{108,-56}})));
  Interfaces.RealOutput F_drive(final quantity="Force", final unit="N")
    "Force of the trolley's drive"
    annotation (Placement(transformation(extent={{100,-71},{108,-63}})));
  Interfaces.RealOutput M_drive(final quantity="Torque", final unit="N.m")
    "Torque of the winch's drive"
    annotation (Placement(transformation(extent={{100,-77},{108,-69}})));
  Interfaces.RealOutput F_stop(final quantity="Force", final unit="N")
    "Force of the end stops on the trolley"
    annotation (Placement(transformation(extent={{100,-84},{108,-76}})));

  Cranes.RotaryCraneReal crane(final useWind=useWind, m=m, m_t=m_t, J_w=J_w, J_b=J_b, r_w=r_w,
      g=g, k_r=k_r, d_r=d_r, EA=EA, D=D,
      d_b=d_b, M_cb=M_cb, d_t=d_t, F_c=F_c, d_w=d_w, M_c=M_c, M_sb=M_sb,
      F_s=F_s, M_s=M_s, omega_cb=omega_cb, v_c=v_c, omega_c=omega_c, s_min=s_min, s_max=s_max,
      k_e=k_e, d_e=d_e, tau_b=tau_b, tau_t=tau_t, tau_w=tau_w, phi_start=phi_start,
      s_start=s_start, l_start=l_start, theta_1_start=theta_1_start, theta_2_start=theta_2_start,
      v_phi_start=v_phi_start, v_s_start=v_s_start, v_l_start=v_l_start,
      v_theta_1_start=v_theta_1_start, v_theta_2_start=v_theta_2_start)
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
  stretch = crane.stretch;
  v_phi = crane.v_phi;
  v_s = crane.v_s;
  v_l = crane.v_l;
  theta_1 = crane.theta_1;
  theta_2 = crane.theta_2;
  v_stretch = crane.v_stretch;
  v_theta_1 = crane.v_theta_1;
  v_theta_2 = crane.v_theta_2;
  T_cable = crane.T_cable;
  energy = crane.energy;
  L_z = crane.L_z;
  M_b_drive = crane.M_b_drive;
  F_drive = crane.F_drive;
  M_drive = crane.M_drive;
  F_stop = crane.F_stop;
  annotation (Documentation(info="<html>
<p>What <a href=\"modelica://Cranes.Blocks.RotaryCraneReal\">Blocks.RotaryCraneReal</a> have in
common; the equations are those of
<a href=\"modelica://Cranes.RotaryCraneReal\">Cranes.RotaryCraneReal</a>.</p>
</html>"));
end RotaryCraneReal;
