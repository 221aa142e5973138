within Cranes.Examples;
model SpreaderCraneDriven "SpreaderCrane that is moved by harmonic inputs"
  Cranes.SpreaderCrane crane "The crane";
equation
  crane.F_x = 2e3*sin(2*time);
  crane.F_y = 1e3*sin(3*time);
  crane.M_t = 1e3*sin(2*time);
  crane.M_1 = -5913.438 + 200*sin(1*time);
  crane.M_2 = -5913.438 + 200*sin(2*time);
  crane.M_3 = -5913.438 + 200*sin(3*time);
  crane.M_4 = -5913.438 + 200*sin(4*time);
  crane.F_wind_x = 0;
  crane.F_wind_y = 0;
  crane.F_wind_z = 0;
  annotation (
    experiment(StartTime=0, StopTime=2, Tolerance=1e-9),
    Documentation(info="<html>
<p>A <a href=\"modelica://Cranes.SpreaderCrane\">SpreaderCrane</a> that is moved by harmonic inputs: plot its outputs.</p>
</html>"));
end SpreaderCraneDriven;
