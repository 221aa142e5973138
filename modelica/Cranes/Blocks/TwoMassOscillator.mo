within Cranes.Blocks;
model TwoMassOscillator "Nonlinear oscillator of two masses, driven by the feet of their springs"
  extends BaseClasses.TwoMassOscillator;

  Interfaces.RealInput u_1(final quantity="Length", final unit="m", start=0)
    "Displacement of the first spring's foot"
    annotation (Placement(transformation(extent={{-120,50},{-100,70}})));
  Interfaces.RealInput u_2(final quantity="Length", final unit="m", start=0)
    "Displacement of the second spring's foot"
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
<p><a href=\"modelica://Cranes.TwoMassOscillator\">Cranes.TwoMassOscillator</a> with
inputs and outputs that can be connected.
Names, units and signs are those of the crane, where its equations are described, too.</p>
</html>"));
end TwoMassOscillator;
