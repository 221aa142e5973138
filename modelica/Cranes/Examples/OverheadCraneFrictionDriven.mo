within Cranes.Examples;
model OverheadCraneFrictionDriven "OverheadCraneFriction that is moved by harmonic inputs"
  Cranes.OverheadCraneFriction crane(F_max=5, M_max=1) "The crane";
equation
  crane.F_t = 20*sin(3*time);
  crane.M_w = -98.1 + 2*sin(2*time);
  crane.F_wind_x = 0;
  crane.F_wind_z = 0;
  annotation (
    experiment(StartTime=0, StopTime=2, Tolerance=1e-9),
    Documentation(info="<html>
<p>A <a href=\"modelica://Cranes.OverheadCraneFriction\">OverheadCraneFriction</a> that is moved by harmonic inputs: plot its outputs.</p>
</html>"));
end OverheadCraneFrictionDriven;
