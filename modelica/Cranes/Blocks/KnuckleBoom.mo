within Cranes.Blocks;
model KnuckleBoom "Loader with main boom, knuckle and two cylinders, load on a rope of fixed length"
  extends BaseClasses.KnuckleBoom;

  Interfaces.RealInput M_b(final quantity="Torque", final unit="N.m", start=0)
    "Torque on the column"
    annotation (Placement(transformation(extent={{-120,50},{-100,70}})));
  Interfaces.RealInput F_1(final quantity="Force", final unit="N", start=116759.45085310984)
    "Force of cylinder 1, positive extends it"
    annotation (Placement(transformation(extent={{-120,-10},{-100,10}})));
  Interfaces.RealInput F_2(final quantity="Force", final unit="N", start=-44331.61920495727)
    "Force of cylinder 2, positive extends it"
    annotation (Placement(transformation(extent={{-120,-70},{-100,-50}})));
equation
  crane.M_b = M_b;
  crane.F_1 = F_1;
  crane.F_2 = F_2;
  annotation (
    Icon(coordinateSystem(extent={{-100,-100},{100,100}}), graphics={
      Text(extent={{-98,68},{-20,52}}, textColor={0,0,0}, horizontalAlignment=TextAlignment.Left,
        textString="M_b"),
      Text(extent={{-98,8},{-20,-8}}, textColor={0,0,0}, horizontalAlignment=TextAlignment.Left,
        textString="F_1"),
      Text(extent={{-98,-52},{-20,-68}}, textColor={0,0,0}, horizontalAlignment=TextAlignment.Left,
        textString="F_2")}),
    Documentation(info="<html>
<p><a href=\"modelica://Cranes.KnuckleBoom\">Cranes.KnuckleBoom</a> with
inputs and outputs that can be connected.
Names, units and signs are those of the crane, where its equations are described, too.
The wind's inputs are there with <code>useWind = true</code>.</p>
</html>"));
end KnuckleBoom;
