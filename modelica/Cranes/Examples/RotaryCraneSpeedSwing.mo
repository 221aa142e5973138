within Cranes.Examples;
model RotaryCraneSpeedSwing "RotaryCraneSpeed that swings under drives that hold still"
  Cranes.RotaryCraneSpeed crane(theta_1_start=0.1, theta_2_start=0.05) "The crane";
equation
  crane.w_phi = 0;
  crane.w_s = 0;
  crane.w_l = 0;
  crane.F_wind_x = 0;
  crane.F_wind_y = 0;
  crane.F_wind_z = 0;
  annotation (
    experiment(StartTime=0, StopTime=2, Tolerance=1e-9),
    Documentation(info="<html>
<p>A <a href=\"modelica://Cranes.RotaryCraneSpeed\">RotaryCraneSpeed</a> that swings under drives that hold still: plot its outputs.</p>
</html>"));
end RotaryCraneSpeedSwing;
