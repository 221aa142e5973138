within Cranes;
package BaseClasses "What the versions of a crane have in common"
  annotation (
    preferredView="info",
    Icon(coordinateSystem(extent={{-100,-100},{100,100}}), graphics={
      Rectangle(extent={{-100,100},{100,-100}}, radius=25, lineColor={200,200,200},
        fillColor={248,248,248}, fillPattern=FillPattern.Solid),
      Ellipse(extent={{-30,-30},{30,30}}, lineColor={128,128,128}, fillColor={255,255,255},
        fillPattern=FillPattern.Solid)}),
    Documentation(info="<html>
<p>Partial models, to be extended: each has the parameters of a crane, the crane itself and its
outputs as connectors. Its drives are added in <a href=\"modelica://Cranes.Blocks\">Blocks</a> and
<a href=\"modelica://Cranes.Mechanics\">Mechanics</a>.</p>
</html>"));
end BaseClasses;
