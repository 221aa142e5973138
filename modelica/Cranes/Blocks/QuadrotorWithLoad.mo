within Cranes.Blocks;
model QuadrotorWithLoad "Planar quadrotor with a load on a rope, with wind"
  extends BaseClasses.QuadrotorWithLoad;

  Interfaces.RealInput F(final quantity="Force", final unit="N", start=(m + m_q)*g)
    "Thrust of all rotors"
    annotation (Placement(transformation(extent={{-120,50},{-100,70}})));
  Interfaces.RealInput M(final quantity="Torque", final unit="N.m", start=0)
    "Pitch torque"
    annotation (Placement(transformation(extent={{-120,-70},{-100,-50}})));
equation
  crane.F = F;
  crane.M = M;
  annotation (
    Icon(coordinateSystem(extent={{-100,-100},{100,100}}), graphics={
      Text(extent={{-98,68},{-20,52}}, textColor={0,0,0}, horizontalAlignment=TextAlignment.Left,
        textString="F"),
      Text(extent={{-98,-52},{-20,-68}}, textColor={0,0,0}, horizontalAlignment=TextAlignment.Left,
        textString="M")}),
    Documentation(info="<html>
<p><a href=\"modelica://Cranes.QuadrotorWithLoad\">Cranes.QuadrotorWithLoad</a> with
inputs and outputs that can be connected.
Names, units and signs are those of the crane, where its equations are described, too.
The wind's inputs are there with <code>useWind = true</code>.</p>
</html>"));
end QuadrotorWithLoad;
