within Cranes;
package Elastic "Cranes whose hoist rope stretches, with or without mass"
  annotation (
    preferredView="info",
    Documentation(info="<html>
<p>The cranes of the same names, on a <a href=\"modelica://Cranes.Elastic.Rope\">Rope</a>: a chain of
springs <code>EA/l</code> with <code>n</code> point masses between them. The winch pays out the free
length of the first; the balance of the winch gets <code>T^2/(2 EA)</code>, the strain energy that the
rope which is paid out brings along. Coordinates are those of the drives and the vector of each element
from its upper to its lower end.</p>
<p>The number of lumps is fixed when a model is translated:</p>
<pre>model MyCrane
  extends Cranes.Elastic.OverheadCrane(n=2);
end MyCrane;</pre>
</html>"));
end Elastic;
