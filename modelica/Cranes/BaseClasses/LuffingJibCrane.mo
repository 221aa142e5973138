within Cranes.BaseClasses;
partial model LuffingJibCrane "What the versions of LuffingJibCrane with connectors have in common"
  extends Icons.Crane;
  extends Interfaces.OptionalWind(useWind=false);

  parameter Types.Mass m = 6000 "Mass of the load";
  parameter Types.Mass m_j = 8000 "Mass of the jib";
  parameter Types.Length L = 45 "Length of the jib";
  parameter Types.Position r_0 = 1.5 "Distance of the jib's foot from the tower axis";
  parameter Types.Inertia J_b = 1.5e6 "Moment of inertia of what slews, without the jib";
  parameter Types.Inertia J_j = 2e7 "Moment of inertia of the luffing drive at the jib's foot";
  parameter Types.Inertia J_w = 150 "Moment of inertia of winch and motor at the drum";
  parameter Types.Length r_w = 0.3 "Radius of the drum";
  parameter Types.Acceleration g = 9.81 "Gravity";
  parameter Types.RotationalDamping d_b = 0 "Viscous friction of slewing; 0 switches it off";
  parameter Types.Torque M_cb = 0 "Coulomb friction of slewing; 0 switches it off";
  parameter Types.RotationalDamping d_j = 0 "Viscous friction of luffing; 0 switches it off";
  parameter Types.Torque M_cj = 0 "Coulomb friction of luffing; 0 switches it off";
  parameter Types.RotationalDamping d_w = 0 "Viscous friction of the winch; 0 switches it off";
  parameter Types.Torque M_cw = 0 "Coulomb friction of the winch; 0 switches it off";
  parameter Types.AngularVelocity omega_c = 0.01 "Angular velocity that smooths Coulomb friction";
  parameter Types.Drag c_d = 0 "Drag of the load per square of speed; 0 switches it off";
  parameter Types.Velocity w_x = 0 "Wind speed along x";
  parameter Types.Velocity w_y = 0 "Wind speed along y";
  parameter Types.Angle phi_start = 0 "Start value of phi";
  parameter Types.Angle beta_start = 1.0471975511965976 "Start value of beta";
  parameter Types.Position x_start = 24 "Start value of x";
  parameter Types.Position y_start = 0 "Start value of y";
  parameter Types.Position z_start = -10 "Start value of z";
  parameter Types.AngularVelocity v_phi_start = 0 "Start value of v_phi";
  parameter Types.AngularVelocity v_beta_start = 0 "Start value of v_beta";
  parameter Types.Velocity v_x_start = 0 "Start value of v_x";
  parameter Types.Velocity v_y_start = 0 "Start value of v_y";
  parameter Types.Velocity v_z_start = 0 "Start value of v_z";

  Interfaces.ForceInput F_wind_x(start=0) if useWind "Wind force on the load, along x"
    annotation (Placement(transformation(extent={{-10,-10},{10,10}}, rotation=90, origin={-60,-110})));
  Interfaces.ForceInput F_wind_y(start=0) if useWind "Wind force on the load, along y"
    annotation (Placement(transformation(extent={{-10,-10},{10,10}}, rotation=90, origin={0,-110})));
  Interfaces.ForceInput F_wind_z(start=0) if useWind "Wind force on the load, vertical"
    annotation (Placement(transformation(extent={{-10,-10},{10,10}}, rotation=90, origin={60,-110})));

  Interfaces.RealOutput phi(final quantity="Angle", final unit="rad", displayUnit="deg")
    "Slewing angle"
    annotation (Placement(transformation(extent={{100,76},{108,84}})));
  Interfaces.RealOutput beta(final quantity="Angle", final unit="rad", displayUnit="deg")
    "Luffing angle of the jib above the horizontal"
    annotation (Placement(transformation(extent={{100,67},{108,75}})));
  Interfaces.RealOutput x(final quantity="Length", final unit="m")
    "Load"
    annotation (Placement(transformation(extent={{100,58},{108,66}})));
  Interfaces.RealOutput y(final quantity="Length", final unit="m")
    "Load"
    annotation (Placement(transformation(extent={{100,49},{108,57}})));
  Interfaces.RealOutput z(final quantity="Length", final unit="m")
    "Load, vertical, zero at the jib's foot"
    annotation (Placement(transformation(extent={{100,40},{108,48}})));
  Interfaces.RealOutput v_phi(final quantity="AngularVelocity", final unit="rad/s")
    "Slewing velocity"
    annotation (Placement(transformation(extent={{100,32},{108,40}})));
  Interfaces.RealOutput v_beta(final quantity="AngularVelocity", final unit="rad/s")
    "Luffing velocity"
    annotation (Placement(transformation(extent={{100,23},{108,31}})));
  Interfaces.RealOutput v_x(final quantity="Velocity", final unit="m/s")
    "Velocity of the load"
    annotation (Placement(transformation(extent={{100,14},{108,22}})));
  Interfaces.RealOutput v_y(final quantity="Velocity", final unit="m/s")
    "Velocity of the load"
    annotation (Placement(transformation(extent={{100,5},{108,13}})));
  Interfaces.RealOutput v_z(final quantity="Velocity", final unit="m/s")
    "Velocity of the load, vertical"
    annotation (Placement(transformation(extent={{100,-4},{108,4}})));
  Interfaces.RealOutput l(final quantity="Length", final unit="m")
    "Length of the rope, from the tip of the jib to the load"
    annotation (Placement(transformation(extent={{100,-13},{108,-5}})));
  Interfaces.RealOutput v_l(final quantity="Velocity", final unit="m/s")
    "Velocity of the rope"
    annotation (Placement(transformation(extent={{100,-22},{108,-14}})));
  Interfaces.RealOutput theta_1(final quantity="Angle", final unit="rad", displayUnit="deg")
    "Swing angle in the jib's plane, positive outwards"
    annotation (Placement(transformation(extent={{100,-31},{108,-23}})));
  Interfaces.RealOutput theta_2(final quantity="Angle", final unit="rad", displayUnit="deg")
    "Swing angle out of it, positive with the slewing angle"
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

  Cranes.LuffingJibCrane crane(final useWind=useWind, m=m, m_j=m_j, L=L, r_0=r_0, J_b=J_b,
      J_j=J_j, J_w=J_w, r_w=r_w, g=g, d_b=d_b, M_cb=M_cb, d_j=d_j, M_cj=M_cj, d_w=d_w, M_cw=M_cw,
      omega_c=omega_c, c_d=c_d, w_x=w_x, w_y=w_y, phi_start=phi_start, beta_start=beta_start,
      x_start=x_start, y_start=y_start, z_start=z_start, v_phi_start=v_phi_start,
      v_beta_start=v_beta_start, v_x_start=v_x_start, v_y_start=v_y_start, v_z_start=v_z_start)
    "The crane: its equations"
    annotation (Placement(transformation(extent={{-30,-30},{30,30}})));
equation
  connect(F_wind_x, crane.F_wind_x)
    annotation (Line(points={{-60,-110},{-60,-60},{-20,-60},{-20,-30}}, color={0,0,127}));
  connect(F_wind_y, crane.F_wind_y)
    annotation (Line(points={{0,-110},{0,-60},{0,-60},{0,-30}}, color={0,0,127}));
  connect(F_wind_z, crane.F_wind_z)
    annotation (Line(points={{60,-110},{60,-60},{20,-60},{20,-30}}, color={0,0,127}));
  phi = crane.phi;
  beta = crane.beta;
  x = crane.x;
  y = crane.y;
  z = crane.z;
  v_phi = crane.v_phi;
  v_beta = crane.v_beta;
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
  L_z = crane.L_z;
  annotation (Documentation(info="<html>
<p>What <a href=\"modelica://Cranes.Blocks.LuffingJibCrane\">Blocks.LuffingJibCrane</a> and
<a href=\"modelica://Cranes.Mechanics.LuffingJibCrane\">Mechanics.LuffingJibCrane</a> have in
common; the equations are those of
<a href=\"modelica://Cranes.LuffingJibCrane\">Cranes.LuffingJibCrane</a>.</p>
</html>"));
end LuffingJibCrane;
