within Cranes;
package Mechanics "Cranes whose drives are flanges"
  annotation (
    preferredView="info",
    Icon(coordinateSystem(extent={{-100,-100},{100,100}}), graphics={
      Rectangle(extent={{-100,100},{100,-100}}, radius=25, lineColor={200,200,200},
        fillColor={248,248,248}, fillPattern=FillPattern.Solid),
      Ellipse(extent={{-60,60},{60,-60}}, lineColor={95,95,95}, fillColor={95,95,95},
        fillPattern=FillPattern.Solid),
      Rectangle(extent={{-100,12},{-60,-12}}, lineColor={95,95,95}, fillColor={95,95,95},
        fillPattern=FillPattern.Solid)}),
    Documentation(info="<html>
<p>The drives of the cranes are flanges: translational for trolleys, bridges and gantries, rotational for
winches, slewing and luffing. The power that comes in through the flanges is what the crane's energy
rises by. Cranes that prescribe how their drives behave (<code>...Real</code>, <code>...Speed</code>), and what
has no such drive, are in <a href=\"modelica://Cranes.Blocks\">Blocks</a> only.</p>
</html>"));
end Mechanics;
