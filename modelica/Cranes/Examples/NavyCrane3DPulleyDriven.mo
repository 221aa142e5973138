within Cranes.Examples;
model NavyCrane3DPulleyDriven "NavyCrane3DPulley that is moved by harmonic inputs"
  Cranes.NavyCrane3DPulley crane "The crane";
equation
  crane.u_1 = -4.247854605562668 - sin(time);
  crane.u_2 = -6.488705090385903 - sin(time);
  crane.u_3 = -98.1 + 2*sin(2*time);
  crane.u_4 = 20*sin(time);
  crane.F_wind_x = 0;
  crane.F_wind_y = 0;
  crane.F_wind_z = 0;
  annotation (
    experiment(StartTime=0, StopTime=2, Tolerance=1e-9),
    Documentation(info="<html>
<p>A <a href=\"modelica://Cranes.NavyCrane3DPulley\">NavyCrane3DPulley</a> that is moved by harmonic inputs: plot its outputs.</p>
</html>"));
end NavyCrane3DPulleyDriven;
