within Cranes.Examples;
model NavyCrane2DSwing "NavyCrane2D that swings under its holding inputs"
  Cranes.NavyCrane2D crane(v_beta_start=0.05) "The crane";
equation
  crane.u_1 = 0;
  crane.u_2 = -98.1;
  crane.F_wind_x = 0;
  crane.F_wind_z = 0;
  annotation (
    experiment(StartTime=0, StopTime=2, Tolerance=1e-9),
    Documentation(info="<html>
<p>A <a href=\"modelica://Cranes.NavyCrane2D\">NavyCrane2D</a> that swings under its holding inputs: plot its outputs.</p>
</html>"));
end NavyCrane2DSwing;
