within Cranes.Mechanics;
model KnuckleBoom "Loader with main boom, knuckle and two cylinders, load on a rope of fixed length"
  extends BaseClasses.KnuckleBoom;

  Interfaces.RotationalFlange flange_slewing "What slews"
    annotation (Placement(transformation(extent={{-110,50},{-90,70}})));
  Interfaces.TranslationalFlange flange_cylinder_1 "Piston of cylinder 1, its length"
    annotation (Placement(transformation(extent={{-110,-10},{-90,10}})));
  Interfaces.TranslationalFlange flange_cylinder_2 "Piston of cylinder 2, its length"
    annotation (Placement(transformation(extent={{-110,-70},{-90,-50}})));
equation
  flange_slewing.phi = crane.phi;
  crane.M_b = flange_slewing.tau;
  flange_cylinder_1.s = crane.c_1;
  crane.F_1 = flange_cylinder_1.f;
  flange_cylinder_2.s = crane.c_2;
  crane.F_2 = flange_cylinder_2.f;
  annotation (
    Icon(coordinateSystem(extent={{-100,-100},{100,100}}), graphics={
      Text(extent={{-98,68},{-20,52}}, textColor={0,0,0}, horizontalAlignment=TextAlignment.Left,
        textString="slewing"),
      Text(extent={{-98,8},{-20,-8}}, textColor={0,0,0}, horizontalAlignment=TextAlignment.Left,
        textString="cylinder_1"),
      Text(extent={{-98,-52},{-20,-68}}, textColor={0,0,0}, horizontalAlignment=TextAlignment.Left,
        textString="cylinder_2")}),
    Documentation(info="<html>
<p><a href=\"modelica://Cranes.KnuckleBoom\">Cranes.KnuckleBoom</a> whose drives
are flanges: motors, gears, brakes and what
else the Modelica Standard Library has can be connected.</p>
<table border=\"1\" cellspacing=\"0\" cellpadding=\"2\">
<tr><th>flange</th><th>its coordinate</th><th>its force or torque</th></tr>
<tr><td><code>flange_slewing</code></td><td><code>phi = phi</code></td><td><code>M_b</code></td></tr>
<tr><td><code>flange_cylinder_1</code></td><td><code>s = c_1</code></td><td><code>F_1</code></td></tr>
<tr><td><code>flange_cylinder_2</code></td><td><code>s = c_2</code></td><td><code>F_2</code></td></tr>
</table>
<p>The masses and inertias of the drives that the crane has as parameters move with the flanges.
The wind's inputs are there with <code>useWind = true</code>.</p>
</html>"));
end KnuckleBoom;
