within Cranes.Examples;
model RotaryCraneRealDriven "RotaryCraneReal that is moved by harmonic inputs"
  Cranes.RotaryCraneReal crane(k_r=1e5) "The crane";
equation
  crane.M_b = 30*sin(2*time);
  crane.F_t = 10*sin(3*time);
  crane.M_w = -98.1 + 2*sin(2*time);
  crane.F_wind_x = 5*sin(time);
  crane.F_wind_y = 3*sin(time);
  crane.F_wind_z = 0;
  annotation (
    experiment(StartTime=0, StopTime=2, Tolerance=1e-9),
    Documentation(info="<html>
<p>A <a href=\"modelica://Cranes.RotaryCraneReal\">RotaryCraneReal</a> that is moved by harmonic inputs: plot its outputs.</p>
</html>"));
end RotaryCraneRealDriven;
