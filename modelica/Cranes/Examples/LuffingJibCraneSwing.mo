within Cranes.Examples;
model LuffingJibCraneSwing "LuffingJibCrane that swings under its holding inputs"
  Cranes.LuffingJibCrane crane(y_start=3, x_start=26) "The crane";
equation
  crane.M_b = 0;
  crane.M_j = 2207250;
  crane.M_w = -17658;
  crane.F_wind_x = 0;
  crane.F_wind_y = 0;
  crane.F_wind_z = 0;
  annotation (
    experiment(StartTime=0, StopTime=2, Tolerance=1e-9),
    Documentation(info="<html>
<p>A <a href=\"modelica://Cranes.LuffingJibCrane\">LuffingJibCrane</a> that swings under its holding inputs: plot its outputs.</p>
</html>"));
end LuffingJibCraneSwing;
