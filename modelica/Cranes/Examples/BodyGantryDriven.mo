within Cranes.Examples;
model BodyGantryDriven "BodyGantry that is moved by harmonic inputs"
  Cranes.BodyGantry crane "The crane";
equation
  crane.F_t = 3000*sin(3*time);
  crane.M_w = -19620 + 400*sin(2*time);
  crane.F_wind_x = 0;
  crane.F_wind_z = 0;
  annotation (
    experiment(StartTime=0, StopTime=2, Tolerance=1e-9),
    Documentation(info="<html>
<p>A <a href=\"modelica://Cranes.BodyGantry\">BodyGantry</a> that is moved by harmonic inputs: plot its outputs.</p>
</html>"));
end BodyGantryDriven;
