within Cranes.BaseClasses;
partial model FlexibleJibCrane "What the versions of FlexibleJibCrane with connectors have in common"
  extends Icons.Crane;
  extends Interfaces.OptionalWind(useWind=false);

  parameter Types.Mass m = 2000 "Mass of the load";
  parameter Types.Mass m_t = 300 "Mass of the trolley";
  parameter Types.Length L = 50 "Length of the jib";
  parameter Types.LinearDensity rho = 120 "Mass of the jib per length";
  parameter Types.Stiffness k_j = 2e4 "Bending stiffness of the jib, at its tip";
  parameter Types.Damping d_j = 100 "Damping of the jib, at its tip";
  parameter Types.Inertia J_h = 3e5 "Moment of inertia of the hub, without the jib";
  parameter Types.Inertia J_w = 50 "Moment of inertia of winch and motor at the drum";
  parameter Types.Length r_w = 0.3 "Radius of the drum";
  parameter Types.Acceleration g = 9.81 "Gravity";
  parameter Types.RotationalDamping d_b = 0 "Viscous friction of slewing; 0 switches it off";
  parameter Types.Torque M_cb = 0 "Coulomb friction of slewing; 0 switches it off";
  parameter Types.Damping d_t = 0 "Viscous friction of the trolley; 0 switches it off";
  parameter Types.Force F_ct = 0 "Coulomb friction of the trolley; 0 switches it off";
  parameter Types.Velocity v_c = 0.01 "Velocity that smooths the trolley's Coulomb friction";
  parameter Types.RotationalDamping d_w = 0 "Viscous friction of the winch; 0 switches it off";
  parameter Types.Torque M_cw = 0 "Coulomb friction of the winch; 0 switches it off";
  parameter Types.AngularVelocity omega_c = 0.01
    "Angular velocity that smooths the Coulomb friction of slewing and winch";
  parameter Types.Drag c_d = 0 "Drag of the load per square of speed; 0 switches it off";
  parameter Types.Velocity w_x = 0 "Wind speed along x";
  parameter Types.Velocity w_y = 0 "Wind speed along y";
  parameter Types.Angle phi_start = 0 "Start value of phi";
  parameter Types.Position s_start = 30 "Start value of s";
  parameter Types.Length l_start = 20 "Start value of l";
  parameter Types.Position eta_start = 0 "Start value of eta";
  parameter Types.Angle theta_1_start = 0 "Start value of theta_1";
  parameter Types.Angle theta_2_start = 0 "Start value of theta_2";
  parameter Types.AngularVelocity v_phi_start = 0 "Start value of v_phi";
  parameter Types.Velocity v_s_start = 0 "Start value of v_s";
  parameter Types.Velocity v_l_start = 0 "Start value of v_l";
  parameter Types.Velocity v_eta_start = 0 "Start value of v_eta";
  parameter Types.AngularVelocity v_theta_1_start = 0 "Start value of v_theta_1";
  parameter Types.AngularVelocity v_theta_2_start = 0 "Start value of v_theta_2";

  Interfaces.ForceInput F_wind_x(start=0) if useWind "Wind force on the load, along x"
    annotation (Placement(transformation(extent={{-10,-10},{10,10}}, rotation=90, origin={-60,-110})));
  Interfaces.ForceInput F_wind_y(start=0) if useWind "Wind force on the load, along y"
    annotation (Placement(transformation(extent={{-10,-10},{10,10}}, rotation=90, origin={0,-110})));
  Interfaces.ForceInput F_wind_z(start=0) if useWind "Wind force on the load, vertical"
    annotation (Placement(transformation(extent={{-10,-10},{10,10}}, rotation=90, origin={60,-110})));

  Interfaces.RealOutput phi(final quantity="Angle", final unit="rad", displayUnit="deg")
    "Slewing angle of the hub"
    annotation (Placement(transformation(extent={{100,76},{108,84}})));
  Interfaces.RealOutput s(final quantity="Length", final unit="m")
    "Position of the trolley along the jib"
    annotation (Placement(transformation(extent={{100,68},{108,76}})));
  Interfaces.RealOutput l(final quantity="Length", final unit="m")
    "Length of the rope"
    annotation (Placement(transformation(extent={{100,60},{108,68}})));
  Interfaces.RealOutput eta(final quantity="Length", final unit="m")
    "Deflection of the jib's tip, positive with the slewing angle"
    annotation (Placement(transformation(extent={{100,52},{108,60}})));
  Interfaces.RealOutput theta_1(final quantity="Angle", final unit="rad", displayUnit="deg")
    "Swing angle in the plane of the straight jib, positive outwards"
    annotation (Placement(transformation(extent={{100,44},{108,52}})));
  Interfaces.RealOutput theta_2(final quantity="Angle", final unit="rad", displayUnit="deg")
    "Swing angle out of it, positive with the slewing angle"
    annotation (Placement(transformation(extent={{100,36},{108,44}})));
  Interfaces.RealOutput v_phi(final quantity="AngularVelocity", final unit="rad/s")
    "Slewing velocity"
    annotation (Placement(transformation(extent={{100,28},{108,36}})));
  Interfaces.RealOutput v_s(final quantity="Velocity", final unit="m/s")
    "Velocity of the trolley along the jib"
    annotation (Placement(transformation(extent={{100,20},{108,28}})));
  Interfaces.RealOutput v_l(final quantity="Velocity", final unit="m/s")
    "Velocity of the rope"
    annotation (Placement(transformation(extent={{100,12},{108,20}})));
  Interfaces.RealOutput v_eta(final quantity="Velocity", final unit="m/s")
    "Velocity of the deflection"
    annotation (Placement(transformation(extent={{100,4},{108,12}})));
  Interfaces.RealOutput v_theta_1(final quantity="AngularVelocity", final unit="rad/s")
    "Angular velocity of theta_1"
    annotation (Placement(transformation(extent={{100,-4},{108,4}})));
  Interfaces.RealOutput v_theta_2(final quantity="AngularVelocity", final unit="rad/s")
    "Angular velocity of theta_2"
    annotation (Placement(transformation(extent={{100,-12},{108,-4}})));
  Interfaces.RealOutput x(final quantity="Length", final unit="m")
    "Load"
    annotation (Placement(transformation(extent={{100,-20},{108,-12}})));
  Interfaces.RealOutput y(final quantity="Length", final unit="m")
    "Load"
    annotation (Placement(transformation(extent={{100,-28},{108,-20}})));
  Interfaces.RealOutput z(final quantity="Length", final unit="m")
    "Load, vertical, zero at the jib"
    annotation (Placement(transformation(extent={{100,-36},{108,-28}})));
  Interfaces.RealOutput v_x(final quantity="Velocity", final unit="m/s")
    "Velocity of the load"
    annotation (Placement(transformation(extent={{100,-44},{108,-36}})));
  Interfaces.RealOutput v_y(final quantity="Velocity", final unit="m/s")
    "Velocity of the load"
    annotation (Placement(transformation(extent={{100,-52},{108,-44}})));
  Interfaces.RealOutput v_z(final quantity="Velocity", final unit="m/s")
    "Velocity of the load, vertical"
    annotation (Placement(transformation(extent={{100,-60},{108,-52}})));
  Interfaces.RealOutput T_cable(final quantity="Force", final unit="N")
    "Force in the rope, positive pulls"
    annotation (Placement(transformation(extent={{100,-68},{108,-60}})));
  Interfaces.RealOutput energy(final quantity="Energy", final unit="J")
    "Kinetic and potential energy, the latter zero at z = 0"
    annotation (Placement(transformation(extent={{100,-76},{108,-68}})));
  Interfaces.RealOutput L_z(final quantity="AngularMomentum", final unit="kg.m2/s")
    "Angular momentum about the tower axis"
    annotation (Placement(transformation(extent={{100,-84},{108,-76}})));

  Cranes.FlexibleJibCrane crane(final useWind=useWind, m=m, m_t=m_t, L=L, rho=rho, k_j=k_j,
      d_j=d_j, J_h=J_h, J_w=J_w, r_w=r_w, g=g, d_b=d_b, M_cb=M_cb, d_t=d_t, F_ct=F_ct, v_c=v_c,
      d_w=d_w, M_cw=M_cw, omega_c=omega_c, c_d=c_d, w_x=w_x, w_y=w_y, phi_start=phi_start,
      s_start=s_start, l_start=l_start, eta_start=eta_start, theta_1_start=theta_1_start,
      theta_2_start=theta_2_start, v_phi_start=v_phi_start, v_s_start=v_s_start,
      v_l_start=v_l_start, v_eta_start=v_eta_start, v_theta_1_start=v_theta_1_start,
      v_theta_2_start=v_theta_2_start)
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
  s = crane.s;
  l = crane.l;
  eta = crane.eta;
  theta_1 = crane.theta_1;
  theta_2 = crane.theta_2;
  v_phi = crane.v_phi;
  v_s = crane.v_s;
  v_l = crane.v_l;
  v_eta = crane.v_eta;
  v_theta_1 = crane.v_theta_1;
  v_theta_2 = crane.v_theta_2;
  x = crane.x;
  y = crane.y;
  z = crane.z;
  v_x = crane.v_x;
  v_y = crane.v_y;
  v_z = crane.v_z;
  T_cable = crane.T_cable;
  energy = crane.energy;
  L_z = crane.L_z;
  annotation (Documentation(info="<html>
<p>What <a href=\"modelica://Cranes.Blocks.FlexibleJibCrane\">Blocks.FlexibleJibCrane</a> and
<a href=\"modelica://Cranes.Mechanics.FlexibleJibCrane\">Mechanics.FlexibleJibCrane</a> have in
common; the equations are those of
<a href=\"modelica://Cranes.FlexibleJibCrane\">Cranes.FlexibleJibCrane</a>.</p>
</html>"));
end FlexibleJibCrane;
