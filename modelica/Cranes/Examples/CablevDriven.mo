within Cranes.Examples;
model CablevDriven "Cablev that is moved by harmonic inputs"
  Cranes.Cablev crane "The crane";
equation
  crane.u_g0 = 20*sin(2*time);
  crane.u_g1 = 3*sin(2*time);
  crane.u_g2 = -2*sin(2*time);
  crane.u_g3 = 2*sin(2*time);
  crane.u_c1 = -4.0875 + 0.2*sin(1*time);
  crane.u_c2 = -4.0875 + 0.2*sin(2*time);
  crane.u_c3 = -4.0875 + 0.2*sin(3*time);
  crane.F_wind_x = 0;
  crane.F_wind_y = 0;
  crane.F_wind_z = 0;
  annotation (
    experiment(StartTime=0, StopTime=2, Tolerance=1e-9),
    Documentation(info="<html>
<p>A <a href=\"modelica://Cranes.Cablev\">Cablev</a> that is moved by harmonic inputs: plot its outputs.</p>
</html>"));
end CablevDriven;
