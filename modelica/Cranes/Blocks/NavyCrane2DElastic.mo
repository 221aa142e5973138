within Cranes.Blocks;
model NavyCrane2DElastic "Planar US Navy crane with elastic ropes that can only pull, and a pulley with mass"
  extends BaseClasses.NavyCrane2DElastic;

  Interfaces.RealInput u_1(final quantity="Torque", final unit="N.m", start=-T_1_start*r_1)
    "Torque on winch 1, positive pays rope out"
    annotation (Placement(transformation(extent={{-120,50},{-100,70}})));
  Interfaces.RealInput u_2(final quantity="Torque", final unit="N.m", start=-T_2_start*r_2)
    "Torque on winch 2, positive pays rope out"
    annotation (Placement(transformation(extent={{-120,-70},{-100,-50}})));
equation
  crane.u_1 = u_1;
  crane.u_2 = u_2;
  annotation (
    Icon(coordinateSystem(extent={{-100,-100},{100,100}}), graphics={
      Text(extent={{-98,68},{-20,52}}, textColor={0,0,0}, horizontalAlignment=TextAlignment.Left,
        textString="u_1"),
      Text(extent={{-98,-52},{-20,-68}}, textColor={0,0,0}, horizontalAlignment=TextAlignment.Left,
        textString="u_2")}),
    Documentation(info="<html>
<p><a href=\"modelica://Cranes.NavyCrane2DElastic\">Cranes.NavyCrane2DElastic</a> with
inputs and outputs that can be connected.
Names, units and signs are those of the crane, where its equations are described, too.
The wind's inputs are there with <code>useWind = true</code>.</p>
</html>"));
end NavyCrane2DElastic;
