within Cranes.Examples;
model OverheadCraneSpeedDriven "OverheadCraneSpeed that is moved by harmonic velocity references"
  Cranes.OverheadCraneSpeed crane "The crane";
equation
  crane.w_s = 0.5*sin(3*time);
  crane.w_l = 0.2*sin(2*time);
  crane.F_wind_x = 0;
  crane.F_wind_z = 0;
  annotation (
    experiment(StartTime=0, StopTime=2, Tolerance=1e-9),
    Documentation(info="<html>
<p>A <a href=\"modelica://Cranes.OverheadCraneSpeed\">OverheadCraneSpeed</a> that is moved by harmonic velocity references: plot its outputs.</p>
</html>"));
end OverheadCraneSpeedDriven;
