within Cranes.Blocks;
model Cablev "Gantry with three trolleys that carry a platform on three ropes (CABLEV)"
  extends BaseClasses.Cablev;

  Interfaces.RealInput u_g0(final quantity="Force", final unit="N", start=0)
    "Force on the gantry"
    annotation (Placement(transformation(extent={{-120,50},{-100,70}})));
  Interfaces.RealInput u_g1(final quantity="Force", final unit="N", start=0)
    "Force on trolley 1"
    annotation (Placement(transformation(extent={{-120,30},{-100,50}})));
  Interfaces.RealInput u_g2(final quantity="Force", final unit="N", start=0)
    "Force on trolley 2"
    annotation (Placement(transformation(extent={{-120,10},{-100,30}})));
  Interfaces.RealInput u_g3(final quantity="Force", final unit="N", start=0)
    "Force on trolley 3"
    annotation (Placement(transformation(extent={{-120,-10},{-100,10}})));
  Interfaces.RealInput u_c1(final quantity="Torque", final unit="N.m", start=-m*g*r_1/3)
    "Torque on winch 1, positive pays rope out"
    annotation (Placement(transformation(extent={{-120,-30},{-100,-10}})));
  Interfaces.RealInput u_c2(final quantity="Torque", final unit="N.m", start=-m*g*r_2/3)
    "Torque on winch 2, positive pays rope out"
    annotation (Placement(transformation(extent={{-120,-50},{-100,-30}})));
  Interfaces.RealInput u_c3(final quantity="Torque", final unit="N.m", start=-m*g*r_3/3)
    "Torque on winch 3, positive pays rope out"
    annotation (Placement(transformation(extent={{-120,-70},{-100,-50}})));
equation
  crane.u_g0 = u_g0;
  crane.u_g1 = u_g1;
  crane.u_g2 = u_g2;
  crane.u_g3 = u_g3;
  crane.u_c1 = u_c1;
  crane.u_c2 = u_c2;
  crane.u_c3 = u_c3;
  annotation (
    Icon(coordinateSystem(extent={{-100,-100},{100,100}}), graphics={
      Text(extent={{-98,68},{-20,52}}, textColor={0,0,0}, horizontalAlignment=TextAlignment.Left,
        textString="u_g0"),
      Text(extent={{-98,48},{-20,32}}, textColor={0,0,0}, horizontalAlignment=TextAlignment.Left,
        textString="u_g1"),
      Text(extent={{-98,28},{-20,12}}, textColor={0,0,0}, horizontalAlignment=TextAlignment.Left,
        textString="u_g2"),
      Text(extent={{-98,8},{-20,-8}}, textColor={0,0,0}, horizontalAlignment=TextAlignment.Left,
        textString="u_g3"),
      Text(extent={{-98,-12},{-20,-28}}, textColor={0,0,0}, horizontalAlignment=TextAlignment.Left,
        textString="u_c1"),
      Text(extent={{-98,-32},{-20,-48}}, textColor={0,0,0}, horizontalAlignment=TextAlignment.Left,
        textString="u_c2"),
      Text(extent={{-98,-52},{-20,-68}}, textColor={0,0,0}, horizontalAlignment=TextAlignment.Left,
        textString="u_c3")}),
    Documentation(info="<html>
<p><a href=\"modelica://Cranes.Cablev\">Cranes.Cablev</a> with
inputs and outputs that can be connected.
Names, units and signs are those of the crane, where its equations are described, too.
The wind's inputs are there with <code>useWind = true</code>.</p>
</html>"));
end Cablev;
