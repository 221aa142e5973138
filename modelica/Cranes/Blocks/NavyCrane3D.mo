within Cranes.Blocks;
model NavyCrane3D "US Navy crane with slewing boom and massless pulley: two ropes"
  extends BaseClasses.NavyCrane3D;

  Interfaces.RealInput u_1(final quantity="Torque", final unit="N.m", start=0)
    "Torque on winch 1, positive pays rope out"
    annotation (Placement(transformation(extent={{-120,50},{-100,70}})));
  Interfaces.RealInput u_3(final quantity="Torque", final unit="N.m", start=-m*g*r_3)
    "Torque on winch 3, positive pays rope out"
    annotation (Placement(transformation(extent={{-120,-10},{-100,10}})));
  Interfaces.RealInput u_4(final quantity="Torque", final unit="N.m", start=0)
    "Slewing torque"
    annotation (Placement(transformation(extent={{-120,-70},{-100,-50}})));
equation
  crane.u_1 = u_1;
  crane.u_3 = u_3;
  crane.u_4 = u_4;
  annotation (
    Icon(coordinateSystem(extent={{-100,-100},{100,100}}), graphics={
      Text(extent={{-98,68},{-20,52}}, textColor={0,0,0}, horizontalAlignment=TextAlignment.Left,
        textString="u_1"),
      Text(extent={{-98,8},{-20,-8}}, textColor={0,0,0}, horizontalAlignment=TextAlignment.Left,
        textString="u_3"),
      Text(extent={{-98,-52},{-20,-68}}, textColor={0,0,0}, horizontalAlignment=TextAlignment.Left,
        textString="u_4")}),
    Documentation(info="<html>
<p><a href=\"modelica://Cranes.NavyCrane3D\">Cranes.NavyCrane3D</a> with
inputs and outputs that can be connected.
Names, units and signs are those of the crane, where its equations are described, too.
The wind's inputs are there with <code>useWind = true</code>.</p>
</html>"));
end NavyCrane3D;
