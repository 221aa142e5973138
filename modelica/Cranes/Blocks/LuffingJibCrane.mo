within Cranes.Blocks;
model LuffingJibCrane "Crane with slewing and luffing jib, friction and wind, load in Cartesian coordinates"
  extends BaseClasses.LuffingJibCrane;

  Interfaces.RealInput M_b(final quantity="Torque", final unit="N.m", start=0)
    "Torque on what slews"
    annotation (Placement(transformation(extent={{-120,50},{-100,70}})));
  Interfaces.RealInput M_j(final quantity="Torque", final unit="N.m",
      start=g*(m_j/2 + m)*L*cos(beta_start))
    "Torque on the jib at its foot, positive raises it"
    annotation (Placement(transformation(extent={{-120,-10},{-100,10}})));
  Interfaces.RealInput M_w(final quantity="Torque", final unit="N.m", start=-m*g*r_w)
    "Torque on the winch, positive pays rope out"
    annotation (Placement(transformation(extent={{-120,-70},{-100,-50}})));
equation
  crane.M_b = M_b;
  crane.M_j = M_j;
  crane.M_w = M_w;
  annotation (
    Icon(coordinateSystem(extent={{-100,-100},{100,100}}), graphics={
      Text(extent={{-98,68},{-20,52}}, textColor={0,0,0}, horizontalAlignment=TextAlignment.Left,
        textString="M_b"),
      Text(extent={{-98,8},{-20,-8}}, textColor={0,0,0}, horizontalAlignment=TextAlignment.Left,
        textString="M_j"),
      Text(extent={{-98,-52},{-20,-68}}, textColor={0,0,0}, horizontalAlignment=TextAlignment.Left,
        textString="M_w")}),
    Documentation(info="<html>
<p><a href=\"modelica://Cranes.LuffingJibCrane\">Cranes.LuffingJibCrane</a> with
inputs and outputs that can be connected.
Names, units and signs are those of the crane, where its equations are described, too.
The wind's inputs are there with <code>useWind = true</code>.</p>
</html>"));
end LuffingJibCrane;
