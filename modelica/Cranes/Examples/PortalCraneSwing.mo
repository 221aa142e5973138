within Cranes.Examples;
model PortalCraneSwing "PortalCrane that swings under its holding inputs"
  Cranes.PortalCrane crane(x_start=1, y_start=-4, psi_start=1e-3) "The crane";
equation
  crane.F_1 = 0;
  crane.F_2 = 0;
  crane.F_t = 0;
  crane.M_w = -44145;
  crane.F_wind_x = 0;
  crane.F_wind_y = 0;
  crane.F_wind_z = 0;
  annotation (
    experiment(StartTime=0, StopTime=2, Tolerance=1e-9),
    Documentation(info="<html>
<p>A <a href=\"modelica://Cranes.PortalCrane\">PortalCrane</a> that swings under its holding inputs: plot its outputs.</p>
</html>"));
end PortalCraneSwing;
