within Cranes.Mechanics;
model CylinderCrane "Slewing crane whose jib is luffed by a cylinder, load in two swing angles"
  extends BaseClasses.CylinderCrane;

  Interfaces.RotationalFlange flange_slewing "What slews"
    annotation (Placement(transformation(extent={{-110,50},{-90,70}})));
  Interfaces.TranslationalFlange flange_cylinder "Piston rod, the cylinder's length"
    annotation (Placement(transformation(extent={{-110,-10},{-90,10}})));
  Interfaces.RotationalFlange flange_winch "Drum of the winch, positive pays rope out"
    annotation (Placement(transformation(extent={{-110,-70},{-90,-50}})));
equation
  flange_slewing.phi = crane.phi;
  crane.M_b = flange_slewing.tau;
  flange_cylinder.s = crane.c;
  crane.F_c = flange_cylinder.f;
  flange_winch.phi = crane.l/r_w;
  crane.M_w = flange_winch.tau;
  annotation (
    Icon(coordinateSystem(extent={{-100,-100},{100,100}}), graphics={
      Text(extent={{-98,68},{-20,52}}, textColor={0,0,0}, horizontalAlignment=TextAlignment.Left,
        textString="slewing"),
      Text(extent={{-98,8},{-20,-8}}, textColor={0,0,0}, horizontalAlignment=TextAlignment.Left,
        textString="cylinder"),
      Text(extent={{-98,-52},{-20,-68}}, textColor={0,0,0}, horizontalAlignment=TextAlignment.Left,
        textString="winch")}),
    Documentation(info="<html>
<p><a href=\"modelica://Cranes.CylinderCrane\">Cranes.CylinderCrane</a> whose drives
are flanges: motors, gears, brakes and what
else the Modelica Standard Library has can be connected.</p>
<table border=\"1\" cellspacing=\"0\" cellpadding=\"2\">
<tr><th>flange</th><th>its coordinate</th><th>its force or torque</th></tr>
<tr><td><code>flange_slewing</code></td><td><code>phi = phi</code></td><td><code>M_b</code></td></tr>
<tr><td><code>flange_cylinder</code></td><td><code>s = c</code></td><td><code>F_c</code></td></tr>
<tr><td><code>flange_winch</code></td><td><code>phi = l/r_w</code></td><td><code>M_w</code></td></tr>
</table>
<p>The masses and inertias of the drives that the crane has as parameters move with the flanges.
The wind's inputs are there with <code>useWind = true</code>.</p>
</html>"));
end CylinderCrane;
