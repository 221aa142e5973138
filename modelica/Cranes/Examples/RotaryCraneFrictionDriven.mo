within Cranes.Examples;
model RotaryCraneFrictionDriven "RotaryCraneFriction that is moved by harmonic inputs"
  Cranes.RotaryCraneFriction crane(M_max_b=50, F_max=5, M_max=1) "The crane";
equation
  crane.M_b = 30*sin(2*time);
  crane.F_t = 10*sin(3*time);
  crane.M_w = -98.1 + 2*sin(2*time);
  crane.F_wind_x = 0;
  crane.F_wind_y = 0;
  crane.F_wind_z = 0;
  annotation (
    experiment(StartTime=0, StopTime=2, Tolerance=1e-9),
    Documentation(info="<html>
<p>A <a href=\"modelica://Cranes.RotaryCraneFriction\">RotaryCraneFriction</a> that is moved by harmonic inputs: plot its outputs.</p>
</html>"));
end RotaryCraneFrictionDriven;
