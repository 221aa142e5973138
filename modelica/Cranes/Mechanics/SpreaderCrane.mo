within Cranes.Mechanics;
model SpreaderCrane "Crane with a spreader on four ropes, whose trolley slews"
  extends BaseClasses.SpreaderCrane;

  Interfaces.TranslationalFlange flange_trolley_x "Trolley, along x"
    annotation (Placement(transformation(extent={{-110,50},{-90,70}})));
  Interfaces.TranslationalFlange flange_trolley_y "Trolley, along y"
    annotation (Placement(transformation(extent={{-110,30},{-90,50}})));
  Interfaces.RotationalFlange flange_slewing "What slews"
    annotation (Placement(transformation(extent={{-110,10},{-90,30}})));
  Interfaces.RotationalFlange flange_winch_1 "Drum of winch 1, positive pays rope out"
    annotation (Placement(transformation(extent={{-110,-10},{-90,10}})));
  Interfaces.RotationalFlange flange_winch_2 "Drum of winch 2, positive pays rope out"
    annotation (Placement(transformation(extent={{-110,-30},{-90,-10}})));
  Interfaces.RotationalFlange flange_winch_3 "Drum of winch 3, positive pays rope out"
    annotation (Placement(transformation(extent={{-110,-50},{-90,-30}})));
  Interfaces.RotationalFlange flange_winch_4 "Drum of winch 4, positive pays rope out"
    annotation (Placement(transformation(extent={{-110,-70},{-90,-50}})));
equation
  flange_trolley_x.s = crane.x_t;
  crane.F_x = flange_trolley_x.f;
  flange_trolley_y.s = crane.y_t;
  crane.F_y = flange_trolley_y.f;
  flange_slewing.phi = crane.theta;
  crane.M_t = flange_slewing.tau;
  flange_winch_1.phi = crane.l_1/r_w;
  crane.M_1 = flange_winch_1.tau;
  flange_winch_2.phi = crane.l_2/r_w;
  crane.M_2 = flange_winch_2.tau;
  flange_winch_3.phi = crane.l_3/r_w;
  crane.M_3 = flange_winch_3.tau;
  flange_winch_4.phi = crane.l_4/r_w;
  crane.M_4 = flange_winch_4.tau;
  annotation (
    Icon(coordinateSystem(extent={{-100,-100},{100,100}}), graphics={
      Text(extent={{-98,68},{-20,52}}, textColor={0,0,0}, horizontalAlignment=TextAlignment.Left,
        textString="trolley_x"),
      Text(extent={{-98,48},{-20,32}}, textColor={0,0,0}, horizontalAlignment=TextAlignment.Left,
        textString="trolley_y"),
      Text(extent={{-98,28},{-20,12}}, textColor={0,0,0}, horizontalAlignment=TextAlignment.Left,
        textString="slewing"),
      Text(extent={{-98,8},{-20,-8}}, textColor={0,0,0}, horizontalAlignment=TextAlignment.Left,
        textString="winch_1"),
      Text(extent={{-98,-12},{-20,-28}}, textColor={0,0,0}, horizontalAlignment=TextAlignment.Left,
        textString="winch_2"),
      Text(extent={{-98,-32},{-20,-48}}, textColor={0,0,0}, horizontalAlignment=TextAlignment.Left,
        textString="winch_3"),
      Text(extent={{-98,-52},{-20,-68}}, textColor={0,0,0}, horizontalAlignment=TextAlignment.Left,
        textString="winch_4")}),
    Documentation(info="<html>
<p><a href=\"modelica://Cranes.SpreaderCrane\">Cranes.SpreaderCrane</a> whose drives
are flanges: motors, gears, brakes and what
else the Modelica Standard Library has can be connected.</p>
<table border=\"1\" cellspacing=\"0\" cellpadding=\"2\">
<tr><th>flange</th><th>its coordinate</th><th>its force or torque</th></tr>
<tr><td><code>flange_trolley_x</code></td><td><code>s = x_t</code></td><td><code>F_x</code></td></tr>
<tr><td><code>flange_trolley_y</code></td><td><code>s = y_t</code></td><td><code>F_y</code></td></tr>
<tr><td><code>flange_slewing</code></td><td><code>phi = theta</code></td><td><code>M_t</code></td></tr>
<tr><td><code>flange_winch_1</code></td><td><code>phi = l_1/r_w</code></td><td><code>M_1</code></td></tr>
<tr><td><code>flange_winch_2</code></td><td><code>phi = l_2/r_w</code></td><td><code>M_2</code></td></tr>
<tr><td><code>flange_winch_3</code></td><td><code>phi = l_3/r_w</code></td><td><code>M_3</code></td></tr>
<tr><td><code>flange_winch_4</code></td><td><code>phi = l_4/r_w</code></td><td><code>M_4</code></td></tr>
</table>
<p>The masses and inertias of the drives that the crane has as parameters move with the flanges.
The wind's inputs are there with <code>useWind = true</code>.</p>
</html>"));
end SpreaderCrane;
