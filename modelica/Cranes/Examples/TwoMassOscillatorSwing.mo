within Cranes.Examples;
model TwoMassOscillatorSwing "TwoMassOscillator that swings under its holding inputs"
  Cranes.TwoMassOscillator crane(d_start=0.004) "The crane";
equation
  crane.u_1 = 0;
  crane.u_2 = 0;
  annotation (
    experiment(StartTime=0, StopTime=2, Tolerance=1e-9),
    Documentation(info="<html>
<p>A <a href=\"modelica://Cranes.TwoMassOscillator\">TwoMassOscillator</a> that swings under its holding inputs: plot its outputs.</p>
</html>"));
end TwoMassOscillatorSwing;
