within Cranes.Examples;
model KnuckleBoomDriven "KnuckleBoom that is moved by harmonic inputs"
  Cranes.KnuckleBoom crane "The crane";
equation
  crane.M_b = 4e3*sin(2*time);
  crane.F_1 = 116759.451 + 5e3*sin(3*time);
  crane.F_2 = -44331.619 + 2e3*sin(2*time);
  crane.F_wind_x = 0;
  crane.F_wind_y = 0;
  crane.F_wind_z = 0;
  annotation (
    experiment(StartTime=0, StopTime=2, Tolerance=1e-9),
    Documentation(info="<html>
<p>A <a href=\"modelica://Cranes.KnuckleBoom\">KnuckleBoom</a> that is moved by harmonic inputs: plot its outputs.</p>
</html>"));
end KnuckleBoomDriven;
