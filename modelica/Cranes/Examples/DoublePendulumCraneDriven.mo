within Cranes.Examples;
model DoublePendulumCraneDriven "DoublePendulumCrane that is moved by harmonic inputs"
  Cranes.DoublePendulumCrane crane "The crane";
equation
  crane.F_t = 4000*sin(3*time);
  crane.M_w = -16873.2 + 400*sin(2*time);
  crane.F_wind_x = 0;
  crane.F_wind_z = 0;
  annotation (
    experiment(StartTime=0, StopTime=2, Tolerance=1e-9),
    Documentation(info="<html>
<p>A <a href=\"modelica://Cranes.DoublePendulumCrane\">DoublePendulumCrane</a> that is moved by harmonic inputs: plot its outputs.</p>
</html>"));
end DoublePendulumCraneDriven;
