within Cranes.Mechanics;
model PortalCrane "Portal crane with two travel drives: skewing bridge, trolley, winch, load"
  extends BaseClasses.PortalCrane;

  Interfaces.TranslationalFlange flange_travel_1 "Travel drive 1"
    annotation (Placement(transformation(extent={{-110,50},{-90,70}})));
  Interfaces.TranslationalFlange flange_travel_2 "Travel drive 2"
    annotation (Placement(transformation(extent={{-110,10},{-90,30}})));
  Interfaces.TranslationalFlange flange_trolley "Trolley"
    annotation (Placement(transformation(extent={{-110,-30},{-90,-10}})));
  Interfaces.RotationalFlange flange_winch "Drum of the winch, positive pays rope out"
    annotation (Placement(transformation(extent={{-110,-70},{-90,-50}})));
equation
  flange_travel_1.s = crane.x_1;
  crane.F_1 = flange_travel_1.f;
  flange_travel_2.s = crane.x_2;
  crane.F_2 = flange_travel_2.f;
  flange_trolley.s = crane.s;
  crane.F_t = flange_trolley.f;
  flange_winch.phi = crane.l/r_w;
  crane.M_w = flange_winch.tau;
  annotation (
    Icon(coordinateSystem(extent={{-100,-100},{100,100}}), graphics={
      Text(extent={{-98,68},{-20,52}}, textColor={0,0,0}, horizontalAlignment=TextAlignment.Left,
        textString="travel_1"),
      Text(extent={{-98,28},{-20,12}}, textColor={0,0,0}, horizontalAlignment=TextAlignment.Left,
        textString="travel_2"),
      Text(extent={{-98,-12},{-20,-28}}, textColor={0,0,0}, horizontalAlignment=TextAlignment.Left,
        textString="trolley"),
      Text(extent={{-98,-52},{-20,-68}}, textColor={0,0,0}, horizontalAlignment=TextAlignment.Left,
        textString="winch")}),
    Documentation(info="<html>
<p><a href=\"modelica://Cranes.PortalCrane\">Cranes.PortalCrane</a> whose drives
are flanges: motors, gears, brakes and what
else the Modelica Standard Library has can be connected.</p>
<table border=\"1\" cellspacing=\"0\" cellpadding=\"2\">
<tr><th>flange</th><th>its coordinate</th><th>its force or torque</th></tr>
<tr><td><code>flange_travel_1</code></td><td><code>s = x_1</code></td><td><code>F_1</code></td></tr>
<tr><td><code>flange_travel_2</code></td><td><code>s = x_2</code></td><td><code>F_2</code></td></tr>
<tr><td><code>flange_trolley</code></td><td><code>s = s</code></td><td><code>F_t</code></td></tr>
<tr><td><code>flange_winch</code></td><td><code>phi = l/r_w</code></td><td><code>M_w</code></td></tr>
</table>
<p>The masses and inertias of the drives that the crane has as parameters move with the flanges.
The wind's inputs are there with <code>useWind = true</code>.</p>
</html>"));
end PortalCrane;
