within Cranes.Examples;
model RotaryCraneSpeedDriven "RotaryCraneSpeed that is moved by harmonic velocity references"
  Cranes.RotaryCraneSpeed crane "The crane";
equation
  crane.w_phi = 0.1*sin(time);
  crane.w_s = 0.5*sin(3*time);
  crane.w_l = 0.2*sin(2*time);
  crane.F_wind_x = 0;
  crane.F_wind_y = 0;
  crane.F_wind_z = 0;
  annotation (
    experiment(StartTime=0, StopTime=2, Tolerance=1e-9),
    Documentation(info="<html>
<p>A <a href=\"modelica://Cranes.RotaryCraneSpeed\">RotaryCraneSpeed</a> that is moved by harmonic velocity references: plot its outputs.</p>
</html>"));
end RotaryCraneSpeedDriven;
