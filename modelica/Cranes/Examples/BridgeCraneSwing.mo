within Cranes.Examples;
model BridgeCraneSwing "BridgeCrane that swings under its holding inputs"
  Cranes.BridgeCrane crane(x_start=0.8, y_start=-0.5) "The crane";
equation
  crane.F_b = 0;
  crane.F_t = 0;
  crane.M_w = -68670;
  crane.F_wind_x = 0;
  crane.F_wind_y = 0;
  crane.F_wind_z = 0;
  annotation (
    experiment(StartTime=0, StopTime=2, Tolerance=1e-9),
    Documentation(info="<html>
<p>A <a href=\"modelica://Cranes.BridgeCrane\">BridgeCrane</a> that swings under its holding inputs: plot its outputs.</p>
</html>"));
end BridgeCraneSwing;
