within SmallLibrary;
package Translational "Motion along a line"
  connector Flange_a "Flange on the left"
    Real s(unit = "m") "Position";
    flow Real f(unit = "N") "Cut force";
  end Flange_a;

  connector Flange_b "Flange on the right"
    Real s(unit = "m") "Position";
    flow Real f(unit = "N") "Cut force";
  end Flange_b;

  partial model PartialRigid "Two flanges at a fixed distance"
    parameter Real L(unit = "m") = 0 "Length, from left to right";
    Real s(unit = "m") "Position of the middle";
    Flange_a flange_a;
    Flange_b flange_b;
  equation
    flange_a.s = s - L/2;
    flange_b.s = s + L/2;
  end PartialRigid;

  partial model PartialCompliant "Two flanges with their distance as a state"
    parameter StateSelect stateSelect = StateSelect.prefer "Priority of the distance as a state";
    Real s_rel(unit = "m", start = 0, stateSelect = stateSelect) "Distance of the flanges";
    Real v_rel(unit = "m/s", start = 0, stateSelect = stateSelect) "Its rate";
    Real f(unit = "N") "Force between the flanges";
    Flange_a flange_a;
    Flange_b flange_b;
  equation
    s_rel = flange_b.s - flange_a.s;
    v_rel = der(s_rel);
    flange_b.f = f;
    flange_a.f = -f;
  end PartialCompliant;

  model Mass "Sliding mass"
    extends PartialRigid(s(start = 0, stateSelect = stateSelect));
    parameter Real m(unit = "kg", min = 0) "Mass";
    parameter StateSelect stateSelect = StateSelect.default "Priority of s and v as states";
    Real v(unit = "m/s", start = 0, stateSelect = stateSelect) "Velocity";
    Real a(unit = "m/s2") "Acceleration";
  equation
    v = der(s);
    a = der(v);
    m*a = flange_a.f + flange_b.f;
  end Mass;

  model SpringDamper "Linear spring and damper in parallel"
    extends PartialCompliant;
    parameter Real c(unit = "N/m") = 1 "Stiffness";
    parameter Real d(unit = "N.s/m") = 1 "Damping";
    parameter Real s_rel0(unit = "m") = 0 "Distance without force";
  equation
    f = c*(s_rel - s_rel0) + d*v_rel;
  end SpringDamper;

  model ElastoGap "Contact with a stop"
    extends PartialCompliant;
    parameter Real c(unit = "N/m") = 1 "Stiffness";
    parameter Real d(unit = "N.s/m") = 1 "Damping";
    parameter Real s_rel0(unit = "m") = 0 "Distance of the first contact";
    Boolean contact "Whether it touches";
  equation
    contact = s_rel < s_rel0;
    f = if contact then c*(s_rel - s_rel0) + d*v_rel else 0;
  end ElastoGap;

  model Force "Force from a signal"
    Blocks.RealInput f "Force in N";
    Flange_b flange;
  equation
    flange.f = -f;
  end Force;

  model Fixed "Point that does not move"
    parameter Real s0(unit = "m") = 0 "Position";
    Flange_b flange;
  equation
    flange.s = s0;
  end Fixed;

  model InternalAxis "Where the way of a joint meets what drives it"
    input Real f(unit = "N") "Force, which the joint computes";
    Real s(unit = "m") = flange.s "Way";
    Flange_a flange;
  equation
    flange.f = f;
  end InternalAxis;

  model NoForce "Nothing that drives"
    Flange_b flange;
  equation
    flange.f = 0;
  end NoForce;
end Translational;
