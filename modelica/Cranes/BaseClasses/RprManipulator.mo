within Cranes.BaseClasses;
partial model RprManipulator "What the versions of RprManipulator with connectors have in common"
  extends Icons.Crane;

  parameter Types.Mass m_b = 8 "Mass of the base";
  parameter Types.Inertia J_b = 0.2 "Moment of inertia of the base about its centre";
  parameter Types.Length L_b = 1 "Side of the triangle of joints on the base";
  parameter Types.Mass m_p = 3 "Mass of the platform";
  parameter Types.Inertia J_p = 0.0816 "Moment of inertia of the platform about its centre";
  parameter Types.Length L_p = 0.4 "Side of the triangle of joints on the platform";
  parameter Types.Mass m_1 = 3 "Mass of a sleeve";
  parameter Types.Inertia J_1 = 0.04 "Moment of inertia of a sleeve about its centre of mass";
  parameter Types.Length s_1 = 0.125 "Centre of mass of a sleeve, from the joint at the base";
  parameter Types.Mass m_2 = 4 "Mass of a rod";
  parameter Types.Inertia J_2 = 0.12 "Moment of inertia of a rod about its centre of mass";
  parameter Types.Length s_2 = 0.175 "Centre of mass of a rod, from the joint at the platform";
  parameter Types.RotationalDamping d_j = 0
    "Viscous friction of a joint at the base; 0 switches it off";
  parameter Types.Torque M_c = 0 "Coulomb friction of a joint at the base; 0 switches it off";
  parameter Types.AngularVelocity omega_c = 0.1 "Angular velocity that smooths Coulomb friction";
  parameter Types.Position x_b_start = 0 "Start value of x_b";
  parameter Types.Position y_b_start = 0 "Start value of y_b";
  parameter Types.Angle psi_b_start = 0 "Start value of psi_b";
  parameter Types.Position x_start = 0 "Start value of x";
  parameter Types.Position y_start = 0 "Start value of y";
  parameter Types.Angle psi_start = 0 "Start value of psi";
  parameter Types.Velocity v_x_b_start = 0 "Start value of v_x_b";
  parameter Types.Velocity v_y_b_start = 0 "Start value of v_y_b";
  parameter Types.AngularVelocity v_psi_b_start = 0 "Start value of v_psi_b";
  parameter Types.Velocity v_x_start = 0 "Start value of v_x";
  parameter Types.Velocity v_y_start = 0 "Start value of v_y";
  parameter Types.AngularVelocity v_psi_start = 0 "Start value of v_psi";

  Interfaces.RealOutput x_b(final quantity="Length", final unit="m")
    "Centre of the base"
    annotation (Placement(transformation(extent={{100,76},{108,84}})));
  Interfaces.RealOutput y_b(final quantity="Length", final unit="m")
    "Centre of the base"
    annotation (Placement(transformation(extent={{100,68},{108,76}})));
  Interfaces.RealOutput psi_b(final quantity="Angle", final unit="rad", displayUnit="deg")
    "Rotation of the base"
    annotation (Placement(transformation(extent={{100,61},{108,69}})));
  Interfaces.RealOutput Theta_1(final quantity="Angle", final unit="rad", displayUnit="deg")
    "Angle of leg 1 on the base"
    annotation (Placement(transformation(extent={{100,53},{108,61}})));
  Interfaces.RealOutput l_1(final quantity="Length", final unit="m", min=0)
    "Length of leg 1, from joint to joint"
    annotation (Placement(transformation(extent={{100,46},{108,54}})));
  Interfaces.RealOutput psi(final quantity="Angle", final unit="rad", displayUnit="deg")
    "Rotation of the platform"
    annotation (Placement(transformation(extent={{100,38},{108,46}})));
  Interfaces.RealOutput v_x_b(final quantity="Velocity", final unit="m/s")
    "Velocity of the base"
    annotation (Placement(transformation(extent={{100,30},{108,38}})));
  Interfaces.RealOutput v_y_b(final quantity="Velocity", final unit="m/s")
    "Velocity of the base"
    annotation (Placement(transformation(extent={{100,23},{108,31}})));
  Interfaces.RealOutput v_psi_b(final quantity="AngularVelocity", final unit="rad/s")
    "Angular velocity of the base"
    annotation (Placement(transformation(extent={{100,15},{108,23}})));
  Interfaces.RealOutput v_Theta_1(final quantity="AngularVelocity", final unit="rad/s")
    "Time derivative of Theta_1"
    annotation (Placement(transformation(extent={{100,7},{108,15}})));
  Interfaces.RealOutput v_l_1(final quantity="Velocity", final unit="m/s")
    "Time derivative of l_1"
    annotation (Placement(transformation(extent={{100,0},{108,8}})));
  Interfaces.RealOutput v_psi(final quantity="AngularVelocity", final unit="rad/s")
    "Angular velocity of the platform"
    annotation (Placement(transformation(extent={{100,-8},{108,0}})));
  Interfaces.RealOutput x(final quantity="Length", final unit="m")
    "Centre of the platform"
    annotation (Placement(transformation(extent={{100,-15},{108,-7}})));
  Interfaces.RealOutput y(final quantity="Length", final unit="m")
    "Centre of the platform"
    annotation (Placement(transformation(extent={{100,-23},{108,-15}})));
  Interfaces.RealOutput v_x(final quantity="Velocity", final unit="m/s")
    "Velocity of the platform"
    annotation (Placement(transformation(extent={{100,-31},{108,-23}})));
  Interfaces.RealOutput v_y(final quantity="Velocity", final unit="m/s")
    "Velocity of the platform"
    annotation (Placement(transformation(extent={{100,-38},{108,-30}})));
  Interfaces.RealOutput l_2(final quantity="Length", final unit="m", min=0)
    "Length of leg 2, from joint to joint"
    annotation (Placement(transformation(extent={{100,-46},{108,-38}})));
  Interfaces.RealOutput l_3(final quantity="Length", final unit="m", min=0)
    "Length of leg 3, from joint to joint"
    annotation (Placement(transformation(extent={{100,-54},{108,-46}})));
  Interfaces.RealOutput x_c(final quantity="Length", final unit="m")
    "Centre of mass of the whole"
    annotation (Placement(transformation(extent={{100,-61},{108,-53}})));
  Interfaces.RealOutput y_c(final quantity="Length", final unit="m")
    "Centre of mass of the whole"
    annotation (Placement(transformation(extent={{100,-69},{108,-61}})));
  Interfaces.RealOutput L_z(final quantity="AngularMomentum", final unit="kg.m2/s")
    "Angular momentum of the whole about the origin"
    annotation (Placement(transformation(extent={{100,-76},{108,-68}})));
  Interfaces.RealOutput energy(final quantity="Energy", final unit="J")
    "Kinetic energy; there is no other"
    annotation (Placement(transformation(extent={{100,-84},{108,-76}})));

  Cranes.RprManipulator crane(m_b=m_b, J_b=J_b, L_b=L_b, m_p=m_p, J_p=J_p, L_p=L_p, m_1=m_1,
      J_1=J_1, s_1=s_1, m_2=m_2, J_2=J_2, s_2=s_2, d_j=d_j, M_c=M_c, omega_c=omega_c,
      x_b_start=x_b_start, y_b_start=y_b_start, psi_b_start=psi_b_start, x_start=x_start,
      y_start=y_start, psi_start=psi_start, v_x_b_start=v_x_b_start, v_y_b_start=v_y_b_start,
      v_psi_b_start=v_psi_b_start, v_x_start=v_x_start, v_y_start=v_y_start,
      v_psi_start=v_psi_start)
    "The crane: its equations"
    annotation (Placement(transformation(extent={{-30,-30},{30,30}})));
equation
  x_b = crane.x_b;
  y_b = crane.y_b;
  psi_b = crane.psi_b;
  Theta_1 = crane.Theta_1;
  l_1 = crane.l_1;
  psi = crane.psi;
  v_x_b = crane.v_x_b;
  v_y_b = crane.v_y_b;
  v_psi_b = crane.v_psi_b;
  v_Theta_1 = crane.v_Theta_1;
  v_l_1 = crane.v_l_1;
  v_psi = crane.v_psi;
  x = crane.x;
  y = crane.y;
  v_x = crane.v_x;
  v_y = crane.v_y;
  l_2 = crane.l_2;
  l_3 = crane.l_3;
  x_c = crane.x_c;
  y_c = crane.y_c;
  L_z = crane.L_z;
  energy = crane.energy;
  annotation (Documentation(info="<html>
<p>What <a href=\"modelica://Cranes.Blocks.RprManipulator\">Blocks.RprManipulator</a> have in
common; the equations are those of
<a href=\"modelica://Cranes.RprManipulator\">Cranes.RprManipulator</a>.</p>
</html>"));
end RprManipulator;
