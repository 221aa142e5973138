within Cranes.Mechanics;
model Cablev "Gantry with three trolleys that carry a platform on three ropes (CABLEV)"
  extends BaseClasses.Cablev;

  Interfaces.TranslationalFlange flange_gantry "Gantry"
    annotation (Placement(transformation(extent={{-110,50},{-90,70}})));
  Interfaces.TranslationalFlange flange_trolley_1 "Trolley 1"
    annotation (Placement(transformation(extent={{-110,30},{-90,50}})));
  Interfaces.TranslationalFlange flange_trolley_2 "Trolley 2"
    annotation (Placement(transformation(extent={{-110,10},{-90,30}})));
  Interfaces.TranslationalFlange flange_trolley_3 "Trolley 3"
    annotation (Placement(transformation(extent={{-110,-10},{-90,10}})));
  Interfaces.RotationalFlange flange_winch_1 "Drum of winch 1, positive pays rope out"
    annotation (Placement(transformation(extent={{-110,-30},{-90,-10}})));
  Interfaces.RotationalFlange flange_winch_2 "Drum of winch 2, positive pays rope out"
    annotation (Placement(transformation(extent={{-110,-50},{-90,-30}})));
  Interfaces.RotationalFlange flange_winch_3 "Drum of winch 3, positive pays rope out"
    annotation (Placement(transformation(extent={{-110,-70},{-90,-50}})));
equation
  flange_gantry.s = crane.p_g0;
  crane.u_g0 = flange_gantry.f;
  flange_trolley_1.s = crane.p_g1;
  crane.u_g1 = flange_trolley_1.f;
  flange_trolley_2.s = crane.p_g2;
  crane.u_g2 = flange_trolley_2.f;
  flange_trolley_3.s = crane.p_g3;
  crane.u_g3 = flange_trolley_3.f;
  flange_winch_1.phi = crane.p_c1/r_1;
  crane.u_c1 = flange_winch_1.tau;
  flange_winch_2.phi = crane.p_c2/r_2;
  crane.u_c2 = flange_winch_2.tau;
  flange_winch_3.phi = crane.p_c3/r_3;
  crane.u_c3 = flange_winch_3.tau;
  annotation (
    Icon(coordinateSystem(extent={{-100,-100},{100,100}}), graphics={
      Text(extent={{-98,68},{-20,52}}, textColor={0,0,0}, horizontalAlignment=TextAlignment.Left,
        textString="gantry"),
      Text(extent={{-98,48},{-20,32}}, textColor={0,0,0}, horizontalAlignment=TextAlignment.Left,
        textString="trolley_1"),
      Text(extent={{-98,28},{-20,12}}, textColor={0,0,0}, horizontalAlignment=TextAlignment.Left,
        textString="trolley_2"),
      Text(extent={{-98,8},{-20,-8}}, textColor={0,0,0}, horizontalAlignment=TextAlignment.Left,
        textString="trolley_3"),
      Text(extent={{-98,-12},{-20,-28}}, textColor={0,0,0}, horizontalAlignment=TextAlignment.Left,
        textString="winch_1"),
      Text(extent={{-98,-32},{-20,-48}}, textColor={0,0,0}, horizontalAlignment=TextAlignment.Left,
        textString="winch_2"),
      Text(extent={{-98,-52},{-20,-68}}, textColor={0,0,0}, horizontalAlignment=TextAlignment.Left,
        textString="winch_3")}),
    Documentation(info="<html>
<p><a href=\"modelica://Cranes.Cablev\">Cranes.Cablev</a> whose drives
are flanges: motors, gears, brakes and what
else the Modelica Standard Library has can be connected.</p>
<table border=\"1\" cellspacing=\"0\" cellpadding=\"2\">
<tr><th>flange</th><th>its coordinate</th><th>its force or torque</th></tr>
<tr><td><code>flange_gantry</code></td><td><code>s = p_g0</code></td><td><code>u_g0</code></td></tr>
<tr><td><code>flange_trolley_1</code></td><td><code>s = p_g1</code></td><td><code>u_g1</code></td></tr>
<tr><td><code>flange_trolley_2</code></td><td><code>s = p_g2</code></td><td><code>u_g2</code></td></tr>
<tr><td><code>flange_trolley_3</code></td><td><code>s = p_g3</code></td><td><code>u_g3</code></td></tr>
<tr><td><code>flange_winch_1</code></td><td><code>phi = p_c1/r_1</code></td><td><code>u_c1</code></td></tr>
<tr><td><code>flange_winch_2</code></td><td><code>phi = p_c2/r_2</code></td><td><code>u_c2</code></td></tr>
<tr><td><code>flange_winch_3</code></td><td><code>phi = p_c3/r_3</code></td><td><code>u_c3</code></td></tr>
</table>
<p>The masses and inertias of the drives that the crane has as parameters move with the flanges.
The wind's inputs are there with <code>useWind = true</code>.</p>
</html>"));
end Cablev;
