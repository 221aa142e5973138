within Cranes.BaseClasses;
partial model TwoMassOscillator "What the versions of TwoMassOscillator with connectors have in common"
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

  Interfaces.RealOutput y_1(final quantity="Length", final unit="m")
    "Displacement of the first mass"
    annotation (Placement(transformation(extent={{100,72},{116,88}})));
  Interfaces.RealOutput d(final quantity="Length", final unit="m")
    "Elongation of the coupling"
    annotation (Placement(transformation(extent={{100,45},{116,61}})));
  Interfaces.RealOutput v_y_1(final quantity="Velocity", final unit="m/s")
    "Velocity of the first mass"
    annotation (Placement(transformation(extent={{100,19},{116,35}})));
  Interfaces.RealOutput v_d(final quantity="Velocity", final unit="m/s")
    "Time derivative of d"
    annotation (Placement(transformation(extent={{100,-8},{116,8}})));
  Interfaces.RealOutput y_2(final quantity="Length", final unit="m")
    "Displacement of the second mass"
    annotation (Placement(transformation(extent={{100,-35},{116,-19}})));
  Interfaces.RealOutput v_y_2(final quantity="Velocity", final unit="m/s")
    "Velocity of the second mass"
    annotation (Placement(transformation(extent={{100,-61},{116,-45}})));
  Interfaces.RealOutput S(final quantity="Force", final unit="N")
    "Force of the coupling, positive pulls the masses together"
    annotation (Placement(transformation(extent={{100,-88},{116,-72}})));

  Cranes.TwoMassOscillator crane(m_1=m_1, m_2=m_2, c_1=c_1, c_3=c_3, k=k, alpha=alpha,
      y_1_start=y_1_start, d_start=d_start, v_y_1_start=v_y_1_start, v_d_start=v_d_start)
    "The crane: its equations"
    annotation (Placement(transformation(extent={{-30,-30},{30,30}})));
equation
  y_1 = crane.y_1;
  d = crane.d;
  v_y_1 = crane.v_y_1;
  v_d = crane.v_d;
  y_2 = crane.y_2;
  v_y_2 = crane.v_y_2;
  S = crane.S;
  annotation (Documentation(info="<html>
<p>What <a href=\"modelica://Cranes.Blocks.TwoMassOscillator\">Blocks.TwoMassOscillator</a> have in
common; the equations are those of
<a href=\"modelica://Cranes.TwoMassOscillator\">Cranes.TwoMassOscillator</a>.</p>
</html>"));
end TwoMassOscillator;
