within Cranes.Examples;
model DoublePendulumCraneSwing "DoublePendulumCrane that swings under its holding inputs"
  Cranes.DoublePendulumCrane crane(x_h_start=0.8, theta_2_start=-0.1) "The crane";
equation
  crane.F_t = 0;
  crane.M_w = -16873.2;
  crane.F_wind_x = 0;
  crane.F_wind_z = 0;
  annotation (
    experiment(StartTime=0, StopTime=2, Tolerance=1e-9),
    Documentation(info="<html>
<p>A <a href=\"modelica://Cranes.DoublePendulumCrane\">DoublePendulumCrane</a> that swings under its holding inputs: plot its outputs.</p>
</html>"));
end DoublePendulumCraneSwing;
