within Cranes.Examples;
model CablevSwing "Cablev that swings under its holding inputs"
  Cranes.Cablev crane(v_r_x_start=0.1, omega_3_start=0.2, v_r_y_start=-0.05) "The crane";
equation
  crane.u_g0 = 0;
  crane.u_g1 = 0;
  crane.u_g2 = 0;
  crane.u_g3 = 0;
  crane.u_c1 = -4.0875;
  crane.u_c2 = -4.0875;
  crane.u_c3 = -4.0875;
  crane.F_wind_x = 0;
  crane.F_wind_y = 0;
  crane.F_wind_z = 0;
  annotation (
    experiment(StartTime=0, StopTime=2, Tolerance=1e-9),
    Documentation(info="<html>
<p>A <a href=\"modelica://Cranes.Cablev\">Cablev</a> that swings under its holding inputs: plot its outputs.</p>
</html>"));
end CablevSwing;
