within Cranes.Blocks;
model RprManipulator "Planar manipulator with three R-P-R legs on a free-floating base, with friction"
  extends BaseClasses.RprManipulator;

  Interfaces.RealInput M_1(final quantity="Torque", final unit="N.m", start=0)
    "Torque of the base on leg 1"
    annotation (Placement(transformation(extent={{-120,50},{-100,70}})));
  Interfaces.RealInput M_2(final quantity="Torque", final unit="N.m", start=0)
    "Torque of the base on leg 2"
    annotation (Placement(transformation(extent={{-120,-10},{-100,10}})));
  Interfaces.RealInput M_3(final quantity="Torque", final unit="N.m", start=0)
    "Torque of the base on leg 3"
    annotation (Placement(transformation(extent={{-120,-70},{-100,-50}})));
equation
  crane.M_1 = M_1;
  crane.M_2 = M_2;
  crane.M_3 = M_3;
  annotation (
    Icon(coordinateSystem(extent={{-100,-100},{100,100}}), graphics={
      Text(extent={{-98,68},{-20,52}}, textColor={0,0,0}, horizontalAlignment=TextAlignment.Left,
        textString="M_1"),
      Text(extent={{-98,8},{-20,-8}}, textColor={0,0,0}, horizontalAlignment=TextAlignment.Left,
        textString="M_2"),
      Text(extent={{-98,-52},{-20,-68}}, textColor={0,0,0}, horizontalAlignment=TextAlignment.Left,
        textString="M_3")}),
    Documentation(info="<html>
<p><a href=\"modelica://Cranes.RprManipulator\">Cranes.RprManipulator</a> with
inputs and outputs that can be connected.
Names, units and signs are those of the crane, where its equations are described, too.</p>
</html>"));
end RprManipulator;
