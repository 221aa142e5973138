within Cranes.Blocks;
model NavyCrane2DPulley "Planar US Navy crane with massive pulley: three ropes, three winches"
  extends BaseClasses.NavyCrane2DPulley;

  Interfaces.RealInput u_1(final quantity="Torque", final unit="N.m", start=-49.05)
    "Torque on winch 1, positive pays rope out"
    annotation (Placement(transformation(extent={{-120,50},{-100,70}})));
  Interfaces.RealInput u_2(final quantity="Torque", final unit="N.m", start=-98.1)
    "Torque on winch 2, positive pays rope out"
    annotation (Placement(transformation(extent={{-120,-10},{-100,10}})));
  Interfaces.RealInput u_3(final quantity="Torque", final unit="N.m", start=-129.77410180771818)
    "Torque on winch 3, positive pays rope out"
    annotation (Placement(transformation(extent={{-120,-70},{-100,-50}})));
equation
  crane.u_1 = u_1;
  crane.u_2 = u_2;
  crane.u_3 = u_3;
  annotation (
    Icon(coordinateSystem(extent={{-100,-100},{100,100}}), graphics={
      Text(extent={{-98,68},{-20,52}}, textColor={0,0,0}, horizontalAlignment=TextAlignment.Left,
        textString="u_1"),
      Text(extent={{-98,8},{-20,-8}}, textColor={0,0,0}, horizontalAlignment=TextAlignment.Left,
        textString="u_2"),
      Text(extent={{-98,-52},{-20,-68}}, textColor={0,0,0}, horizontalAlignment=TextAlignment.Left,
        textString="u_3")}),
    Documentation(info="<html>
<p><a href=\"modelica://Cranes.NavyCrane2DPulley\">Cranes.NavyCrane2DPulley</a> with
inputs and outputs that can be connected.
Names, units and signs are those of the crane, where its equations are described, too.
The wind's inputs are there with <code>useWind = true</code>.</p>
</html>"));
end NavyCrane2DPulley;
