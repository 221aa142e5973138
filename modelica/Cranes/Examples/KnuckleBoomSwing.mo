within Cranes.Examples;
model KnuckleBoomSwing "KnuckleBoom that swings under its holding inputs"
  Cranes.KnuckleBoom crane(x_start=6.5, y_start=0.4) "The crane";
equation
  crane.M_b = 0;
  crane.F_1 = 116759.451;
  crane.F_2 = -44331.619;
  crane.F_wind_x = 0;
  crane.F_wind_y = 0;
  crane.F_wind_z = 0;
  annotation (
    experiment(StartTime=0, StopTime=2, Tolerance=1e-9),
    Documentation(info="<html>
<p>A <a href=\"modelica://Cranes.KnuckleBoom\">KnuckleBoom</a> that swings under its holding inputs: plot its outputs.</p>
</html>"));
end KnuckleBoomSwing;
