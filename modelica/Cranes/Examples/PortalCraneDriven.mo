within Cranes.Examples;
model PortalCraneDriven "PortalCrane that is moved by harmonic inputs"
  Cranes.PortalCrane crane "The crane";
equation
  crane.F_1 = 2e4*sin(2*time);
  crane.F_2 = 1e4*sin(3*time);
  crane.F_t = 5e3*sin(2*time);
  crane.M_w = -44145 + 1000*sin(2*time);
  crane.F_wind_x = 0;
  crane.F_wind_y = 0;
  crane.F_wind_z = 0;
  annotation (
    experiment(StartTime=0, StopTime=2, Tolerance=1e-9),
    Documentation(info="<html>
<p>A <a href=\"modelica://Cranes.PortalCrane\">PortalCrane</a> that is moved by harmonic inputs: plot its outputs.</p>
</html>"));
end PortalCraneDriven;
