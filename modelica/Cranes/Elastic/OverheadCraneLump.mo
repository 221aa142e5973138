within Cranes.Elastic;
model OverheadCraneLump "Planar overhead crane on an elastic rope with one lump of mass"
  extends OverheadCrane(n=1,
    w_start={{0, -l_start*(1 + (m + m_lump)*g/EA)}, {0, -l_lump*(1 + m*g/EA)}});
  annotation (
    experiment(StartTime=0, StopTime=3, Tolerance=1e-9),
    Documentation(info="<html>
<p><a href=\"modelica://Cranes.Elastic.OverheadCrane\">Elastic.OverheadCrane</a> with <code>n = 1</code>.</p>
</html>"));
end OverheadCraneLump;
