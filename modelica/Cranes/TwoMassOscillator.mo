within Cranes;
model TwoMassOscillator "Nonlinear oscillator of two masses, driven by the feet of their springs"
  extends Icons.Crane;

  parameter Types.Mass m_1 = 0.5 "First mass";
  parameter Types.Mass m_2 = 0.5 "Second mass";
  parameter Types.Stiffness c_1 = 150 "Stiffness of the first spring";
  parameter Types.Stiffness c_3 = 150 "Stiffness of the second spring";
  parameter Types.Damping k = 1.5 "Damper between the masses";
  parameter Real alpha(unit="N/m3", min=0) = 2e6 "Cubic spring between the masses";

  parameter Types.Position y_1_start = 0 "Start value of y_1";
  parameter Types.Position d_start = 0 "Start value of d";
  parameter Types.Velocity v_y_1_start = 0 "Start value of v_y_1";
  parameter Types.Velocity v_d_start = 0 "Start value of v_d";

  input Types.Position u_1(start=0) "Displacement of the first spring's foot";
  input Types.Position u_2(start=0) "Displacement of the second spring's foot";

  output Types.Position y_1(start=y_1_start, fixed=true) "Displacement of the first mass";
  output Types.Position d(start=d_start, fixed=true) "Elongation of the coupling";
  output Types.Velocity v_y_1(start=v_y_1_start, fixed=true) "Velocity of the first mass";
  output Types.Velocity v_d(start=v_d_start, fixed=true) "Time derivative of d";
  output Types.Position y_2 "Displacement of the second mass";
  output Types.Velocity v_y_2 "Velocity of the second mass";
  output Types.Force S "Force of the coupling, positive pulls the masses together";

equation
  der(y_1) = v_y_1;
  der(d) = v_d;
  y_2 = y_1 + d;
  v_y_2 = v_y_1 + v_d;

  S = alpha*d^3 + k*v_d;
  m_1*der(v_y_1) = c_1*(u_1 - y_1) + S;
  m_2*(der(v_y_1) + der(v_d)) = c_3*(u_2 - y_2) - S;

  annotation (
    experiment(StartTime=0, StopTime=1, Tolerance=1e-9),
    Documentation(info="<html>
<p>Two masses, each on a spring whose foot is moved, are coupled by a cubic spring and a damper. Two
degrees of freedom, two drives. Coordinates: the first mass <code>y_1</code> and the elongation
<code>d = y_2 - y_1</code> of the coupling.</p>
<pre>m_1 y_1''         = c_1 (u_1 - y_1) + S
m_2 (y_1'' + d'') = c_3 (u_2 - y_1 - d) - S
S                 = alpha d^3 + k d'</pre>
<p>Equilibrium at rest: <code>u_1 = u_2 = 0</code> with the default values.</p>
</html>"));
end TwoMassOscillator;
