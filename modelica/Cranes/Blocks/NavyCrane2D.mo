within Cranes.Blocks;
model NavyCrane2D "Planar US Navy crane with massless pulley: two ropes, two winches"
  extends BaseClasses.NavyCrane2D;

  Interfaces.RealInput u_1(final quantity="Torque", final unit="N.m", start=0)
    "Torque on winch 1, positive pays rope out"
    annotation (Placement(transformation(extent={{-120,50},{-100,70}})));
  Interfaces.RealInput u_2(final quantity="Torque", final unit="N.m", start=-m*g*r_2)
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
<p><a href=\"modelica://Cranes.NavyCrane2D\">Cranes.NavyCrane2D</a> with
inputs and outputs that can be connected.
Names, units and signs are those of the crane, where its equations are described, too.
The wind's inputs are there with <code>useWind = true</code>.</p>
</html>"));
end NavyCrane2D;
