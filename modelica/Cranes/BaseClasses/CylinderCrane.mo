within Cranes.BaseClasses;
partial model CylinderCrane "What the versions of CylinderCrane with connectors have in common"
  extends Icons.Crane;
  extends Interfaces.OptionalWind(useWind=false);

  parameter Types.Mass m = 5000 "Mass of the load";
  parameter Types.Mass m_j = 3000 "Mass of the jib, a slender rod";
  parameter Types.Length L = 20 "Length of the jib, from its foot on the slewing axis to the tip";
  parameter Types.Inertia J_b = 2e4 "Moment of inertia of the column about the slewing axis";
  parameter Types.Mass m_1 = 300 "Mass of the cylinder's barrel, a slender rod";
  parameter Types.Length L_1 = 3 "Length of the barrel, from the cylinder's foot";
  parameter Types.Mass m_2 = 200 "Mass of the piston rod, a slender rod";
  parameter Types.Length L_2 = 3 "Length of the piston rod, that ends at the jib";
  parameter Types.Position r_c = 2 "Foot of the cylinder, distance from the slewing axis";
  parameter Types.Position z_c = -1.5 "Foot of the cylinder, vertical, zero at the jib's foot";
  parameter Types.Length d = 6 "Distance from the jib's foot to where the cylinder holds it";
  parameter Types.Inertia J_w = 50 "Moment of inertia of the winch at the tip";
  parameter Types.Length r_w = 0.3 "Radius of the drum";
  parameter Types.Acceleration g = 9.81 "Gravity";
  parameter Types.Angle phi_start = 0 "Start value of phi";
  parameter Types.Angle beta_start = 0.7953988301841436 "Start value of beta";
  parameter Types.Position x_start = 14 "Start value of x";
  parameter Types.Position y_start = 0 "Start value of y";
  parameter Types.Position z_start = 2 "Start value of z";
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

  Interfaces.RealOutput x(final quantity="Length", final unit="m")
    "Load"
    annotation (Placement(transformation(extent={{100,76},{108,84}})));
  Interfaces.RealOutput y(final quantity="Length", final unit="m")
    "Load"
    annotation (Placement(transformation(extent={{100,70},{108,78}})));
  Interfaces.RealOutput z(final quantity="Length", final unit="m")
    "Load, vertical, zero at the jib's foot"
    annotation (Placement(transformation(extent={{100,63},{108,71}})));
  Interfaces.RealOutput v_x(final quantity="Velocity", final unit="m/s")
    "Velocity of the load"
    annotation (Placement(transformation(extent={{100,57},{108,65}})));
  Interfaces.RealOutput v_y(final quantity="Velocity", final unit="m/s")
    "Velocity of the load"
    annotation (Placement(transformation(extent={{100,50},{108,58}})));
  Interfaces.RealOutput v_z(final quantity="Velocity", final unit="m/s")
    "Velocity of the load, vertical"
    annotation (Placement(transformation(extent={{100,44},{108,52}})));
  Interfaces.RealOutput phi(final quantity="Angle", final unit="rad", displayUnit="deg")
    "Slewing angle"
    annotation (Placement(transformation(extent={{100,38},{108,46}})));
  Interfaces.RealOutput beta(final quantity="Angle", final unit="rad", displayUnit="deg")
    "Luffing angle of the jib above the horizontal"
    annotation (Placement(transformation(extent={{100,31},{108,39}})));
  Interfaces.RealOutput c(final quantity="Length", final unit="m")
    "Length of the cylinder, from its foot to the jib"
    annotation (Placement(transformation(extent={{100,25},{108,33}})));
  Interfaces.RealOutput delta(final quantity="Angle", final unit="rad", displayUnit="deg")
    "Inclination of the cylinder above the horizontal"
    annotation (Placement(transformation(extent={{100,18},{108,26}})));
  Interfaces.RealOutput l(final quantity="Length", final unit="m")
    "Length of the rope, from the tip to the load"
    annotation (Placement(transformation(extent={{100,12},{108,20}})));
  Interfaces.RealOutput v_phi(final quantity="AngularVelocity", final unit="rad/s")
    "Slewing velocity"
    annotation (Placement(transformation(extent={{100,6},{108,14}})));
  Interfaces.RealOutput v_beta(final quantity="AngularVelocity", final unit="rad/s")
    "Luffing velocity"
    annotation (Placement(transformation(extent={{100,-1},{108,7}})));
  Interfaces.RealOutput v_c(final quantity="Velocity", final unit="m/s")
    "Velocity of the cylinder"
    annotation (Placement(transformation(extent={{100,-7},{108,1}})));
  Interfaces.RealOutput v_delta(final quantity="AngularVelocity", final unit="rad/s")
    "Time derivative of delta"
    annotation (Placement(transformation(extent={{100,-14},{108,-6}})));
  Interfaces.RealOutput v_l(final quantity="Velocity", final unit="m/s")
    "Velocity of the rope"
    annotation (Placement(transformation(extent={{100,-20},{108,-12}})));
  Interfaces.RealOutput theta_1(final quantity="Angle", final unit="rad", displayUnit="deg")
    "Swing angle in the jib's plane, positive outwards"
    annotation (Placement(transformation(extent={{100,-26},{108,-18}})));
  Interfaces.RealOutput theta_2(final quantity="Angle", final unit="rad", displayUnit="deg")
    "Swing angle out of it, positive with the slewing angle"
    annotation (Placement(transformation(extent={{100,-33},{108,-25}})));
  Interfaces.RealOutput v_theta_1(final quantity="AngularVelocity", final unit="rad/s")
    "Angular velocity of theta_1"
    annotation (Placement(transformation(extent={{100,-39},{108,-31}})));
  Interfaces.RealOutput v_theta_2(final quantity="AngularVelocity", final unit="rad/s")
    "Angular velocity of theta_2"
    annotation (Placement(transformation(extent={{100,-46},{108,-38}})));
  Interfaces.RealOutput x_t(final quantity="Length", final unit="m")
    "Tip of the jib"
    annotation (Placement(transformation(extent={{100,-52},{108,-44}})));
  Interfaces.RealOutput y_t(final quantity="Length", final unit="m")
    "Tip of the jib"
    annotation (Placement(transformation(extent={{100,-58},{108,-50}})));
  Interfaces.RealOutput z_t(final quantity="Length", final unit="m")
    "Tip of the jib, vertical"
    annotation (Placement(transformation(extent={{100,-65},{108,-57}})));
  Interfaces.RealOutput T_cable(final quantity="Force", final unit="N")
    "Force in the rope, positive pulls"
    annotation (Placement(transformation(extent={{100,-71},{108,-63}})));
  Interfaces.RealOutput energy(final quantity="Energy", final unit="J")
    "Kinetic and potential energy, the latter zero at z = 0"
    annotation (Placement(transformation(extent={{100,-78},{108,-70}})));
  Interfaces.RealOutput L_z(final quantity="AngularMomentum", final unit="kg.m2/s")
    "Angular momentum about the slewing axis"
    annotation (Placement(transformation(extent={{100,-84},{108,-76}})));

  Cranes.CylinderCrane crane(final useWind=useWind, m=m, m_j=m_j, L=L, J_b=J_b, m_1=m_1,
      L_1=L_1, m_2=m_2, L_2=L_2, r_c=r_c, z_c=z_c, d=d, J_w=J_w, r_w=r_w, g=g,
      phi_start=phi_start, beta_start=beta_start, x_start=x_start, y_start=y_start,
      z_start=z_start, v_phi_start=v_phi_start, v_beta_start=v_beta_start, v_x_start=v_x_start,
      v_y_start=v_y_start, v_z_start=v_z_start)
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
  beta = crane.beta;
  c = crane.c;
  delta = crane.delta;
  l = crane.l;
  v_phi = crane.v_phi;
  v_beta = crane.v_beta;
  v_c = crane.v_c;
  v_delta = crane.v_delta;
  v_l = crane.v_l;
  theta_1 = crane.theta_1;
  theta_2 = crane.theta_2;
  v_theta_1 = crane.v_theta_1;
  v_theta_2 = crane.v_theta_2;
  x_t = crane.x_t;
  y_t = crane.y_t;
  z_t = crane.z_t;
  T_cable = crane.T_cable;
  energy = crane.energy;
  L_z = crane.L_z;
  annotation (Documentation(info="<html>
<p>What <a href=\"modelica://Cranes.Blocks.CylinderCrane\">Blocks.CylinderCrane</a> and
<a href=\"modelica://Cranes.Mechanics.CylinderCrane\">Mechanics.CylinderCrane</a> have in
common; the equations are those of
<a href=\"modelica://Cranes.CylinderCrane\">Cranes.CylinderCrane</a>.</p>
</html>"));
end CylinderCrane;
