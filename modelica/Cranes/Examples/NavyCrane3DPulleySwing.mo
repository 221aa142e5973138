within Cranes.Examples;
model NavyCrane3DPulleySwing "NavyCrane3DPulley that swings under its holding inputs"
  Cranes.NavyCrane3DPulley crane(v_theta_1_start=0.05, v_kappa_2_start=0.02) "The crane";
equation
  crane.u_1 = -4.247854605562668;
  crane.u_2 = -6.488705090385903;
  crane.u_3 = -98.1;
  crane.u_4 = 0;
  crane.F_wind_x = 0;
  crane.F_wind_y = 0;
  crane.F_wind_z = 0;
  annotation (
    experiment(StartTime=0, StopTime=2, Tolerance=1e-9),
    Documentation(info="<html>
<p>A <a href=\"modelica://Cranes.NavyCrane3DPulley\">NavyCrane3DPulley</a> that swings under its holding inputs: plot its outputs.</p>
</html>"));
end NavyCrane3DPulleySwing;
