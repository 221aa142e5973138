within Cranes.Blocks;
model RotaryCraneSpeed "Rotary crane whose drives take velocity references"
  extends BaseClasses.RotaryCraneSpeed;

  Interfaces.RealInput w_phi(final quantity="AngularVelocity", final unit="rad/s", start=0)
    "Wanted slewing velocity"
    annotation (Placement(transformation(extent={{-120,50},{-100,70}})));
  Interfaces.RealInput w_s(final quantity="Velocity", final unit="m/s", start=0)
    "Wanted velocity of the trolley"
    annotation (Placement(transformation(extent={{-120,-10},{-100,10}})));
  Interfaces.RealInput w_l(final quantity="Velocity", final unit="m/s", start=0)
    "Wanted velocity of the rope, positive pays out"
    annotation (Placement(transformation(extent={{-120,-70},{-100,-50}})));
equation
  crane.w_phi = w_phi;
  crane.w_s = w_s;
  crane.w_l = w_l;
  annotation (
    Icon(coordinateSystem(extent={{-100,-100},{100,100}}), graphics={
      Text(extent={{-98,68},{-20,52}}, textColor={0,0,0}, horizontalAlignment=TextAlignment.Left,
        textString="w_phi"),
      Text(extent={{-98,8},{-20,-8}}, textColor={0,0,0}, horizontalAlignment=TextAlignment.Left,
        textString="w_s"),
      Text(extent={{-98,-52},{-20,-68}}, textColor={0,0,0}, horizontalAlignment=TextAlignment.Left,
        textString="w_l")}),
    Documentation(info="<html>
<p><a href=\"modelica://Cranes.RotaryCraneSpeed\">Cranes.RotaryCraneSpeed</a> with
inputs and outputs that can be connected.
Names, units and signs are those of the crane, where its equations are described, too.
The wind's inputs are there with <code>useWind = true</code>.</p>
</html>"));
end RotaryCraneSpeed;
