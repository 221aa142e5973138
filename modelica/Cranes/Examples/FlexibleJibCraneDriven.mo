within Cranes.Examples;
model FlexibleJibCraneDriven "FlexibleJibCrane that is moved by harmonic inputs"
  Cranes.FlexibleJibCrane crane "The crane";
equation
  crane.M_b = 1e5*sin(2*time);
  crane.F_t = 200*sin(3*time);
  crane.M_w = -5886 + 100*sin(2*time);
  crane.F_wind_x = 0;
  crane.F_wind_y = 0;
  crane.F_wind_z = 0;
  annotation (
    experiment(StartTime=0, StopTime=2, Tolerance=1e-9),
    Documentation(info="<html>
<p>A <a href=\"modelica://Cranes.FlexibleJibCrane\">FlexibleJibCrane</a> that is moved by harmonic inputs: plot its outputs.</p>
</html>"));
end FlexibleJibCraneDriven;
