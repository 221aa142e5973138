within Cranes.Examples;
model OverheadCraneRealSwing "OverheadCraneReal that swings under its holding inputs"
  Cranes.OverheadCraneReal crane(theta_start=0.1, k_r=1e5) "The crane";
equation
  crane.F_t = 0;
  crane.M_w = -98.1;
  crane.F_wind_x = 0;
  crane.F_wind_z = 0;
  annotation (
    experiment(StartTime=0, StopTime=2, Tolerance=1e-9),
    Documentation(info="<html>
<p>A <a href=\"modelica://Cranes.OverheadCraneReal\">OverheadCraneReal</a> that swings under its holding inputs: plot its outputs.</p>
</html>"));
end OverheadCraneRealSwing;
