within Cranes.Examples;
model QuadrotorWithLoadSwing "QuadrotorWithLoad that swings under its holding inputs"
  Cranes.QuadrotorWithLoad crane(theta_start=0.2) "The crane";
equation
  crane.F = 142.245;
  crane.M = 0;
  crane.F_wind_x = 0;
  crane.F_wind_z = 0;
  annotation (
    experiment(StartTime=0, StopTime=2, Tolerance=1e-9),
    Documentation(info="<html>
<p>A <a href=\"modelica://Cranes.QuadrotorWithLoad\">QuadrotorWithLoad</a> that swings under its holding inputs: plot its outputs.</p>
</html>"));
end QuadrotorWithLoadSwing;
