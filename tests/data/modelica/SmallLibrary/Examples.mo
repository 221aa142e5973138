within SmallLibrary;
package Examples "One model a kind of constraint"
  model TwoMass "Two masses with a spring that declares its length as a state"
    Blocks.RealInput F;
    Blocks.RealOutput y;
    Translational.Force force;
    Translational.Mass m1(m = 10, s(start = 0, fixed = true), v(start = 0, fixed = true));
    Translational.SpringDamper spring(c = 500, d = 5, s_rel0 = 1);
    Translational.Mass m2(m = 5, s(start = 1.2, fixed = true), v(start = 0, fixed = true));
  equation
    connect(F, force.f);
    connect(force.flange, m1.flange_a);
    connect(m1.flange_b, spring.flange_a);
    connect(spring.flange_b, m2.flange_a);
    y = m2.s;
  end TwoMass;

  model RigidMasses "Two masses connected rigidly"
    Blocks.RealInput F;
    Blocks.RealOutput y;
    Translational.Force force;
    Translational.Mass m1(m = 10, s(start = 0.5, fixed = true), v(start = 0, fixed = true));
    Translational.Mass m2(m = 5, L = 2);
  equation
    connect(F, force.f);
    connect(force.flange, m1.flange_a);
    connect(m1.flange_b, m2.flange_a);
    y = m2.s;
  end RigidMasses;

  model Gear "Motor, gear and load"
    Blocks.RealInput M;
    Blocks.RealOutput y;
    Rotational.Torque torque;
    Rotational.Inertia motor(J = 0.02);
    Rotational.IdealGear gear(ratio = 10);
    Rotational.Inertia load(J = 1, phi(start = 0.1, fixed = true), w(start = 0.2, fixed = true));
  equation
    connect(M, torque.tau);
    connect(torque.flange, motor.flange_a);
    connect(motor.flange_b, gear.flange_a);
    connect(gear.flange_b, load.flange_a);
    y = load.phi;
  end Gear;

  model Winch "Drum and trolley"
    Blocks.RealInput M;
    Blocks.RealOutput y;
    Rotational.Torque torque;
    Rotational.Inertia drum(J = 0.5);
    Rotational.GearToTranslation winch(ratio = 4);
    Translational.Mass trolley(m = 10, s(start = 0, fixed = true), v(start = 0, fixed = true));
  equation
    connect(M, torque.tau);
    connect(torque.flange, drum.flange_a);
    connect(drum.flange_b, winch.flangeR);
    connect(winch.flangeT, trolley.flange_a);
    y = trolley.s;
  end Winch;

  model Stop "A mass runs against a stop: events and constraints together"
    Blocks.RealInput F;
    Blocks.RealOutput y;
    Translational.Force force;
    Translational.Mass m1(m = 10, s(start = 1, fixed = true), v(start = -2.5, fixed = true));
    Translational.ElastoGap gap(c = 5e3, d = 100);
    Translational.Fixed wall;
  equation
    connect(F, force.f);
    connect(force.flange, m1.flange_a);
    connect(wall.flange, gap.flange_a);
    connect(gap.flange_b, m1.flange_a);
    y = m1.s;
  end Stop;

  model Pendulum "Joint and body"
    inner Bodies.World world;
    Bodies.Revolute joint(phi(start = 0.3, fixed = true), w(start = 0, fixed = true));
    Bodies.Body body(m = 5, r_CM = {2, 0, 0});
    Blocks.RealOutput y;
  equation
    connect(world.frame_b, joint.frame_a);
    connect(joint.frame_b, body.frame_a);
    y = joint.phi;
  end Pendulum;

  model Gantry "Driven trolley with a load on a rod"
    inner Bodies.World world;
    Blocks.RealInput F;
    Blocks.RealOutput x_load, y_load;
    Bodies.Prismatic rail(useAxisFlange = true, s(start = 0, fixed = true),
      v(start = 0, fixed = true));
    Translational.Force force;
    Bodies.Body trolley(m = 10);
    Bodies.Revolute pivot(phi(start = 0.3, fixed = true), w(start = 0, fixed = true));
    Bodies.FixedTranslation rope(r = {0, -2, 0});
    Bodies.Body load(m = 5);
  equation
    connect(F, force.f);
    connect(force.flange, rail.axis);
    connect(world.frame_b, rail.frame_a);
    connect(rail.frame_b, trolley.frame_a);
    connect(rail.frame_b, pivot.frame_a);
    connect(pivot.frame_b, rope.frame_a);
    connect(rope.frame_b, load.frame_a);
    x_load = load.r_0[1];
    y_load = load.r_0[2];
  end Gantry;

  model HoistingGantry "Trolley, swinging rope that a motor winds up through gear and drum, load"
    inner Bodies.World world;
    Blocks.RealInput F(unit = "N");
    Blocks.RealInput M(unit = "N.m", start = 500*9.81*0.2/20);
    Blocks.RealOutput x(unit = "m"), y(unit = "m");
    Bodies.Prismatic rail(useAxisFlange = true, s(start = 0, fixed = true),
      v(start = 0, fixed = true));
    Bodies.Body trolley(m = 300);
    Bodies.Revolute pivot(phi(start = 0, fixed = true), w(start = 0, fixed = true));
    Bodies.Prismatic rope(useAxisFlange = true, n = {0, -1, 0}, s(start = 6, fixed = true),
      v(start = 0, fixed = true));
    Bodies.Body load(m = 500);
    Translational.Force force;
    Rotational.Torque motor;
    Rotational.Inertia rotor(J = 0.05);
    Rotational.IdealGear gear(ratio = 20);
    Rotational.GearToTranslation drum(ratio = -5);
  equation
    connect(F, force.f);
    connect(force.flange, rail.axis);
    connect(M, motor.tau);
    connect(motor.flange, rotor.flange_a);
    connect(rotor.flange_b, gear.flange_a);
    connect(gear.flange_b, drum.flangeR);
    connect(drum.flangeT, rope.axis);
    connect(world.frame_b, rail.frame_a);
    connect(rail.frame_b, trolley.frame_a);
    connect(rail.frame_b, pivot.frame_a);
    connect(pivot.frame_b, rope.frame_a);
    connect(rope.frame_b, load.frame_a);
    x = load.r_0[1];
    y = load.r_0[2];
  end HoistingGantry;

  model FourBar "A planar closed loop of four bars"
    inner Bodies.World world;
    Blocks.RealOutput y;
    Bodies.Revolute j1(phi(start = 1.0, fixed = true), w(start = 0, fixed = true),
      stateSelect = StateSelect.always);
    Bodies.Revolute j2(phi(start = -0.8));
    Bodies.Revolute j4(phi(start = 1.2));
    Bodies.LoopRevolute j3;
    Bodies.Body b1(m = 1, r_CM = {0.5, 0, 0});
    Bodies.Body b2(m = 1, r_CM = {1, 0, 0});
    Bodies.Body b3(m = 1, r_CM = {0.75, 0, 0});
    Bodies.FixedTranslation bar1(r = {1, 0, 0});
    Bodies.FixedTranslation bar2(r = {2, 0, 0});
    Bodies.FixedTranslation bar3(r = {1.5, 0, 0});
    Bodies.FixedTranslation ground(r = {2, 0, 0});
  equation
    connect(world.frame_b, j1.frame_a);
    connect(j1.frame_b, bar1.frame_a);
    connect(j1.frame_b, b1.frame_a);
    connect(bar1.frame_b, j2.frame_a);
    connect(j2.frame_b, bar2.frame_a);
    connect(j2.frame_b, b2.frame_a);
    connect(bar2.frame_b, j3.frame_a);
    connect(world.frame_b, ground.frame_a);
    connect(ground.frame_b, j4.frame_a);
    connect(j4.frame_b, bar3.frame_a);
    connect(j4.frame_b, b3.frame_a);
    connect(bar3.frame_b, j3.frame_b);
    y = j1.phi;
  end FourBar;

  model TwoInertias "Two inertias with a spring that declares its twist as a state"
    Blocks.RealInput M;
    Blocks.RealOutput y;
    Rotational.Torque torque;
    Rotational.Inertia J1(J = 0.4, phi(start = 0, fixed = true), w(start = 0, fixed = true));
    Rotational.SpringDamper spring(c = 60, d = 1.5);
    Rotational.Inertia J2(J = 1.3, phi(start = 0.2, fixed = true), w(start = 0.1, fixed = true));
  equation
    connect(M, torque.tau);
    connect(torque.flange, J1.flange_a);
    connect(J1.flange_b, spring.flange_a);
    connect(spring.flange_b, J2.flange_a);
    y = J2.phi;
  end TwoInertias;

  model ElectricTrolley "A motor of electrical parts drives a trolley through gear and wheel"
    Blocks.RealInput u;
    Blocks.RealOutput y;
    Electrical.SignalVoltage source;
    Electrical.Resistor R(R = 0.5);
    Electrical.Inductor L(L = 0.01, i(start = 0, fixed = true));
    Electrical.Emf emf(k = 0.8);
    Electrical.Ground ground;
    Rotational.Inertia motor(J = 0.02);
    Rotational.IdealGear gear(ratio = 10);
    Rotational.GearToTranslation wheel(ratio = 5);
    Translational.Mass trolley(m = 100, s(start = 0, fixed = true), v(start = 0, fixed = true));
  equation
    connect(u, source.u);
    connect(source.p, R.p);
    connect(R.n, L.p);
    connect(L.n, emf.p);
    connect(emf.n, ground.p);
    connect(source.n, ground.p);
    connect(emf.flange, motor.flange_a);
    connect(motor.flange_b, gear.flange_a);
    connect(gear.flange_b, wheel.flangeR);
    connect(wheel.flangeT, trolley.flange_a);
    y = trolley.s;
  end ElectricTrolley;

  model Bridge "Bridge crane: two rails, universal joint, driven rope"
    inner Bodies.World world;
    Blocks.RealInput F_b, F_t, F_h;
    Blocks.RealOutput r[3](each unit = "m");
    Bodies.Prismatic bridgeRail(useAxisFlange = true, n = {0, 0, 1}, s(start = 0, fixed = true),
      v(start = 0, fixed = true));
    Bodies.Prismatic rail(useAxisFlange = true, s(start = 0, fixed = true),
      v(start = 0, fixed = true));
    Translational.Force force_b, force_t, force_h;
    Bodies.Body bridge(m = 50), trolley(m = 10), load(m = 5);
    Bodies.Universal universal(phi_a(start = 0.2, fixed = true), phi_b(start = 0.1, fixed = true),
      w_a(start = 0, fixed = true), w_b(start = 0, fixed = true));
    Bodies.Prismatic hoist(useAxisFlange = true, n = {0, -1, 0}, s(start = 2, fixed = true),
      v(start = 0, fixed = true));
  equation
    connect(F_b, force_b.f);
    connect(F_t, force_t.f);
    connect(F_h, force_h.f);
    connect(force_b.flange, bridgeRail.axis);
    connect(force_t.flange, rail.axis);
    connect(force_h.flange, hoist.axis);
    connect(world.frame_b, bridgeRail.frame_a);
    connect(bridgeRail.frame_b, bridge.frame_a);
    connect(bridgeRail.frame_b, rail.frame_a);
    connect(rail.frame_b, trolley.frame_a);
    connect(rail.frame_b, universal.frame_a);
    connect(universal.frame_b, hoist.frame_a);
    connect(hoist.frame_b, load.frame_a);
    r = load.r_0;
  end Bridge;

  model Rotary "Tower crane: slewing jib, trolley, universal joint, driven rope"
    inner Bodies.World world;
    Blocks.RealInput M_b, F_t, F_h;
    Blocks.RealOutput r[3](each unit = "m");
    Bodies.Revolute slew(useAxisFlange = true, n = {0, 1, 0}, phi(start = 0, fixed = true),
      w(start = 0, fixed = true));
    Rotational.Torque torque;
    Bodies.Body jib(m = 100, r_CM = {1, 0, 0}, I = [0, 0, 0; 0, 480, 0; 0, 0, 0]);
    Bodies.Prismatic jibRail(useAxisFlange = true, s(start = 3, fixed = true),
      v(start = 0, fixed = true));
    Translational.Force force_t, force_h;
    Bodies.Body trolley(m = 10), load(m = 5);
    Bodies.Universal universal(phi_a(start = 0.2, fixed = true), phi_b(start = 0.1, fixed = true),
      w_a(start = 0, fixed = true), w_b(start = 0, fixed = true));
    Bodies.Prismatic hoist(useAxisFlange = true, n = {0, -1, 0}, s(start = 2, fixed = true),
      v(start = 0, fixed = true));
  equation
    connect(M_b, torque.tau);
    connect(F_t, force_t.f);
    connect(F_h, force_h.f);
    connect(torque.flange, slew.axis);
    connect(force_t.flange, jibRail.axis);
    connect(force_h.flange, hoist.axis);
    connect(world.frame_b, slew.frame_a);
    connect(slew.frame_b, jib.frame_a);
    connect(slew.frame_b, jibRail.frame_a);
    connect(jibRail.frame_b, trolley.frame_a);
    connect(jibRail.frame_b, universal.frame_a);
    connect(universal.frame_b, hoist.frame_a);
    connect(hoist.frame_b, load.frame_a);
    r = load.r_0;
  end Rotary;

  model WoundLoad "Equations of a swinging load, with a flange that a geared motor winds"
    model Rope "Load on a rope in one plane"
      parameter Real m(unit = "kg") = 5, g(unit = "m/s2") = 9.81;
      Translational.Flange_a rope "Its place is the length of the rope";
      Real l(unit = "m"), v(unit = "m/s");
      Real phi(unit = "rad", start = 0.3, fixed = true);
      Real w(unit = "rad/s", start = 0, fixed = true);
    equation
      l = rope.s;
      v = der(l);
      w = der(phi);
      m*der(v) = m*l*w^2 + m*g*cos(phi) + rope.f;
      l*der(w) + 2*v*w + g*sin(phi) = 0;
    end Rope;
    Blocks.RealInput M;
    Blocks.RealOutput x, z;
    Rotational.Torque torque;
    Rotational.Inertia motor(J = 0.02);
    Rotational.IdealGear gear(ratio = 8);
    Rotational.GearToTranslation drum(ratio = 4);
    Translational.Mass hook(m = 1, s(start = 3, fixed = true), v(start = 0, fixed = true));
    Rope load;
  equation
    connect(M, torque.tau);
    connect(torque.flange, motor.flange_a);
    connect(motor.flange_b, gear.flange_a);
    connect(gear.flange_b, drum.flangeR);
    connect(drum.flangeT, hook.flange_a);
    connect(hook.flange_b, load.rope);
    x = load.l*sin(load.phi);
    z = -load.l*cos(load.phi);
  end WoundLoad;

  record TrolleyData "Data of a trolley"
    parameter Real m(unit = "kg") = 8;
    parameter Real d(unit = "N.s/m") = 1 "Drag";
  end TrolleyData;

  record HeavyTrolley "Data of a heavy one"
    extends TrolleyData(m = 12, d = 3);
  end HeavyTrolley;

  partial model Coupling "Between head and trolley"
    Translational.Flange_a flange_a;
    Translational.Flange_b flange_b;
  equation
    0 = flange_a.f + flange_b.f;
  end Coupling;

  model StiffCoupling "Rigid"
    extends Coupling;
  equation
    flange_a.s = flange_b.s;
  end StiffCoupling;

  model SoftCoupling "Spring and damper"
    extends Coupling;
    parameter Real c(unit = "N/m") = 400;
    parameter Real d(unit = "N.s/m") = 7;
  equation
    flange_b.f = c*(flange_b.s - flange_a.s) + d*(der(flange_b.s) - der(flange_a.s));
  end SoftCoupling;

  partial model CoupledTrolley "Head, replaceable coupling, trolley with data of a record"
    Blocks.RealInput F;
    Blocks.RealOutput y;
    parameter TrolleyData data;
    replaceable Coupling coupling constrainedby Coupling;
    Translational.Force force;
    Translational.Mass head(m = 2, s(start = 0, fixed = true), v(start = 0, fixed = true));
    Translational.Mass trolley(m = data.m);
    Translational.SpringDamper drag(c = 0, d = data.d, stateSelect = StateSelect.avoid);
    Translational.Fixed ground;
  equation
    connect(F, force.f);
    connect(force.flange, head.flange_a);
    connect(head.flange_b, coupling.flange_a);
    connect(coupling.flange_b, trolley.flange_a);
    connect(ground.flange, drag.flange_a);
    connect(trolley.flange_b, drag.flange_b);
    y = trolley.s;
  end CoupledTrolley;

  model StiffTrolley "All data of another record"
    extends CoupledTrolley(redeclare StiffCoupling coupling, data = HeavyTrolley());
  end StiffTrolley;

  model SoftTrolley "One value of the record changed"
    extends CoupledTrolley(redeclare SoftCoupling coupling, data(m = 9),
      trolley(s(start = 0, fixed = true), v(start = 0, fixed = true)));
  end SoftTrolley;
end Examples;
