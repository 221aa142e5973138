within Cranes.Examples;
model CylinderCraneDriven "CylinderCrane that is moved by harmonic inputs"
  Cranes.CylinderCrane crane "The crane";
equation
  crane.M_b = 4e4*sin(2*time);
  crane.F_c = 375186.75 + 2e4*sin(3*time);
  crane.M_w = -14715 + 300*sin(2*time);
  crane.F_wind_x = 0;
  crane.F_wind_y = 0;
  crane.F_wind_z = 0;
  annotation (
    experiment(StartTime=0, StopTime=2, Tolerance=1e-9),
    Documentation(info="<html>
<p>A <a href=\"modelica://Cranes.CylinderCrane\">CylinderCrane</a> that is moved by harmonic inputs: plot its outputs.</p>
</html>"));
end CylinderCraneDriven;
