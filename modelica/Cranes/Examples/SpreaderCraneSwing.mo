within Cranes.Examples;
model SpreaderCraneSwing "SpreaderCrane that swings under its holding inputs"
  Cranes.SpreaderCrane crane(v_x_start=0.2, v_yaw_start=0.05, v_y_start=-0.1) "The crane";
equation
  crane.F_x = 0;
  crane.F_y = 0;
  crane.M_t = 0;
  crane.M_1 = -5913.438;
  crane.M_2 = -5913.438;
  crane.M_3 = -5913.438;
  crane.M_4 = -5913.438;
  crane.F_wind_x = 0;
  crane.F_wind_y = 0;
  crane.F_wind_z = 0;
  annotation (
    experiment(StartTime=0, StopTime=2, Tolerance=1e-9),
    Documentation(info="<html>
<p>A <a href=\"modelica://Cranes.SpreaderCrane\">SpreaderCrane</a> that swings under its holding inputs: plot its outputs.</p>
</html>"));
end SpreaderCraneSwing;
