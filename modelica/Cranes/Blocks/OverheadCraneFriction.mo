within Cranes.Blocks;
model OverheadCraneFriction "Overhead crane whose drives stick and slide: elastoplastic friction"
  extends BaseClasses.OverheadCraneFriction;

  Interfaces.RealInput F_t(final quantity="Force", final unit="N", start=0)
    "Force on the trolley"
    annotation (Placement(transformation(extent={{-120,50},{-100,70}})));
  Interfaces.RealInput M_w(final quantity="Torque", final unit="N.m", start=-m*g*r)
    "Torque on the winch, positive pays rope out"
    annotation (Placement(transformation(extent={{-120,-70},{-100,-50}})));
equation
  crane.F_t = F_t;
  crane.M_w = M_w;
  annotation (
    Icon(coordinateSystem(extent={{-100,-100},{100,100}}), graphics={
      Text(extent={{-98,68},{-20,52}}, textColor={0,0,0}, horizontalAlignment=TextAlignment.Left,
        textString="F_t"),
      Text(extent={{-98,-52},{-20,-68}}, textColor={0,0,0}, horizontalAlignment=TextAlignment.Left,
        textString="M_w")}),
    Documentation(info="<html>
<p><a href=\"modelica://Cranes.OverheadCraneFriction\">Cranes.OverheadCraneFriction</a> with
inputs and outputs that can be connected.
Names, units and signs are those of the crane, where its equations are described, too.
The wind's inputs are there with <code>useWind = true</code>.</p>
</html>"));
end OverheadCraneFriction;
