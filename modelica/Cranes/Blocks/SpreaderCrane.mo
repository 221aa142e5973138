within Cranes.Blocks;
model SpreaderCrane "Crane with a spreader on four ropes, whose trolley slews"
  extends BaseClasses.SpreaderCrane;

  Interfaces.RealInput F_x(final quantity="Force", final unit="N", start=0)
    "Force on the trolley, along x"
    annotation (Placement(transformation(extent={{-120,50},{-100,70}})));
  Interfaces.RealInput F_y(final quantity="Force", final unit="N", start=0)
    "Force on the trolley, along y"
    annotation (Placement(transformation(extent={{-120,30},{-100,50}})));
  Interfaces.RealInput M_t(final quantity="Torque", final unit="N.m", start=0)
    "Torque on the trolley"
    annotation (Placement(transformation(extent={{-120,10},{-100,30}})));
  Interfaces.RealInput M_1(final quantity="Torque", final unit="N.m", start=m*g*r_w*sqrt((A - C)^2 + (B - D)^2 + (z_start + h)^2)/(4*(z_start + h)))
    "Torque on winch 1, positive pays rope out"
    annotation (Placement(transformation(extent={{-120,-10},{-100,10}})));
  Interfaces.RealInput M_2(final quantity="Torque", final unit="N.m", start=m*g*r_w*sqrt((A - C)^2 + (B - D)^2 + (z_start + h)^2)/(4*(z_start + h)))
    "Torque on winch 2, positive pays rope out"
    annotation (Placement(transformation(extent={{-120,-30},{-100,-10}})));
  Interfaces.RealInput M_3(final quantity="Torque", final unit="N.m", start=m*g*r_w*sqrt((A - C)^2 + (B - D)^2 + (z_start + h)^2)/(4*(z_start + h)))
    "Torque on winch 3, positive pays rope out"
    annotation (Placement(transformation(extent={{-120,-50},{-100,-30}})));
  Interfaces.RealInput M_4(final quantity="Torque", final unit="N.m", start=m*g*r_w*sqrt((A - C)^2 + (B - D)^2 + (z_start + h)^2)/(4*(z_start + h)))
    "Torque on winch 4, positive pays rope out"
    annotation (Placement(transformation(extent={{-120,-70},{-100,-50}})));
equation
  crane.F_x = F_x;
  crane.F_y = F_y;
  crane.M_t = M_t;
  crane.M_1 = M_1;
  crane.M_2 = M_2;
  crane.M_3 = M_3;
  crane.M_4 = M_4;
  annotation (
    Icon(coordinateSystem(extent={{-100,-100},{100,100}}), graphics={
      Text(extent={{-98,68},{-20,52}}, textColor={0,0,0}, horizontalAlignment=TextAlignment.Left,
        textString="F_x"),
      Text(extent={{-98,48},{-20,32}}, textColor={0,0,0}, horizontalAlignment=TextAlignment.Left,
        textString="F_y"),
      Text(extent={{-98,28},{-20,12}}, textColor={0,0,0}, horizontalAlignment=TextAlignment.Left,
        textString="M_t"),
      Text(extent={{-98,8},{-20,-8}}, textColor={0,0,0}, horizontalAlignment=TextAlignment.Left,
        textString="M_1"),
      Text(extent={{-98,-12},{-20,-28}}, textColor={0,0,0}, horizontalAlignment=TextAlignment.Left,
        textString="M_2"),
      Text(extent={{-98,-32},{-20,-48}}, textColor={0,0,0}, horizontalAlignment=TextAlignment.Left,
        textString="M_3"),
      Text(extent={{-98,-52},{-20,-68}}, textColor={0,0,0}, horizontalAlignment=TextAlignment.Left,
        textString="M_4")}),
    Documentation(info="<html>
<p><a href=\"modelica://Cranes.SpreaderCrane\">Cranes.SpreaderCrane</a> with
inputs and outputs that can be connected.
Names, units and signs are those of the crane, where its equations are described, too.
The wind's inputs are there with <code>useWind = true</code>.</p>
</html>"));
end SpreaderCrane;
