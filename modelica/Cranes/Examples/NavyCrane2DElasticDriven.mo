within Cranes.Examples;
model NavyCrane2DElasticDriven "NavyCrane2DElastic that is moved by harmonic inputs"
  Cranes.NavyCrane2DElastic crane "The crane";
equation
  crane.u_1 = -4.113490506553479 - 5*sin(time);
  crane.u_2 = -98.1 + 2*sin(2*time);
  crane.F_wind_x = 0;
  crane.F_wind_z = 0;
  annotation (
    experiment(StartTime=0, StopTime=2, Tolerance=1e-9),
    Documentation(info="<html>
<p>A <a href=\"modelica://Cranes.NavyCrane2DElastic\">NavyCrane2DElastic</a> that is moved by harmonic inputs: plot its outputs.</p>
</html>"));
end NavyCrane2DElasticDriven;
