package StandardMechanics "Small machines from parts of the Modelica Standard Library"
  model Gears "Winch: motor, gear to translation, mass"
    Modelica.Blocks.Interfaces.RealInput M;
    Modelica.Blocks.Interfaces.RealOutput y;
    Modelica.Mechanics.Rotational.Sources.Torque torque;
    Modelica.Mechanics.Rotational.Components.Inertia drum(J = 0.5);
    Modelica.Mechanics.Rotational.Components.IdealGearR2T gear(ratio = 4);
    Modelica.Mechanics.Translational.Components.Mass trolley(m = 10, s(start = 0, fixed = true),
      v(start = 0, fixed = true));
  equation
    connect(M, torque.tau);
    connect(torque.flange, drum.flange_a);
    connect(drum.flange_b, gear.flangeR);
    connect(gear.flangeT, trolley.flange_a);
    y = trolley.s;
  end Gears;

  model Masses "Force, mass, spring and damper, mass"
    Modelica.Blocks.Interfaces.RealInput F;
    Modelica.Blocks.Interfaces.RealOutput y;
    Modelica.Mechanics.Translational.Sources.Force force;
    Modelica.Mechanics.Translational.Components.Mass m1(m = 10, s(start = 0, fixed = true),
      v(start = 0, fixed = true));
    Modelica.Mechanics.Translational.Components.SpringDamper spring(c = 500, d = 5, s_rel0 = 1);
    Modelica.Mechanics.Translational.Components.Mass m2(m = 5, s(start = 1.2, fixed = true),
      v(start = 0, fixed = true));
  equation
    connect(F, force.f);
    connect(force.flange, m1.flange_a);
    connect(m1.flange_b, spring.flange_a);
    connect(spring.flange_b, m2.flange_a);
    y = m2.s;
  end Masses;

  model Gantry "Trolley on a rail, load on a rod"
    inner Modelica.Mechanics.MultiBody.World world(enableAnimation = false);
    Modelica.Blocks.Interfaces.RealInput F;
    Modelica.Blocks.Interfaces.RealOutput x, y;
    Modelica.Mechanics.MultiBody.Joints.Prismatic rail(useAxisFlange = true, n = {1, 0, 0},
      animation = false, s(start = 0, fixed = true), v(start = 0, fixed = true));
    Modelica.Mechanics.Translational.Sources.Force force;
    Modelica.Mechanics.MultiBody.Parts.Body trolley(m = 10, r_CM = {0, 0, 0}, animation = false);
    Modelica.Mechanics.MultiBody.Joints.Revolute pivot(n = {0, 0, 1}, animation = false,
      phi(start = 0.3, fixed = true), w(start = 0, fixed = true));
    Modelica.Mechanics.MultiBody.Parts.FixedTranslation rope(r = {0, -2, 0}, animation = false);
    Modelica.Mechanics.MultiBody.Parts.Body load(m = 5, r_CM = {0, 0, 0}, I_11 = 0, I_22 = 0,
      I_33 = 0, animation = false);
  equation
    connect(F, force.f);
    connect(force.flange, rail.axis);
    connect(world.frame_b, rail.frame_a);
    connect(rail.frame_b, trolley.frame_a);
    connect(rail.frame_b, pivot.frame_a);
    connect(pivot.frame_b, rope.frame_a);
    connect(rope.frame_b, load.frame_a);
    x = load.frame_a.r_0[1];
    y = load.frame_a.r_0[2];
  end Gantry;

  model FourBar "A planar closed loop"
    inner Modelica.Mechanics.MultiBody.World world(enableAnimation = false);
    Modelica.Blocks.Interfaces.RealOutput y;
    Modelica.Mechanics.MultiBody.Joints.Revolute j1(n = {0, 0, 1}, animation = false,
      phi(start = 1.0, fixed = true), w(start = 0, fixed = true),
      stateSelect = StateSelect.always);
    Modelica.Mechanics.MultiBody.Joints.Revolute j2(n = {0, 0, 1}, animation = false,
      phi(start = -0.8));
    Modelica.Mechanics.MultiBody.Joints.RevolutePlanarLoopConstraint j3(n = {0, 0, 1},
      animation = false);
    Modelica.Mechanics.MultiBody.Joints.Revolute j4(n = {0, 0, 1}, animation = false,
      phi(start = 1.2));
    Modelica.Mechanics.MultiBody.Parts.BodyShape b1(m = 1, r = {1, 0, 0}, r_CM = {0.5, 0, 0},
      animation = false);
    Modelica.Mechanics.MultiBody.Parts.BodyShape b2(m = 1, r = {2, 0, 0}, r_CM = {1, 0, 0},
      animation = false);
    Modelica.Mechanics.MultiBody.Parts.BodyShape b3(m = 1, r = {1.5, 0, 0}, r_CM = {0.75, 0, 0},
      animation = false);
    Modelica.Mechanics.MultiBody.Parts.FixedTranslation ground(r = {2, 0, 0}, animation = false);
  equation
    connect(world.frame_b, j1.frame_a);
    connect(j1.frame_b, b1.frame_a);
    connect(b1.frame_b, j2.frame_a);
    connect(j2.frame_b, b2.frame_a);
    connect(b2.frame_b, j3.frame_a);
    connect(world.frame_b, ground.frame_a);
    connect(ground.frame_b, j4.frame_a);
    connect(j4.frame_b, b3.frame_a);
    connect(b3.frame_b, j3.frame_b);
    y = j1.phi;
  end FourBar;

  model Units "A gantry of equations with units and constants of the library"
    import SI = Modelica.Units.SI;
    parameter SI.Mass m_t = 10, m = 5;
    parameter SI.Length l = 2;
    parameter SI.Acceleration g = Modelica.Constants.g_n;
    Modelica.Blocks.Interfaces.RealInput F(unit = "N");
    Modelica.Blocks.Interfaces.RealOutput x(unit = "m"), y(unit = "m");
    SI.Position s(start = 0, fixed = true);
    SI.Velocity v(start = 0, fixed = true);
    SI.Angle phi(start = 0.3, fixed = true);
    SI.AngularVelocity w(start = 0, fixed = true);
  equation
    der(s) = v;
    der(phi) = w;
    (m_t + m)*der(v) + m*l*(cos(phi)*der(w) - sin(phi)*w^2) = F;
    cos(phi)*der(v) + l*der(w) + g*sin(phi) = 0;
    x = s + l*sin(phi);
    y = -l*cos(phi);
  end Units;

  model BlockLoop "Gain, lag and integrator in a loop"
    Modelica.Blocks.Interfaces.RealInput u;
    Modelica.Blocks.Interfaces.RealOutput y;
    Modelica.Blocks.Math.Gain gain(k = 3);
    Modelica.Blocks.Continuous.Integrator integrator(
      initType = Modelica.Blocks.Types.Init.InitialState, y_start = 0.5);
    Modelica.Blocks.Continuous.FirstOrder lag(T = 0.2,
      initType = Modelica.Blocks.Types.Init.InitialState);
    Modelica.Blocks.Math.Feedback difference;
  equation
    connect(u, difference.u1);
    connect(difference.y, gain.u);
    connect(gain.y, lag.u);
    connect(lag.y, integrator.u);
    connect(integrator.y, difference.u2);
    connect(integrator.y, y);
  end BlockLoop;

  model Controlled "A mass of 10 kg with a PID controller"
    Modelica.Blocks.Interfaces.RealInput u;
    Modelica.Blocks.Interfaces.RealOutput y;
    Modelica.Blocks.Continuous.PID pid(k = 20, Ti = 2, Td = 0.3,
      initType = Modelica.Blocks.Types.Init.InitialState);
    Modelica.Blocks.Math.Feedback difference;
    Real s(start = 0.5, fixed = true), v(start = 0, fixed = true);
  equation
    connect(u, difference.u1);
    connect(difference.y, pid.u);
    difference.u2 = s;
    der(s) = v;
    10*der(v) = pid.y;
    y = s;
  end Controlled;

  model Limited "The same with a limit of the force and what it does to the integral"
    Modelica.Blocks.Interfaces.RealInput u;
    Modelica.Blocks.Interfaces.RealOutput y;
    Modelica.Blocks.Continuous.LimPID pid(k = 20, Ti = 2, Td = 0.3, yMax = 12,
      initType = Modelica.Blocks.Types.Init.InitialState);
    Real s(start = 0.5, fixed = true), v(start = 0, fixed = true);
  equation
    connect(u, pid.u_s);
    pid.u_m = s;
    der(s) = v;
    10*der(v) = pid.y;
    y = s;
  end Limited;

  model TimeTabled "A force over time on 10 kg"
    Modelica.Blocks.Sources.TimeTable force(table = [0, 0; 1, 10; 2, 10; 2, -10; 4, 0]);
    Modelica.Blocks.Interfaces.RealOutput y(start = 0, fixed = true);
    Real v(start = 0, fixed = true);
  equation
    10*der(v) = force.y;
    der(y) = v;
  end TimeTabled;

  model CombiTimeTabled "The same from the library's other table"
    Modelica.Blocks.Sources.CombiTimeTable force(table = [0, 0; 1, 10; 2, 10; 3, -10; 4, 0]);
    Modelica.Blocks.Interfaces.RealOutput y(start = 0, fixed = true);
    Real v(start = 0, fixed = true);
  equation
    10*der(v) = force.y[1];
    der(y) = v;
  end CombiTimeTabled;

  model RigidMasses "Two masses connected rigidly"
    Modelica.Blocks.Interfaces.RealInput F;
    Modelica.Blocks.Interfaces.RealOutput y;
    Modelica.Mechanics.Translational.Sources.Force force;
    Modelica.Mechanics.Translational.Components.Mass m1(m = 10, s(start = 0, fixed = true),
      v(start = 0, fixed = true));
    Modelica.Mechanics.Translational.Components.Mass m2(m = 5);
  equation
    connect(F, force.f);
    connect(force.flange, m1.flange_a);
    connect(m1.flange_b, m2.flange_a);
    y = m2.s;
  end RigidMasses;

  model Stop "A mass runs against a stop that does not pull"
    Modelica.Blocks.Interfaces.RealInput F;
    Modelica.Blocks.Interfaces.RealOutput y;
    Modelica.Mechanics.Translational.Sources.Force force;
    Modelica.Mechanics.Translational.Components.Mass m1(m = 10, s(start = 1, fixed = true),
      v(start = -2.5, fixed = true));
    Modelica.Mechanics.Translational.Components.ElastoGap gap(c = 5e3, d = 100, s_rel0 = 0);
    Modelica.Mechanics.Translational.Components.Fixed wall(s0 = 0);
  equation
    connect(F, force.f);
    connect(force.flange, m1.flange_a);
    connect(wall.flange, gap.flange_a);
    connect(gap.flange_b, m1.flange_a);
    y = m1.s;
  end Stop;

  model TwoInertias "Two inertias with spring and damper"
    Modelica.Blocks.Interfaces.RealInput M;
    Modelica.Blocks.Interfaces.RealOutput y;
    Modelica.Mechanics.Rotational.Sources.Torque torque;
    Modelica.Mechanics.Rotational.Components.Inertia J1(J = 0.4, phi(start = 0, fixed = true),
      w(start = 0, fixed = true));
    Modelica.Mechanics.Rotational.Components.SpringDamper spring(c = 60, d = 1.5);
    Modelica.Mechanics.Rotational.Components.Inertia J2(J = 1.3, phi(start = 0.2, fixed = true),
      w(start = 0.1, fixed = true));
  equation
    connect(M, torque.tau);
    connect(torque.flange, J1.flange_a);
    connect(J1.flange_b, spring.flange_a);
    connect(spring.flange_b, J2.flange_a);
    y = J2.phi;
  end TwoInertias;

  model IdealGear "Motor, gear and load"
    Modelica.Blocks.Interfaces.RealInput M;
    Modelica.Blocks.Interfaces.RealOutput y;
    Modelica.Mechanics.Rotational.Sources.Torque torque;
    Modelica.Mechanics.Rotational.Components.Inertia motor(J = 0.02);
    Modelica.Mechanics.Rotational.Components.IdealGear gear(ratio = 10);
    Modelica.Mechanics.Rotational.Components.Inertia load(J = 1, phi(start = 0, fixed = true),
      w(start = 0, fixed = true));
  equation
    connect(M, torque.tau);
    connect(torque.flange, motor.flange_a);
    connect(motor.flange_b, gear.flange_a);
    connect(gear.flange_b, load.flange_a);
    y = load.phi;
  end IdealGear;

  model ElectricTrolley "A motor of electrical parts drives a trolley through gear and wheel"
    Modelica.Blocks.Interfaces.RealInput u;
    Modelica.Blocks.Interfaces.RealOutput y;
    Modelica.Electrical.Analog.Sources.SignalVoltage source;
    Modelica.Electrical.Analog.Basic.Resistor R(R = 0.5);
    Modelica.Electrical.Analog.Basic.Inductor L(L = 0.01, i(start = 0, fixed = true));
    Modelica.Electrical.Analog.Basic.RotationalEMF emf(k = 0.8);
    Modelica.Electrical.Analog.Basic.Ground ground;
    Modelica.Mechanics.Rotational.Components.Inertia motor(J = 0.02);
    Modelica.Mechanics.Rotational.Components.IdealGear gear(ratio = 10);
    Modelica.Mechanics.Rotational.Components.IdealGearR2T wheel(ratio = 5);
    Modelica.Mechanics.Translational.Components.Mass trolley(m = 100, s(start = 0, fixed = true),
      v(start = 0, fixed = true));
  equation
    connect(u, source.v);
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

  model Pendulum "Joint and body"
    inner Modelica.Mechanics.MultiBody.World world(enableAnimation = false);
    Modelica.Mechanics.MultiBody.Joints.Revolute joint(n = {0, 0, 1},
      phi(start = 0.3, fixed = true), w(start = 0, fixed = true));
    Modelica.Mechanics.MultiBody.Parts.Body body(m = 5, r_CM = {2, 0, 0}, I_11 = 0, I_22 = 0,
      I_33 = 0);
    Modelica.Blocks.Interfaces.RealOutput y;
  equation
    connect(world.frame_b, joint.frame_a);
    connect(joint.frame_b, body.frame_a);
    y = joint.phi;
  end Pendulum;

  partial model Hung "Universal joint, driven rope, load"
    inner Modelica.Mechanics.MultiBody.World world(enableAnimation = false);
    Modelica.Blocks.Interfaces.RealInput F_t, F_h;
    Modelica.Blocks.Interfaces.RealOutput r[3];
    Modelica.Mechanics.Translational.Sources.Force force_t, force_h;
    Modelica.Mechanics.MultiBody.Parts.Body trolley(m = 10, r_CM = {0, 0, 0}, animation = false);
    Modelica.Mechanics.MultiBody.Joints.Universal universal(n_a = {1, 0, 0}, n_b = {0, 0, 1},
      animation = false, phi_a(start = 0.2, fixed = true), phi_b(start = 0.1, fixed = true),
      w_a(start = 0, fixed = true), w_b(start = 0, fixed = true));
    Modelica.Mechanics.MultiBody.Joints.Prismatic hoist(useAxisFlange = true, n = {0, -1, 0},
      animation = false, s(start = 2, fixed = true), v(start = 0, fixed = true));
    Modelica.Mechanics.MultiBody.Parts.Body load(m = 5, r_CM = {0, 0, 0}, I_11 = 0, I_22 = 0,
      I_33 = 0, animation = false);
  equation
    connect(F_t, force_t.f);
    connect(F_h, force_h.f);
    connect(force_h.flange, hoist.axis);
    connect(trolley.frame_a, universal.frame_a);
    connect(universal.frame_b, hoist.frame_a);
    connect(hoist.frame_b, load.frame_a);
    r = load.frame_a.r_0;
  end Hung;

  model Bridge "Bridge crane: two rails"
    extends Hung;
    Modelica.Blocks.Interfaces.RealInput F_b;
    Modelica.Mechanics.Translational.Sources.Force force_b;
    Modelica.Mechanics.MultiBody.Joints.Prismatic bridgeRail(useAxisFlange = true, n = {0, 0, 1},
      animation = false, s(start = 0, fixed = true), v(start = 0, fixed = true));
    Modelica.Mechanics.MultiBody.Parts.Body bridge(m = 50, r_CM = {0, 0, 0}, animation = false);
    Modelica.Mechanics.MultiBody.Joints.Prismatic rail(useAxisFlange = true, n = {1, 0, 0},
      animation = false, s(start = 0, fixed = true), v(start = 0, fixed = true));
  equation
    connect(F_b, force_b.f);
    connect(force_b.flange, bridgeRail.axis);
    connect(force_t.flange, rail.axis);
    connect(world.frame_b, bridgeRail.frame_a);
    connect(bridgeRail.frame_b, bridge.frame_a);
    connect(bridgeRail.frame_b, rail.frame_a);
    connect(rail.frame_b, trolley.frame_a);
  end Bridge;

  model Rotary "Tower crane: slewing jib"
    extends Hung;
    Modelica.Blocks.Interfaces.RealInput M_b;
    Modelica.Mechanics.Rotational.Sources.Torque torque;
    Modelica.Mechanics.MultiBody.Joints.Revolute slew(useAxisFlange = true, n = {0, 1, 0},
      animation = false, phi(start = 0, fixed = true), w(start = 0, fixed = true));
    Modelica.Mechanics.MultiBody.Parts.Body jib(m = 100, r_CM = {1, 0, 0}, I_22 = 480,
      animation = false);
    Modelica.Mechanics.MultiBody.Joints.Prismatic jibRail(useAxisFlange = true, n = {1, 0, 0},
      animation = false, s(start = 3, fixed = true), v(start = 0, fixed = true));
  equation
    connect(M_b, torque.tau);
    connect(torque.flange, slew.axis);
    connect(force_t.flange, jibRail.axis);
    connect(world.frame_b, slew.frame_a);
    connect(slew.frame_b, jib.frame_a);
    connect(slew.frame_b, jibRail.frame_a);
    connect(jibRail.frame_b, trolley.frame_a);
  end Rotary;

  record TrolleyData "Data of a trolley"
    parameter Modelica.Units.SI.Mass m = 8;
    parameter Modelica.Units.SI.TranslationalDampingConstant d = 1 "Drag";
  end TrolleyData;

  record HeavyTrolley "Data of a heavy one"
    extends TrolleyData(m = 12, d = 3);
  end HeavyTrolley;

  model StiffCoupling "Rigid"
    extends Modelica.Mechanics.Translational.Interfaces.PartialTwoFlanges;
  equation
    flange_a.s = flange_b.s;
    0 = flange_a.f + flange_b.f;
  end StiffCoupling;

  partial model CoupledTrolley "Head, replaceable coupling, trolley with data of a record"
    Modelica.Blocks.Interfaces.RealInput F;
    Modelica.Blocks.Interfaces.RealOutput y;
    parameter TrolleyData data;
    replaceable Modelica.Mechanics.Translational.Interfaces.PartialTwoFlanges coupling
      constrainedby Modelica.Mechanics.Translational.Interfaces.PartialTwoFlanges;
    Modelica.Mechanics.Translational.Sources.Force force;
    Modelica.Mechanics.Translational.Components.Mass head(m = 2, s(start = 0, fixed = true),
      v(start = 0, fixed = true));
    Modelica.Mechanics.Translational.Components.Mass trolley(m = data.m);
    Modelica.Mechanics.Translational.Components.Damper drag(d = data.d);
    Modelica.Mechanics.Translational.Components.Fixed ground;
  equation
    connect(F, force.f);
    connect(force.flange, head.flange_a);
    connect(head.flange_b, coupling.flange_a);
    connect(coupling.flange_b, trolley.flange_a);
    connect(trolley.flange_b, drag.flange_a);
    connect(drag.flange_b, ground.flange);
    y = trolley.s;
  end CoupledTrolley;

  model StiffTrolley "All data of another record"
    extends CoupledTrolley(redeclare StiffCoupling coupling, data = HeavyTrolley());
  end StiffTrolley;

  model SoftTrolley "One value of the record changed"
    extends CoupledTrolley(
      redeclare Modelica.Mechanics.Translational.Components.SpringDamper coupling(c = 400, d = 7),
      data(m = 9), trolley(s(start = 0, fixed = true), v(start = 0, fixed = true)));
  end SoftTrolley;

  model WoundLoad "Equations of a swinging load, with a flange that a geared motor winds"
    model Rope "Load on a rope in one plane"
      parameter Real m = 5, g = 9.81;
      Modelica.Mechanics.Translational.Interfaces.Flange_a rope "Its place is the rope's length";
      Real l, v;
      Real phi(start = 0.3, fixed = true), w(start = 0, fixed = true);
    equation
      l = rope.s;
      v = der(l);
      w = der(phi);
      m*der(v) = m*l*w^2 + m*g*cos(phi) + rope.f;
      l*der(w) + 2*v*w + g*sin(phi) = 0;
    end Rope;
    Modelica.Blocks.Interfaces.RealInput M;
    Modelica.Blocks.Interfaces.RealOutput x, z;
    Modelica.Mechanics.Rotational.Sources.Torque torque;
    Modelica.Mechanics.Rotational.Components.Inertia motor(J = 0.02);
    Modelica.Mechanics.Rotational.Components.IdealGear gear(ratio = 8);
    Modelica.Mechanics.Rotational.Components.IdealGearR2T drum(ratio = 4);
    Modelica.Mechanics.Translational.Components.Mass hook(m = 1, s(start = 3, fixed = true),
      v(start = 0, fixed = true));
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

  model Sticking "A trolley with the library's friction"
    Modelica.Blocks.Interfaces.RealInput F;
    Modelica.Blocks.Interfaces.RealOutput y;
    Modelica.Mechanics.Translational.Sources.Force force;
    Modelica.Mechanics.Translational.Components.Mass m1(m = 10, s(start = 0, fixed = true),
      v(start = 1, fixed = true));
    Modelica.Mechanics.Translational.Components.SupportFriction friction(f_pos = [0, 20; 1, 25]);
  equation
    connect(F, force.f);
    connect(force.flange, m1.flange_a);
    connect(m1.flange_b, friction.flange_a);
    y = m1.s;
  end Sticking;

  model Braked "A rotor with the library's brake"
    Modelica.Mechanics.Rotational.Components.Inertia J1(J = 0.4, phi(start = 0, fixed = true),
      w(start = 5, fixed = true));
    Modelica.Mechanics.Rotational.Components.Brake brake(fn_max = 40);
  equation
    connect(J1.flange_b, brake.flange_a);
    brake.f_normalized = 0.5;
  end Braked;

  expandable connector Bus "Signals as they come"
    extends Modelica.Icons.SignalBus;
  end Bus;

  model Bussed "A signal over a bus"
    Bus bus;
    Modelica.Blocks.Sources.Sine sine(f = 0.5, amplitude = 10);
    Modelica.Blocks.Math.Gain gain(k = 0.1);
    Modelica.Blocks.Interfaces.RealOutput y = gain.y;
  equation
    connect(sine.y, bus.force);
    connect(bus.force, gain.u);
  end Bussed;
end StandardMechanics;
