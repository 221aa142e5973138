within Cranes.Examples;
model OverheadCraneSwing "OverheadCrane that swings under its holding inputs"
  Cranes.OverheadCrane crane(theta_start=0.1) "The crane";
equation
  crane.F_t = 0;
  crane.M_w = -98.1;
  crane.F_wind_x = 0;
  crane.F_wind_z = 0;
  annotation (
    experiment(StartTime=0, StopTime=2, Tolerance=1e-9),
    Documentation(info="<html>
<p>A <a href=\"modelica://Cranes.OverheadCrane\">OverheadCrane</a> that swings under its holding inputs: plot its outputs.</p>
</html>"));
end OverheadCraneSwing;
