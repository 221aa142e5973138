within Cranes;
model RotaryCraneFriction "Rotary crane whose drives stick and slide: elastoplastic friction"
  extends Icons.Crane;
  extends Interfaces.OptionalWind;

  parameter Types.Mass m = 100 "Mass of the load";
  parameter Types.Mass m_t = 10 "Mass of the trolley";
  parameter Types.Inertia J_w = 0.1 "Moment of inertia of the winch";
  parameter Types.Inertia J_b = 480 "Moment of inertia of the bridge about the tower axis";
  parameter Types.Length r_w = 0.1 "Radius of the winch";
  parameter Types.Acceleration g = 9.81 "Gravity";

  parameter Types.RotationalStiffness E_b = 1e5 "Presliding stiffness of the slewing drive's friction";
  parameter Types.Torque M_max_b = 0 "Coulomb friction of the slewing drive; 0: it has none";
  parameter Types.Torque M_static_b = 0 "Static friction of the slewing drive, if above M_max_b";
  parameter Types.AngularVelocity omega_stribeck_b = 0.1 "Rate over which it falls to M_max_b";
  parameter Types.RotationalDamping d_b = 0 "Viscous friction of the slewing drive";
  parameter Types.Torque M_spring_b_start = 0 "Torque in the slewing drive's friction at the start";

  parameter Types.Stiffness E_t = 1e6 "Presliding stiffness of the trolley's friction";
  parameter Types.Force F_max = 0 "Coulomb friction of the trolley; 0: it has none";
  parameter Types.Force F_static = 0 "Static friction of the trolley, if it is above F_max";
  parameter Types.Velocity v_stribeck = 0.01 "Velocity over which it falls to F_max";
  parameter Types.Damping d_t = 0 "Viscous friction of the trolley";
  parameter Types.Force F_spring_start = 0 "Force in the trolley's friction at the start";

  parameter Types.RotationalStiffness E_w = 1e5 "Presliding stiffness of the winch's friction";
  parameter Types.Torque M_max = 0 "Coulomb friction of the winch; 0: it has none";
  parameter Types.Torque M_static = 0 "Static friction of the winch, if above M_max";
  parameter Types.AngularVelocity omega_stribeck = 0.1 "Rate over which it falls to M_max";
  parameter Types.RotationalDamping d_w = 0 "Viscous friction of the winch";
  parameter Types.Torque M_spring_start = 0 "Torque in the winch's friction at the start";

  parameter Types.Angle phi_start = 0 "Start value of phi";
  parameter Types.Position s_start = 5 "Start value of s";
  parameter Types.Length l_start = 5 "Start value of l";
  parameter Types.Angle theta_1_start = 0 "Start value of theta_1";
  parameter Types.Angle theta_2_start = 0 "Start value of theta_2";
  parameter Types.AngularVelocity v_phi_start = 0 "Start value of v_phi";
  parameter Types.Velocity v_s_start = 0 "Start value of v_s";
  parameter Types.Velocity v_l_start = 0 "Start value of v_l";
  parameter Types.AngularVelocity v_theta_1_start = 0 "Start value of v_theta_1";
  parameter Types.AngularVelocity v_theta_2_start = 0 "Start value of v_theta_2";

  input Types.Torque M_b(start=0) "Torque on the bridge";
  input Types.Force F_t(start=0) "Force on the trolley";
  input Types.Torque M_w(start=-m*g*r_w) "Torque on the winch, positive pays rope out";
  Interfaces.ForceInput F_wind_x(start=0) if useWind "Wind force on the load, along x";
  Interfaces.ForceInput F_wind_y(start=0) if useWind "Wind force on the load, along y";
  Interfaces.ForceInput F_wind_z(start=0) if useWind "Wind force on the load, vertical";

  output Types.Position x "Load";
  output Types.Position y "Load";
  output Types.Position z "Load, vertical, zero at the girder";
  output Types.Velocity v_x "Velocity of the load";
  output Types.Velocity v_y "Velocity of the load";
  output Types.Velocity v_z "Velocity of the load, vertical";
  output Types.Angle phi "Slewing angle";
  output Types.Position s "Distance of the trolley from the tower axis";
  output Types.Position l "Length of the rope";
  output Types.AngularVelocity v_phi "Slewing velocity";
  output Types.Velocity v_s "Velocity of the trolley on the bridge";
  output Types.Velocity v_l "Velocity of the rope";
  output Types.Angle theta_1 "Swing angle about the bridge, zero for a vertical rope";
  output Types.Angle theta_2
    "Swing angle in the plane of bridge and rope, zero for a vertical rope";
  output Types.AngularVelocity v_theta_1 "Angular velocity of theta_1";
  output Types.AngularVelocity v_theta_2 "Angular velocity of theta_2";
  output Types.Force T_cable "Force in the rope, positive pulls";
  output Types.Energy energy "Mechanical energy, with that of springs in the friction";
  output Types.AngularMomentum L_z "Angular momentum about the tower axis";
  output Types.Torque M_friction_b "Friction of the slewing drive";
  output Types.Force F_friction "Friction of the trolley";
  output Types.Torque M_friction "Friction of the winch";
  output Types.Energy heat "Energy that friction turned into heat";

  RotaryCrane crane(final useWind=useWind,
      m=m, m_t=m_t, J_w=J_w, J_b=J_b, r_w=r_w, g=g, phi_start=phi_start,
      s_start=s_start, l_start=l_start, theta_1_start=theta_1_start,
      theta_2_start=theta_2_start, v_phi_start=v_phi_start, v_s_start=v_s_start,
      v_l_start=v_l_start, v_theta_1_start=v_theta_1_start, v_theta_2_start=v_theta_2_start)
      "The crane, driven by forces";
  Parts.ElastoplasticFriction friction_b(E=E_b, limit=M_max_b, static=M_static_b,
    stribeck_rate=omega_stribeck_b, d=d_b, start=M_spring_b_start, rate=crane.v_phi,
    acceleration=der(crane.v_phi), strain(unit="rad"), heat(unit="J")) "Friction of the slewing drive";
  Parts.ElastoplasticFriction friction_t(E=E_t, limit=F_max, static=F_static,
    stribeck_rate=v_stribeck, d=d_t, start=F_spring_start, rate=crane.v_s,
    acceleration=der(crane.v_s), strain(unit="m"), heat(unit="J")) "Friction of the trolley";
  Parts.ElastoplasticFriction friction_w(E=E_w, limit=M_max, static=M_static,
    stribeck_rate=omega_stribeck, d=d_w, start=M_spring_start, rate=crane.v_l/r_w,
    acceleration=der(crane.v_l)/r_w, strain(unit="rad"), heat(unit="J")) "Friction of the winch";

equation
  M_friction_b = friction_b.force;
  crane.M_b = M_b - friction_b.force;
  F_friction = friction_t.force;
  crane.F_t = F_t - friction_t.force;
  M_friction = friction_w.force;
  crane.M_w = M_w - friction_w.force;
  connect(F_wind_x, crane.F_wind_x);
  connect(F_wind_y, crane.F_wind_y);
  connect(F_wind_z, crane.F_wind_z);

  x = crane.x;
  y = crane.y;
  z = crane.z;
  v_x = crane.v_x;
  v_y = crane.v_y;
  v_z = crane.v_z;
  phi = crane.phi;
  s = crane.s;
  l = crane.l;
  v_phi = crane.v_phi;
  v_s = crane.v_s;
  v_l = crane.v_l;
  theta_1 = crane.theta_1;
  theta_2 = crane.theta_2;
  v_theta_1 = crane.v_theta_1;
  v_theta_2 = crane.v_theta_2;
  T_cable = crane.T_cable;
  L_z = crane.L_z;
  energy = crane.energy + friction_b.energy + friction_t.energy + friction_w.energy;
  heat = friction_b.heat + friction_t.heat + friction_w.heat;

  annotation (
    experiment(StartTime=0, StopTime=20, Tolerance=1e-9),
    Documentation(info="<html>
<p>The <a href=\"modelica://Cranes.RotaryCrane\">RotaryCrane</a> with friction at each drive
that is a spring until it slides (<a href=\"modelica://Cranes.Parts.ElastoplasticFriction\">ElastoplasticFriction</a>):
presliding, Coulomb, and as options static (Stribeck) and viscous friction. It acts against the
drives:</p>
<pre>M_b - M_friction_b,   F_t - F_friction,   M_w - M_friction</pre>
<p>are in the places of <code>M_b</code>, <code>F_t</code> and <code>M_w</code> in its equations.</p>
<p>With the default parameters there is none and nothing happens that does not happen in the ideal
crane. A drive that is at rest is held by the spring: after a motion it keeps a force
(<code>F_friction</code>), which the inputs have to hold.</p>
</html>"));
end RotaryCraneFriction;
