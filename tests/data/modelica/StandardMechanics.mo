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
end StandardMechanics;
