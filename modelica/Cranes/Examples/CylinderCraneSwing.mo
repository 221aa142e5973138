within Cranes.Examples;
model CylinderCraneSwing "CylinderCrane that swings under its holding inputs"
  Cranes.CylinderCrane crane(x_start=15, y_start=1) "The crane";
equation
  crane.M_b = 0;
  crane.F_c = 375186.75;
  crane.M_w = -14715;
  crane.F_wind_x = 0;
  crane.F_wind_y = 0;
  crane.F_wind_z = 0;
  annotation (
    experiment(StartTime=0, StopTime=2, Tolerance=1e-9),
    Documentation(info="<html>
<p>A <a href=\"modelica://Cranes.CylinderCrane\">CylinderCrane</a> that swings under its holding inputs: plot its outputs.</p>
</html>"));
end CylinderCraneSwing;
