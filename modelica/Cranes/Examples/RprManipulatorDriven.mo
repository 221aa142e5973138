within Cranes.Examples;
model RprManipulatorDriven "RprManipulator that is moved by harmonic inputs"
  Cranes.RprManipulator crane(d_j=10) "The manipulator";
equation
  crane.M_1 = 3*sin(6*time);
  crane.M_2 = -2*sin(6*time);
  crane.M_3 = 2*sin(9*time);
  annotation (
    experiment(StartTime=0, StopTime=2, Tolerance=1e-9),
    Documentation(info="<html>
<p>A <a href=\"modelica://Cranes.RprManipulator\">RprManipulator</a> that is moved by harmonic inputs: plot its outputs.</p>
</html>"));
end RprManipulatorDriven;
