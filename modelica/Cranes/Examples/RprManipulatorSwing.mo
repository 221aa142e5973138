within Cranes.Examples;
model RprManipulatorSwing "RprManipulator that drifts and turns without inputs"
  Cranes.RprManipulator crane(v_psi_b_start=0.3, v_x_start=0.05) "The manipulator";
equation
  crane.M_1 = 0;
  crane.M_2 = 0;
  crane.M_3 = 0;
  annotation (
    experiment(StartTime=0, StopTime=2, Tolerance=1e-9),
    Documentation(info="<html>
<p>A <a href=\"modelica://Cranes.RprManipulator\">RprManipulator</a> that drifts and turns without inputs: plot its outputs.</p>
</html>"));
end RprManipulatorSwing;
