within Cranes.Examples;
model BodyGantrySwing "BodyGantry that swings under its holding inputs"
  Cranes.BodyGantry crane(x_start=0.9, v_z_start=0.2) "The crane";
equation
  crane.F_t = 0;
  crane.M_w = -19620;
  crane.F_wind_x = 0;
  crane.F_wind_z = 0;
  annotation (
    experiment(StartTime=0, StopTime=2, Tolerance=1e-9),
    Documentation(info="<html>
<p>A <a href=\"modelica://Cranes.BodyGantry\">BodyGantry</a> that swings under its holding inputs: plot its outputs.</p>
</html>"));
end BodyGantrySwing;
