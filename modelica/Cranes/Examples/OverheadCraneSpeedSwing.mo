within Cranes.Examples;
model OverheadCraneSpeedSwing "OverheadCraneSpeed that swings under drives that hold still"
  Cranes.OverheadCraneSpeed crane(theta_start=0.1) "The crane";
equation
  crane.w_s = 0;
  crane.w_l = 0;
  crane.F_wind_x = 0;
  crane.F_wind_z = 0;
  annotation (
    experiment(StartTime=0, StopTime=2, Tolerance=1e-9),
    Documentation(info="<html>
<p>A <a href=\"modelica://Cranes.OverheadCraneSpeed\">OverheadCraneSpeed</a> that swings under drives that hold still: plot its outputs.</p>
</html>"));
end OverheadCraneSpeedSwing;
