within Cranes.Examples;
model OverheadCraneFrictionSwing "OverheadCraneFriction that swings under its holding inputs"
  Cranes.OverheadCraneFriction crane(F_max=5, M_max=1, theta_start=0.1) "The crane";
equation
  crane.F_t = 0;
  crane.M_w = -98.1;
  crane.F_wind_x = 0;
  crane.F_wind_z = 0;
  annotation (
    experiment(StartTime=0, StopTime=2, Tolerance=1e-9),
    Documentation(info="<html>
<p>A <a href=\"modelica://Cranes.OverheadCraneFriction\">OverheadCraneFriction</a> that swings under its holding inputs: plot its outputs.</p>
</html>"));
end OverheadCraneFrictionSwing;
