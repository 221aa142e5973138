within Cranes;
package Blocks "Cranes with inputs and outputs as connectors"
  annotation (
    preferredView="info",
    Icon(coordinateSystem(extent={{-100,-100},{100,100}}), graphics={
      Rectangle(extent={{-100,100},{100,-100}}, radius=25, lineColor={200,200,200},
        fillColor={248,248,248}, fillPattern=FillPattern.Solid),
      Polygon(points={{-60,50},{60,0},{-60,-50}}, lineColor={0,0,127}, fillColor={0,0,127},
        fillPattern=FillPattern.Solid)}),
    Documentation(info="<html>
<p>Each crane of the library with <code>RealInput</code> and <code>RealOutput</code>, to be connected with
blocks, such as those that <code>cranebridge deliver --to modelica</code> writes.</p>
</html>"));
end Blocks;
