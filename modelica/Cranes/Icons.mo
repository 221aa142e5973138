within Cranes;
package Icons "Icons"
  partial class Crane "Icon of a crane: girder, trolley, rope, load"
    annotation (Icon(coordinateSystem(extent={{-100,-100},{100,100}}), graphics={
      Rectangle(extent={{-100,100},{100,-100}}, lineColor={95,95,95}, fillColor={255,255,255},
        fillPattern=FillPattern.Solid),
      Line(points={{-80,60},{80,60}}, color={0,0,0}, thickness=1),
      Rectangle(extent={{-20,68},{20,52}}, lineColor={0,0,0}, fillColor={0,114,178},
        fillPattern=FillPattern.Solid),
      Line(points={{0,52},{30,-40}}, color={0,0,0}),
      Ellipse(extent={{18,-28},{42,-52}}, lineColor={0,0,0}, fillColor={213,94,0},
        fillPattern=FillPattern.Solid),
      Text(extent={{-100,-60},{100,-95}}, textColor={0,0,0}, textString="%name")}));
  end Crane;
end Icons;
