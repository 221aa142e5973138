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
end Examples;
