within Cranes.Elastic;
model OverheadCraneLump "Planar overhead crane on an elastic rope with one lump of mass"
  extends OverheadCrane(n=1,
    w_start={{0, -l_start*(1 + (m + m_lump)*g/EA)}, {0, -l_lump*(1 + m*g/EA)}});

  output Types.Position x_1 "Lump, horizontal";
  output Types.Position z_1 "Lump, vertical";
  output Types.Velocity v_x_1 "Velocity of the lump, horizontal";
  output Types.Velocity v_z_1 "Velocity of the lump, vertical";

equation
  x_1 = rope.r[1, 1];
  z_1 = rope.r[1, 2];
  v_x_1 = rope.v[1, 1];
  v_z_1 = rope.v[1, 2];

  annotation (
    experiment(StartTime=0, StopTime=3, Tolerance=1e-9),
    Documentation(info="<html>
<p><a href=\"modelica://Cranes.Elastic.OverheadCrane\">Elastic.OverheadCrane</a> with <code>n = 1</code>,
and where the lump is.</p>
</html>"));
end OverheadCraneLump;
