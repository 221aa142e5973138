within Cranes.Examples;
model QuadrotorWithLoadDriven "QuadrotorWithLoad that is moved by harmonic inputs"
  Cranes.QuadrotorWithLoad crane "The crane";
equation
  crane.F = 142.245 + 10*sin(3*time);
  crane.M = 0.3*sin(4*time);
  crane.F_wind_x = 0;
  crane.F_wind_z = 0;
  annotation (
    experiment(StartTime=0, StopTime=2, Tolerance=1e-9),
    Documentation(info="<html>
<p>A <a href=\"modelica://Cranes.QuadrotorWithLoad\">QuadrotorWithLoad</a> that is moved by harmonic inputs: plot its outputs.</p>
</html>"));
end QuadrotorWithLoadDriven;
