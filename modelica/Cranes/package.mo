within;
package Cranes "Crane plants: the machines that a feedforward has to move"
  annotation (
    version="0.1.0",
    versionDate="2026-11-19",
    preferredView="info",
    Icon(coordinateSystem(extent={{-100,-100},{100,100}}), graphics={
      Rectangle(extent={{-100,100},{100,-100}}, radius=25, lineColor={95,95,95},
        fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Line(points={{-80,60},{80,60}}, color={0,0,0}, thickness=1),
      Rectangle(extent={{-20,68},{20,52}}, lineColor={0,0,0}, fillColor={0,114,178},
        fillPattern=FillPattern.Solid),
      Line(points={{0,52},{30,-40}}, color={0,0,0}),
      Ellipse(extent={{18,-28},{42,-52}}, lineColor={0,0,0}, fillColor={213,94,0},
        fillPattern=FillPattern.Solid)}),
    Documentation(info="<html>
<p>Models of cranes whose drives are forces and torques and whose load hangs on ropes: fewer drives
than degrees of freedom. Each model is an explicit set of equations of motion in independent
coordinates, linear in the accelerations and rope forces. Only what is called real or elastic has
events: <a href=\"modelica://Cranes.Parts\">Parts</a> that switch. The library uses no other library.</p>
<h4>Three versions of a crane</h4>
<table border=\"1\" cellspacing=\"0\" cellpadding=\"2\">
<tr><th>model</th><th>its drives</th></tr>
<tr><td><code>Cranes.RotaryCrane</code></td><td>inputs; the model itself, to be read and exported</td></tr>
<tr><td><a href=\"modelica://Cranes.Blocks\">Blocks</a><code>.RotaryCrane</code></td>
<td><code>RealInput</code>, and <code>RealOutput</code>: for block diagrams</td></tr>
<tr><td><a href=\"modelica://Cranes.Mechanics\">Mechanics</a><code>.RotaryCrane</code></td>
<td>flanges: for motors, gears and brakes</td></tr>
</table>
<p>The <a href=\"modelica://Cranes.Interfaces\">connectors</a> are those of the Modelica Standard
Library by structure and names, so that they connect with its parts.</p>
<h4>Conventions</h4>
<ul>
<li>All quantities in SI units; the vertical axis <code>z</code> points up (down in
<a href=\"modelica://Cranes.Cablev\">Cablev</a>).</li>
<li>Inputs are the drives' forces and torques (<code>F_t</code>, <code>M_w</code>, <code>u_1</code>,
...). A positive winch torque pays rope out, so holding a load needs a negative one.</li>
<li>Beside them each crane has the wind's force on its load, <code>F_wind_x</code>,
<code>F_wind_y</code> (in space), <code>F_wind_z</code>, along the inertial axes, zero if it is not
given: for gusts, and for any other force on the load. A crane that is a part of a model does
without them: <code>crane(useWind=false)</code>. In <code>Blocks</code> and <code>Mechanics</code> they
are there with <code>useWind=true</code>.</li>
<li>Rope forces <code>T_...</code> are positive in tension. Ropes are massless. In the ideal cranes
they are two-sided: a negative force means that a real rope would be slack. In the real and elastic
ones they go slack.</li>
<li>A position has its symbol as name, its velocity the prefix <code>v_</code>, its start value the
suffix <code>_start</code>.</li>
<li>The default parameters and start values give equilibrium at rest under the holding torques that
the documentation of each model names.</li>
</ul>
</html>"));
end Cranes;
