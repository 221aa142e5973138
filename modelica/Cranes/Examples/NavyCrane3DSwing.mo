within Cranes.Examples;
model NavyCrane3DSwing "NavyCrane3D that swings under its holding inputs"
  Cranes.NavyCrane3D crane(v_psi_start=0.02, v_beta_start=0.02) "The crane";
equation
  crane.u_1 = 0;
  crane.u_3 = -98.1;
  crane.u_4 = 0;
  crane.F_wind_x = 0;
  crane.F_wind_y = 0;
  crane.F_wind_z = 0;
  annotation (
    experiment(StartTime=0, StopTime=2, Tolerance=1e-9),
    Documentation(info="<html>
<p>A <a href=\"modelica://Cranes.NavyCrane3D\">NavyCrane3D</a> that swings under its holding inputs: plot its outputs.</p>
</html>"));
end NavyCrane3DSwing;
