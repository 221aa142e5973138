within Cranes.Examples;
model NavyCrane2DPulleySwing "NavyCrane2DPulley that swings under its holding inputs"
  Cranes.NavyCrane2DPulley crane(v_theta_start=0.05) "The crane";
equation
  crane.u_1 = -49.05;
  crane.u_2 = -98.1;
  crane.u_3 = -129.77410180771818;
  crane.F_wind_x = 0;
  crane.F_wind_z = 0;
  annotation (
    experiment(StartTime=0, StopTime=2, Tolerance=1e-9),
    Documentation(info="<html>
<p>A <a href=\"modelica://Cranes.NavyCrane2DPulley\">NavyCrane2DPulley</a> that swings under its holding inputs: plot its outputs.</p>
</html>"));
end NavyCrane2DPulleySwing;
