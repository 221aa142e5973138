within Cranes.Examples;
model NavyCrane2DElasticSwing "NavyCrane2DElastic that swings under its holding inputs"
  Cranes.NavyCrane2DElastic crane(v_x_start=0.2) "The crane";
equation
  crane.u_1 = -4.113490506553479;
  crane.u_2 = -98.1;
  crane.F_wind_x = 0;
  crane.F_wind_z = 0;
  annotation (
    experiment(StartTime=0, StopTime=2, Tolerance=1e-9),
    Documentation(info="<html>
<p>A <a href=\"modelica://Cranes.NavyCrane2DElastic\">NavyCrane2DElastic</a> that swings under its holding inputs: plot its outputs.</p>
</html>"));
end NavyCrane2DElasticSwing;
