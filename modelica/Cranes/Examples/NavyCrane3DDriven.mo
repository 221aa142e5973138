within Cranes.Examples;
model NavyCrane3DDriven "NavyCrane3D that is moved by harmonic inputs"
  Cranes.NavyCrane3D crane "The crane";
equation
  crane.u_1 = -5*sin(time);
  crane.u_3 = -98.1 + 2*sin(2*time);
  crane.u_4 = 20*sin(time);
  crane.F_wind_x = 0;
  crane.F_wind_y = 0;
  crane.F_wind_z = 0;
  annotation (
    experiment(StartTime=0, StopTime=2, Tolerance=1e-9),
    Documentation(info="<html>
<p>A <a href=\"modelica://Cranes.NavyCrane3D\">NavyCrane3D</a> that is moved by harmonic inputs: plot its outputs.</p>
</html>"));
end NavyCrane3DDriven;
