within SmallLibrary;
package Electrical "Circuits"
  connector Pin "Where a current flows in"
    Real v(unit = "V") "Potential";
    flow Real i(unit = "A") "Current";
  end Pin;

  partial model OnePort "Two pins"
    Pin p, n;
    Real v(unit = "V") "Voltage";
    Real i(unit = "A", start = 0) "Current from p to n";
  equation
    v = p.v - n.v;
    i = p.i;
    0 = p.i + n.i;
  end OnePort;

  model Ground "Potential zero"
    Pin p;
  equation
    p.v = 0;
  end Ground;

  model Resistor "Resistance"
    extends OnePort;
    parameter Real R(unit = "Ohm") = 1;
  equation
    v = R*i;
  end Resistor;

  model Inductor "Inductance"
    extends OnePort;
    parameter Real L(unit = "H") = 1;
  equation
    L*der(i) = v;
  end Inductor;

  model SignalVoltage "Voltage from a signal"
    extends OnePort;
    Blocks.RealInput u;
  equation
    v = u;
  end SignalVoltage;

  model Emf "Machine of constant flux"
    extends OnePort;
    parameter Real k(unit = "N.m/A") = 1;
    Rotational.Flange_b flange;
  equation
    v = k*der(flange.phi);
    flange.tau = -k*i;
  end Emf;
end Electrical;
