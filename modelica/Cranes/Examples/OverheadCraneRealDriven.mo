within Cranes.Examples;
model OverheadCraneRealDriven "OverheadCraneReal that is moved by harmonic inputs"
  Cranes.OverheadCraneReal crane(k_r=1e5) "The crane";
equation
  crane.F_t = 20*sin(3*time);
  crane.M_w = -98.1 + 2*sin(2*time);
  crane.F_wind_x = 5*sin(time);
  crane.F_wind_z = 0;
  annotation (
    experiment(StartTime=0, StopTime=2, Tolerance=1e-9),
    Documentation(info="<html>
<p>A <a href=\"modelica://Cranes.OverheadCraneReal\">OverheadCraneReal</a> that is moved by harmonic inputs: plot its outputs.</p>
</html>"));
end OverheadCraneRealDriven;
