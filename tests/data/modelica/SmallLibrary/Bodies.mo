within SmallLibrary;
package Bodies "Bodies and joints in space"
  connector Frame_a "Coordinate system of a part, on the left"
    Real r_0[3](each unit = "m") "Position in the world";
    Frames.Orientation R "Rotation from the world";
    flow Real f[3](each unit = "N") "Cut force, in the frame";
    flow Real t[3](each unit = "N.m") "Cut torque, in the frame";
  end Frame_a;

  connector Frame_b "Coordinate system of a part, on the right"
    Real r_0[3](each unit = "m") "Position in the world";
    Frames.Orientation R "Rotation from the world";
    flow Real f[3](each unit = "N") "Cut force, in the frame";
    flow Real t[3](each unit = "N.m") "Cut torque, in the frame";
  end Frame_b;

  model World "Inertial frame and gravity"
    parameter String label = "x" "Label of an axis: takes no part in anything";
    parameter Real g(unit = "m/s2") = 9.81 "Gravity";
    parameter Real n[3] = {0, -1, 0} "Its direction";
    Frame_b frame_b;
    Integer color[3] "Colour: never changes";
  equation
    Connections.root(frame_b.R);
    frame_b.r_0 = zeros(3);
    frame_b.R = Frames.nullRotation();
    color = {0, 128, 255};
  end World;

  model FixedTranslation "Rod without mass"
    parameter Real r[3](each unit = "m") "From frame_a to frame_b, in frame_a";
    Frame_a frame_a;
    Frame_b frame_b;
  equation
    Connections.branch(frame_a.R, frame_b.R);
    frame_b.r_0 = frame_a.r_0 + Frames.resolve1(frame_a.R, r);
    frame_b.R = frame_a.R;
    zeros(3) = frame_a.f + frame_b.f;
    zeros(3) = frame_a.t + frame_b.t + cross(r, frame_b.f);
  end FixedTranslation;

  model Prismatic "Sliding joint"
    parameter Boolean useAxisFlange = false "Whether a force drives it";
    parameter Real n[3] = {1, 0, 0} "Direction, in frame_a";
    parameter StateSelect stateSelect = StateSelect.prefer "Priority of s and v as states";
    final parameter Real e[3] = Frames.normalized(n) "Unit vector of the direction";
    Frame_a frame_a;
    Frame_b frame_b;
    Translational.Flange_a axis if useAxisFlange;
    Real s(unit = "m", start = 0, stateSelect = stateSelect) "Way";
    Real v(unit = "m/s", start = 0, stateSelect = stateSelect) "Velocity";
    Real a(unit = "m/s2") "Acceleration";
    Real f(unit = "N") "Driving force";
  protected
    Translational.InternalAxis internalAxis(f = f);
    Translational.NoForce noForce if not useAxisFlange;
  equation
    Connections.branch(frame_a.R, frame_b.R);
    v = der(s);
    a = der(v);
    s = internalAxis.s;
    frame_b.r_0 = frame_a.r_0 + Frames.resolve1(frame_a.R, e*s);
    frame_b.R = frame_a.R;
    zeros(3) = frame_a.f + frame_b.f;
    zeros(3) = frame_a.t + frame_b.t + cross(e*s, frame_b.f);
    f = -e*frame_b.f;
    connect(internalAxis.flange, axis);
    connect(noForce.flange, internalAxis.flange);
  end Prismatic;

  model Revolute "Rotating joint"
    parameter Boolean useAxisFlange = false "Whether a torque drives it";
    parameter Real n[3] = {0, 0, 1} "Axis, in frame_a";
    parameter StateSelect stateSelect = StateSelect.prefer "Priority of phi and w as states";
    final parameter Real e[3] = Frames.normalized(n) "Unit vector of the axis";
    Frame_a frame_a;
    Frame_b frame_b;
    Rotational.Flange_a axis if useAxisFlange;
    Real phi(unit = "rad", start = 0, stateSelect = stateSelect) "Angle";
    Real w(unit = "rad/s", start = 0, stateSelect = stateSelect) "Angular velocity";
    Real a(unit = "rad/s2") "Angular acceleration";
    Real tau(unit = "N.m") "Driving torque";
    Frames.Orientation R_rel "From frame_a into frame_b";
  protected
    Rotational.InternalAxis internalAxis(tau = tau);
    Rotational.NoTorque noTorque if not useAxisFlange;
  equation
    Connections.branch(frame_a.R, frame_b.R);
    w = der(phi);
    a = der(w);
    phi = internalAxis.phi;
    R_rel = Frames.planarRotation(e, phi, w);
    frame_b.R = Frames.absoluteRotation(frame_a.R, R_rel);
    frame_b.r_0 = frame_a.r_0;
    zeros(3) = frame_a.f + Frames.resolve1(R_rel, frame_b.f);
    zeros(3) = frame_a.t + Frames.resolve1(R_rel, frame_b.t);
    tau = -frame_b.t*e;
    connect(internalAxis.flange, axis);
    connect(noTorque.flange, internalAxis.flange);
  end Revolute;

  model Universal "Two rotating joints, one after the other"
    parameter Real n_a[3] = {1, 0, 0} "Axis, in frame_a";
    parameter Real n_b[3] = {0, 0, 1} "Axis, in frame_b";
    Frame_a frame_a;
    Frame_b frame_b;
    Real phi_a(unit = "rad", start = 0, stateSelect = StateSelect.always) "Angle";
    Real phi_b(unit = "rad", start = 0, stateSelect = StateSelect.always) "Angle";
    Real w_a(unit = "rad/s", start = 0, stateSelect = StateSelect.always) "Angular velocity";
    Real w_b(unit = "rad/s", start = 0, stateSelect = StateSelect.always) "Angular velocity";
    Revolute revolute_a(n = n_a, stateSelect = StateSelect.never);
    Revolute revolute_b(n = n_b, stateSelect = StateSelect.never);
  equation
    phi_a = revolute_a.phi;
    phi_b = revolute_b.phi;
    w_a = der(phi_a);
    w_b = der(phi_b);
    connect(frame_a, revolute_a.frame_a);
    connect(revolute_a.frame_b, revolute_b.frame_a);
    connect(revolute_b.frame_b, frame_b);
  end Universal;

  model LoopRevolute "Rotating joint that closes a planar loop"
    parameter Real n[3] = {0, 0, 1} "Axis, normal to the plane";
    Frame_a frame_a;
    Frame_b frame_b;
  protected
    parameter Real ex[3] = {1, 0, 0} "In the plane";
    parameter Real ey[3] = {0, 1, 0} "In the plane";
    Real r_rel[3](each unit = "m") "From frame_a to frame_b, in frame_a";
    Real force[2](each unit = "N") "In the plane, on frame_b";
    Real T[3, 3] "From frame_a into frame_b";
  equation
    T = frame_b.R.T*transpose(frame_a.R.T);
    r_rel = Frames.resolve2(frame_a.R, frame_b.r_0 - frame_a.r_0);
    0 = ex*r_rel;
    0 = ey*r_rel;
    frame_a.f = ex*force[1] + ey*force[2];
    zeros(3) = T*frame_a.f + frame_b.f;
    frame_a.t = zeros(3);
    frame_b.t = zeros(3);
  end LoopRevolute;

  model Body "Rigid body"
    parameter Real m(unit = "kg") = 1 "Mass";
    parameter Real r_CM[3](each unit = "m") = {0, 0, 0} "Centre of mass, in frame_a";
    parameter Real I[3, 3](each unit = "kg.m2") = zeros(3, 3) "Inertia about it";
    outer World world;
    Frame_a frame_a;
    Real r_0[3](each unit = "m", each stateSelect = StateSelect.avoid) "Position";
    Real v_0[3](each unit = "m/s", each stateSelect = StateSelect.avoid) "Velocity, in the world";
    Real a_0[3](each unit = "m/s2") "Acceleration, in the world";
    Real w_a[3](each unit = "rad/s", each stateSelect = StateSelect.avoid) "Rotation, in frame_a";
    Real z_a[3](each unit = "rad/s2") "Its rate";
  equation
    Connections.potentialRoot(frame_a.R);
    r_0 = frame_a.r_0;
    v_0 = der(r_0);
    a_0 = der(v_0);
    w_a = frame_a.R.w;
    z_a = der(w_a);
    frame_a.f = m*(Frames.resolve2(frame_a.R, a_0 - world.g*world.n) + cross(z_a, r_CM)
      + cross(w_a, cross(w_a, r_CM)));
    frame_a.t = I*z_a + cross(w_a, I*w_a) + cross(r_CM, frame_a.f);
  end Body;
end Bodies;
