within Cranes.Blocks;
model PortalCrane "Portal crane with two travel drives: skewing bridge, trolley, winch, load"
  extends BaseClasses.PortalCrane;

  Interfaces.RealInput F_1(final quantity="Force", final unit="N", start=0)
    "Force of travel drive 1, on the rail at y = a"
    annotation (Placement(transformation(extent={{-120,50},{-100,70}})));
  Interfaces.RealInput F_2(final quantity="Force", final unit="N", start=0)
    "Force of travel drive 2, on the rail at y = -a"
    annotation (Placement(transformation(extent={{-120,10},{-100,30}})));
  Interfaces.RealInput F_t(final quantity="Force", final unit="N", start=0)
    "Force on the trolley"
    annotation (Placement(transformation(extent={{-120,-30},{-100,-10}})));
  Interfaces.RealInput M_w(final quantity="Torque", final unit="N.m", start=-m*g*r_w)
    "Torque on the winch, positive pays rope out"
    annotation (Placement(transformation(extent={{-120,-70},{-100,-50}})));
equation
  crane.F_1 = F_1;
  crane.F_2 = F_2;
  crane.F_t = F_t;
  crane.M_w = M_w;
  annotation (
    Icon(coordinateSystem(extent={{-100,-100},{100,100}}), graphics={
      Text(extent={{-98,68},{-20,52}}, textColor={0,0,0}, horizontalAlignment=TextAlignment.Left,
        textString="F_1"),
      Text(extent={{-98,28},{-20,12}}, textColor={0,0,0}, horizontalAlignment=TextAlignment.Left,
        textString="F_2"),
      Text(extent={{-98,-12},{-20,-28}}, textColor={0,0,0}, horizontalAlignment=TextAlignment.Left,
        textString="F_t"),
      Text(extent={{-98,-52},{-20,-68}}, textColor={0,0,0}, horizontalAlignment=TextAlignment.Left,
        textString="M_w")}),
    Documentation(info="<html>
<p><a href=\"modelica://Cranes.PortalCrane\">Cranes.PortalCrane</a> with
inputs and outputs that can be connected.
Names, units and signs are those of the crane, where its equations are described, too.
The wind's inputs are there with <code>useWind = true</code>.</p>
</html>"));
end PortalCrane;
