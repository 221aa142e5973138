within Cranes.Examples;
model TwoMassOscillatorDriven "TwoMassOscillator that is moved by harmonic inputs"
  Cranes.TwoMassOscillator crane "The crane";
equation
  crane.u_1 = 0.005*sin(6*time);
  crane.u_2 = 0.008*sin(9*time);
  annotation (
    experiment(StartTime=0, StopTime=2, Tolerance=1e-9),
    Documentation(info="<html>
<p>A <a href=\"modelica://Cranes.TwoMassOscillator\">TwoMassOscillator</a> that is moved by harmonic inputs: plot its outputs.</p>
</html>"));
end TwoMassOscillatorDriven;
