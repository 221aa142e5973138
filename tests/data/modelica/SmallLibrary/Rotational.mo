within SmallLibrary;
package Rotational "Motion about an axis"
  connector Flange_a "Flange on the left"
    Real phi(unit = "rad") "Angle";
    flow Real tau(unit = "N.m") "Cut torque";
  end Flange_a;

  connector Flange_b "Flange on the right"
    Real phi(unit = "rad") "Angle";
    flow Real tau(unit = "N.m") "Cut torque";
  end Flange_b;

  model Inertia "Rotating inertia"
    parameter Real J(unit = "kg.m2", min = 0) "Moment of inertia";
    parameter StateSelect stateSelect = StateSelect.default "Priority of phi and w as states";
    Flange_a flange_a;
    Flange_b flange_b;
    Real phi(unit = "rad", start = 0, stateSelect = stateSelect) "Angle";
    Real w(unit = "rad/s", start = 0, stateSelect = stateSelect) "Angular velocity";
    Real a(unit = "rad/s2") "Angular acceleration";
  equation
    phi = flange_a.phi;
    phi = flange_b.phi;
    w = der(phi);
    a = der(w);
    J*a = flange_a.tau + flange_b.tau;
  end Inertia;

  model SpringDamper "Spring and damper that declare their twist as a state"
    parameter Real c(unit = "N.m/rad") = 1 "Stiffness";
    parameter Real d(unit = "N.m.s/rad") = 0 "Damping";
    Flange_a flange_a;
    Flange_b flange_b;
    Real phi_rel(unit = "rad", start = 0, stateSelect = StateSelect.prefer) "Twist";
    Real w_rel(unit = "rad/s", start = 0, stateSelect = StateSelect.prefer) "Its rate";
  equation
    phi_rel = flange_b.phi - flange_a.phi;
    w_rel = der(phi_rel);
    flange_b.tau = c*phi_rel + d*w_rel;
    flange_a.tau = -flange_b.tau;
  end SpringDamper;

  model IdealGear "Gear without inertia"
    parameter Real ratio = 1 "flange_a.phi/flange_b.phi";
    Flange_a flange_a;
    Flange_b flange_b;
  equation
    flange_a.phi = ratio*flange_b.phi;
    0 = ratio*flange_a.tau + flange_b.tau;
  end IdealGear;

  model GearToTranslation "Drum: rotation to translation"
    parameter Real ratio(unit = "rad/m") = 1 "flangeR.phi/flangeT.s";
    Flange_a flangeR;
    Translational.Flange_b flangeT;
  equation
    flangeR.phi = ratio*flangeT.s;
    0 = ratio*flangeR.tau + flangeT.f;
  end GearToTranslation;

  model Torque "Torque from a signal"
    Blocks.RealInput tau "Torque in N.m";
    Flange_b flange;
  equation
    flange.tau = -tau;
  end Torque;

  model InternalAxis "Where the angle of a joint meets what drives it"
    input Real tau(unit = "N.m") "Torque, which the joint computes";
    Real phi(unit = "rad") = flange.phi "Angle";
    Flange_a flange;
  equation
    flange.tau = tau;
  end InternalAxis;

  model NoTorque "Nothing that drives"
    Flange_b flange;
  equation
    flange.tau = 0;
  end NoTorque;
end Rotational;
