within Cranes.Examples;
model BridgeCraneDriven "BridgeCrane that is moved by harmonic inputs"
  Cranes.BridgeCrane crane "The crane";
equation
  crane.F_b = 6000*sin(2*time);
  crane.F_t = 4000*sin(3*time);
  crane.M_w = -68670 + 800*sin(2*time);
  crane.F_wind_x = 0;
  crane.F_wind_y = 0;
  crane.F_wind_z = 0;
  annotation (
    experiment(StartTime=0, StopTime=2, Tolerance=1e-9),
    Documentation(info="<html>
<p>A <a href=\"modelica://Cranes.BridgeCrane\">BridgeCrane</a> that is moved by harmonic inputs: plot its outputs.</p>
</html>"));
end BridgeCraneDriven;
