within Cranes;
package Interfaces "Connectors, of the same structure as those of the Modelica Standard Library"
  connector RealInput = input Real "Signal that comes in" annotation (
    defaultComponentName="u",
    Icon(coordinateSystem(extent={{-100,-100},{100,100}}), graphics={
      Polygon(points={{-100,100},{100,0},{-100,-100}}, lineColor={0,0,127},
        fillColor={0,0,127}, fillPattern=FillPattern.Solid)}),
    Diagram(coordinateSystem(extent={{-100,-100},{100,100}}), graphics={
      Polygon(points={{0,50},{100,0},{0,-50}}, lineColor={0,0,127},
        fillColor={0,0,127}, fillPattern=FillPattern.Solid),
      Text(extent={{-10,60},{-10,85}}, textColor={0,0,127}, textString="%name")}),
    Documentation(info="<html>
<p>Can be connected with <code>Modelica.Blocks.Interfaces.RealOutput</code>.</p>
</html>"));
  connector RealOutput = output Real "Signal that goes out" annotation (
    defaultComponentName="y",
    Icon(coordinateSystem(extent={{-100,-100},{100,100}}), graphics={
      Polygon(points={{-100,100},{100,0},{-100,-100}}, lineColor={0,0,127},
        fillColor={255,255,255}, fillPattern=FillPattern.Solid)}),
    Diagram(coordinateSystem(extent={{-100,-100},{100,100}}), graphics={
      Polygon(points={{-100,50},{0,0},{-100,-50}}, lineColor={0,0,127},
        fillColor={255,255,255}, fillPattern=FillPattern.Solid),
      Text(extent={{30,60},{30,110}}, textColor={0,0,127}, textString="%name")}),
    Documentation(info="<html>
<p>Can be connected with <code>Modelica.Blocks.Interfaces.RealInput</code>.</p>
</html>"));
  connector ForceInput = input Types.Force "Force that comes in as a signal" annotation (
    defaultComponentName="f",
    Icon(coordinateSystem(extent={{-100,-100},{100,100}}), graphics={
      Polygon(points={{-100,100},{100,0},{-100,-100}}, lineColor={0,0,127},
        fillColor={0,0,127}, fillPattern=FillPattern.Solid)}),
    Documentation(info="<html>
<p>A <a href=\"modelica://Cranes.Interfaces.RealInput\">RealInput</a> with the unit of a force.</p>
</html>"));
  connector TranslationalFlange "Flange that is moved along a line"
    Types.Position s "Position of the flange";
    flow Types.Force f "Force that acts on the flange";
    annotation (
      defaultComponentName="flange",
      Icon(coordinateSystem(extent={{-100,-100},{100,100}}), graphics={
        Rectangle(extent={{-100,-100},{100,100}}, lineColor={0,127,0}, fillColor={0,127,0},
          fillPattern=FillPattern.Solid)}),
      Documentation(info="<html>
<p>Can be connected with <code>Modelica.Mechanics.Translational.Interfaces.Flange_a</code> and
<code>Flange_b</code>: the same names, types and signs.</p>
</html>"));
  end TranslationalFlange;
  connector RotationalFlange "Flange that is turned about an axis"
    Types.Angle phi "Angle of the flange";
    flow Types.Torque tau "Torque that acts on the flange";
    annotation (
      defaultComponentName="flange",
      Icon(coordinateSystem(extent={{-100,-100},{100,100}}), graphics={
        Ellipse(extent={{-100,100},{100,-100}}, lineColor={95,95,95}, fillColor={95,95,95},
          fillPattern=FillPattern.Solid)}),
      Documentation(info="<html>
<p>Can be connected with <code>Modelica.Mechanics.Rotational.Interfaces.Flange_a</code> and
<code>Flange_b</code>: the same names, types and signs.</p>
</html>"));
  end RotationalFlange;
  partial model OptionalWind "Whether the wind is given"
    parameter Boolean useWind = true
      "= true, if the wind's force on the load is given; = false, if there is none"
      annotation (Evaluate=true, HideResult=true, choices(checkBox=true));
    annotation (Documentation(info="<html>
<p>With <code>useWind = false</code> a crane in a model needs neither equations nor connections for
the wind.</p>
</html>"));
  end OptionalWind;
  partial model PlanarWind "What a planar crane needs so that its wind can be left out"
    extends OptionalWind;
  protected
    ForceInput wind_x "F_wind_x, zero without wind";
    ForceInput wind_z "F_wind_z, zero without wind";
  equation
    if not useWind then
      wind_x = 0;
      wind_z = 0;
    end if;
    annotation (Documentation(info="<html>
<p>The wind's inputs <code>F_wind_x</code>, <code>F_wind_z</code> of a crane are there if
<code>useWind</code>, and are connected with <code>wind_x</code>, <code>wind_z</code>, which the
equations use: the way of conditional connectors in the Modelica Standard Library. (An input with a
binding equation would not be an input of an FMU any more in OpenModelica and Dymola.)</p>
</html>"));
  end PlanarWind;
  partial model SpatialWind "What a crane in space needs so that its wind can be left out"
    extends PlanarWind;
  protected
    ForceInput wind_y "F_wind_y, zero without wind";
  equation
    if not useWind then
      wind_y = 0;
    end if;
    annotation (Documentation(info="<html>
<p>As <a href=\"modelica://Cranes.Interfaces.PlanarWind\">PlanarWind</a>, with a third axis.</p>
</html>"));
  end SpatialWind;
  annotation (Documentation(info="<html>
<p>Connectors are compatible where names, types and prefixes of their parts are the same (Modelica
Language Specification, 6.5). These are those of the Modelica Standard Library, so that cranes can
be connected with its parts, and the library still needs no other.</p>
</html>"));
end Interfaces;
