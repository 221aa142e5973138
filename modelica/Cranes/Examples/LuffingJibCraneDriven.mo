within Cranes.Examples;
model LuffingJibCraneDriven "LuffingJibCrane that is moved by harmonic inputs"
  Cranes.LuffingJibCrane crane "The crane";
equation
  crane.M_b = 2e5*sin(2*time);
  crane.M_j = 2207250 + 1e5*sin(3*time);
  crane.M_w = -17658 + 300*sin(2*time);
  crane.F_wind_x = 0;
  crane.F_wind_y = 0;
  crane.F_wind_z = 0;
  annotation (
    experiment(StartTime=0, StopTime=2, Tolerance=1e-9),
    Documentation(info="<html>
<p>A <a href=\"modelica://Cranes.LuffingJibCrane\">LuffingJibCrane</a> that is moved by harmonic inputs: plot its outputs.</p>
</html>"));
end LuffingJibCraneDriven;
