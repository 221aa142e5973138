within Cranes.BaseClasses;
partial model KnuckleBoom "What the versions of KnuckleBoom with connectors have in common"
  extends Icons.Crane;
  extends Interfaces.OptionalWind(useWind=false);

  parameter Types.Mass m = 1200 "Mass of the load";
  parameter Types.Inertia J_b = 3000 "Moment of inertia of the column about the slewing axis";
  parameter Types.Mass m_1 = 900 "Mass of the main boom, a slender rod";
  parameter Types.Length L_1 = 6 "Length of the main boom, from its pin to that of the knuckle";
  parameter Types.Mass m_2 = 500 "Mass of the knuckle, a slender rod";
  parameter Types.Length L_2 = 4 "Length of the knuckle, from its pin to its tip";
  parameter Types.Length L_r = 3 "Length of the rope, from the knuckle's tip to the load";
  parameter Types.Position z_0 = 2 "Height of the main boom's pin, on the slewing axis";
  parameter Types.Position r_c = 0.6 "Foot of cylinder 1, distance from the slewing axis";
  parameter Types.Position z_c = 0.3 "Foot of cylinder 1, vertical";
  parameter Types.Length d_1 = 2 "Distance from the main boom's pin to where cylinder 1 holds it";
  parameter Types.Length d_2 = 4 "Distance from the main boom's pin to the foot of cylinder 2";
  parameter Types.Length d_3 = 0.8
    "Distance from the knuckle's pin to where cylinder 2 holds it, on its axis behind the pin";
  parameter Types.Acceleration g = 9.81 "Gravity";
  parameter Types.Angle phi_start = 0 "Start value of phi";
  parameter Types.Angle alpha_1_start = 0.8398473895071381 "Start value of alpha_1";
  parameter Types.Angle alpha_2_start = -1.0487726412156393 "Start value of alpha_2";
  parameter Types.Position x_start = 6 "Start value of x: x, y and z give the rope's direction";
  parameter Types.Position y_start = 0 "Start value of y";
  parameter Types.Position z_start = 0 "Start value of z";
  parameter Types.AngularVelocity v_phi_start = 0 "Start value of v_phi";
  parameter Types.AngularVelocity v_alpha_1_start = 0 "Start value of v_alpha_1";
  parameter Types.AngularVelocity v_alpha_2_start = 0 "Start value of v_alpha_2";
  parameter Types.Velocity v_x_start = 0 "Start value of v_x: across the rope, as for x, y and z";
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
    "Load, vertical"
    annotation (Placement(transformation(extent={{100,65},{108,73}})));
  Interfaces.RealOutput v_x(final quantity="Velocity", final unit="m/s")
    "Velocity of the load"
    annotation (Placement(transformation(extent={{100,59},{108,67}})));
  Interfaces.RealOutput v_y(final quantity="Velocity", final unit="m/s")
    "Velocity of the load"
    annotation (Placement(transformation(extent={{100,53},{108,61}})));
  Interfaces.RealOutput v_z(final quantity="Velocity", final unit="m/s")
    "Velocity of the load, vertical"
    annotation (Placement(transformation(extent={{100,47},{108,55}})));
  Interfaces.RealOutput phi(final quantity="Angle", final unit="rad", displayUnit="deg")
    "Slewing angle"
    annotation (Placement(transformation(extent={{100,42},{108,50}})));
  Interfaces.RealOutput alpha_1(final quantity="Angle", final unit="rad", displayUnit="deg")
    "Inclination of the main boom above the horizontal"
    annotation (Placement(transformation(extent={{100,36},{108,44}})));
  Interfaces.RealOutput alpha_2(final quantity="Angle", final unit="rad", displayUnit="deg")
    "Inclination of the knuckle above the horizontal, negative if it hangs down"
    annotation (Placement(transformation(extent={{100,30},{108,38}})));
  Interfaces.RealOutput c_1(final quantity="Length", final unit="m")
    "Length of cylinder 1"
    annotation (Placement(transformation(extent={{100,25},{108,33}})));
  Interfaces.RealOutput c_2(final quantity="Length", final unit="m")
    "Length of cylinder 2"
    annotation (Placement(transformation(extent={{100,19},{108,27}})));
  Interfaces.RealOutput v_phi(final quantity="AngularVelocity", final unit="rad/s")
    "Slewing velocity"
    annotation (Placement(transformation(extent={{100,13},{108,21}})));
  Interfaces.RealOutput v_alpha_1(final quantity="AngularVelocity", final unit="rad/s")
    "Angular velocity of alpha_1"
    annotation (Placement(transformation(extent={{100,7},{108,15}})));
  Interfaces.RealOutput v_alpha_2(final quantity="AngularVelocity", final unit="rad/s")
    "Angular velocity of alpha_2"
    annotation (Placement(transformation(extent={{100,2},{108,10}})));
  Interfaces.RealOutput v_c_1(final quantity="Velocity", final unit="m/s")
    "Velocity of cylinder 1"
    annotation (Placement(transformation(extent={{100,-4},{108,4}})));
  Interfaces.RealOutput v_c_2(final quantity="Velocity", final unit="m/s")
    "Velocity of cylinder 2"
    annotation (Placement(transformation(extent={{100,-10},{108,-2}})));
  Interfaces.RealOutput theta_1(final quantity="Angle", final unit="rad", displayUnit="deg")
    "Swing angle in the booms' plane, positive outwards"
    annotation (Placement(transformation(extent={{100,-15},{108,-7}})));
  Interfaces.RealOutput theta_2(final quantity="Angle", final unit="rad", displayUnit="deg")
    "Swing angle out of it, positive with the slewing angle"
    annotation (Placement(transformation(extent={{100,-21},{108,-13}})));
  Interfaces.RealOutput v_theta_1(final quantity="AngularVelocity", final unit="rad/s")
    "Angular velocity of theta_1"
    annotation (Placement(transformation(extent={{100,-27},{108,-19}})));
  Interfaces.RealOutput v_theta_2(final quantity="AngularVelocity", final unit="rad/s")
    "Angular velocity of theta_2"
    annotation (Placement(transformation(extent={{100,-33},{108,-25}})));
  Interfaces.RealOutput x_e(final quantity="Length", final unit="m")
    "Pin of the knuckle"
    annotation (Placement(transformation(extent={{100,-38},{108,-30}})));
  Interfaces.RealOutput y_e(final quantity="Length", final unit="m")
    "Pin of the knuckle"
    annotation (Placement(transformation(extent={{100,-44},{108,-36}})));
  Interfaces.RealOutput z_e(final quantity="Length", final unit="m")
    "Pin of the knuckle, vertical"
    annotation (Placement(transformation(extent={{100,-50},{108,-42}})));
  Interfaces.RealOutput x_t(final quantity="Length", final unit="m")
    "Tip of the knuckle"
    annotation (Placement(transformation(extent={{100,-55},{108,-47}})));
  Interfaces.RealOutput y_t(final quantity="Length", final unit="m")
    "Tip of the knuckle"
    annotation (Placement(transformation(extent={{100,-61},{108,-53}})));
  Interfaces.RealOutput z_t(final quantity="Length", final unit="m")
    "Tip of the knuckle, vertical"
    annotation (Placement(transformation(extent={{100,-67},{108,-59}})));
  Interfaces.RealOutput T_cable(final quantity="Force", final unit="N")
    "Force in the rope, positive pulls"
    annotation (Placement(transformation(extent={{100,-73},{108,-65}})));
  Interfaces.RealOutput energy(final quantity="Energy", final unit="J")
    "Kinetic and potential energy, the latter zero at z = 0"
    annotation (Placement(transformation(extent={{100,-78},{108,-70}})));
  Interfaces.RealOutput L_z(final quantity="AngularMomentum", final unit="kg.m2/s")
    "Angular momentum about the slewing axis"
    annotation (Placement(transformation(extent={{100,-84},{108,-76}})));

  Cranes.KnuckleBoom crane(final useWind=useWind, m=m, J_b=J_b, m_1=m_1, L_1=L_1, m_2=m_2,
      L_2=L_2, L_r=L_r, z_0=z_0, r_c=r_c, z_c=z_c, d_1=d_1, d_2=d_2, d_3=d_3, g=g,
      phi_start=phi_start, alpha_1_start=alpha_1_start, alpha_2_start=alpha_2_start,
      x_start=x_start, y_start=y_start, z_start=z_start, v_phi_start=v_phi_start,
      v_alpha_1_start=v_alpha_1_start, v_alpha_2_start=v_alpha_2_start, v_x_start=v_x_start,
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
  alpha_1 = crane.alpha_1;
  alpha_2 = crane.alpha_2;
  c_1 = crane.c_1;
  c_2 = crane.c_2;
  v_phi = crane.v_phi;
  v_alpha_1 = crane.v_alpha_1;
  v_alpha_2 = crane.v_alpha_2;
  v_c_1 = crane.v_c_1;
  v_c_2 = crane.v_c_2;
  theta_1 = crane.theta_1;
  theta_2 = crane.theta_2;
  v_theta_1 = crane.v_theta_1;
  v_theta_2 = crane.v_theta_2;
  x_e = crane.x_e;
  y_e = crane.y_e;
  z_e = crane.z_e;
  x_t = crane.x_t;
  y_t = crane.y_t;
  z_t = crane.z_t;
  T_cable = crane.T_cable;
  energy = crane.energy;
  L_z = crane.L_z;
  annotation (Documentation(info="<html>
<p>What <a href=\"modelica://Cranes.Blocks.KnuckleBoom\">Blocks.KnuckleBoom</a> and
<a href=\"modelica://Cranes.Mechanics.KnuckleBoom\">Mechanics.KnuckleBoom</a> have in
common; the equations are those of
<a href=\"modelica://Cranes.KnuckleBoom\">Cranes.KnuckleBoom</a>.</p>
</html>"));
end KnuckleBoom;
