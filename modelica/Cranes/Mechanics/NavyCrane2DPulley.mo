within Cranes.Mechanics;
model NavyCrane2DPulley "Planar US Navy crane with massive pulley: three ropes, three winches"
  extends BaseClasses.NavyCrane2DPulley;

  Interfaces.RotationalFlange flange_winch_1 "Drum of winch 1, positive pays rope out"
    annotation (Placement(transformation(extent={{-110,50},{-90,70}})));
  Interfaces.RotationalFlange flange_winch_2 "Drum of winch 2, positive pays rope out"
    annotation (Placement(transformation(extent={{-110,-10},{-90,10}})));
  Interfaces.RotationalFlange flange_winch_3 "Drum of winch 3, positive pays rope out"
    annotation (Placement(transformation(extent={{-110,-70},{-90,-50}})));
equation
  flange_winch_1.phi = crane.L_1/r_1;
  crane.u_1 = flange_winch_1.tau;
  flange_winch_2.phi = crane.L_2/r_2;
  crane.u_2 = flange_winch_2.tau;
  flange_winch_3.phi = crane.L_3/r_3;
  crane.u_3 = flange_winch_3.tau;
  annotation (
    Icon(coordinateSystem(extent={{-100,-100},{100,100}}), graphics={
      Text(extent={{-98,68},{-20,52}}, textColor={0,0,0}, horizontalAlignment=TextAlignment.Left,
        textString="winch_1"),
      Text(extent={{-98,8},{-20,-8}}, textColor={0,0,0}, horizontalAlignment=TextAlignment.Left,
        textString="winch_2"),
      Text(extent={{-98,-52},{-20,-68}}, textColor={0,0,0}, horizontalAlignment=TextAlignment.Left,
        textString="winch_3")}),
    Documentation(info="<html>
<p><a href=\"modelica://Cranes.NavyCrane2DPulley\">Cranes.NavyCrane2DPulley</a> whose drives
are flanges: motors, gears, brakes and what
else the Modelica Standard Library has can be connected.</p>
<table border=\"1\" cellspacing=\"0\" cellpadding=\"2\">
<tr><th>flange</th><th>its coordinate</th><th>its force or torque</th></tr>
<tr><td><code>flange_winch_1</code></td><td><code>phi = L_1/r_1</code></td><td><code>u_1</code></td></tr>
<tr><td><code>flange_winch_2</code></td><td><code>phi = L_2/r_2</code></td><td><code>u_2</code></td></tr>
<tr><td><code>flange_winch_3</code></td><td><code>phi = L_3/r_3</code></td><td><code>u_3</code></td></tr>
</table>
<p>The masses and inertias of the drives that the crane has as parameters move with the flanges.
The wind's inputs are there with <code>useWind = true</code>.</p>
</html>"));
end NavyCrane2DPulley;
