within Cranes.Examples;
model FlexibleJibCraneSwing "FlexibleJibCrane that swings under its holding inputs"
  Cranes.FlexibleJibCrane crane(theta_2_start=0.1, theta_1_start=0.05, eta_start=0.2) "The crane";
equation
  crane.M_b = 0;
  crane.F_t = 0;
  crane.M_w = -5886;
  crane.F_wind_x = 0;
  crane.F_wind_y = 0;
  crane.F_wind_z = 0;
  annotation (
    experiment(StartTime=0, StopTime=2, Tolerance=1e-9),
    Documentation(info="<html>
<p>A <a href=\"modelica://Cranes.FlexibleJibCrane\">FlexibleJibCrane</a> that swings under its holding inputs: plot its outputs.</p>
</html>"));
end FlexibleJibCraneSwing;
