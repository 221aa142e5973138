within Cranes.Examples;
model NavyCrane2DPulleyDriven "NavyCrane2DPulley that is moved by harmonic inputs"
  Cranes.NavyCrane2DPulley crane "The crane";
equation
  crane.u_1 = -49.05 + sin(time);
  crane.u_2 = -98.1 + 2*sin(2*time);
  crane.u_3 = -129.77410180771818 - 2*sin(3*time);
  crane.F_wind_x = 0;
  crane.F_wind_z = 0;
  annotation (
    experiment(StartTime=0, StopTime=2, Tolerance=1e-9),
    Documentation(info="<html>
<p>A <a href=\"modelica://Cranes.NavyCrane2DPulley\">NavyCrane2DPulley</a> that is moved by harmonic inputs: plot its outputs.</p>
</html>"));
end NavyCrane2DPulleyDriven;
