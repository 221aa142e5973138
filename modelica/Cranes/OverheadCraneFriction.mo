within Cranes;
model OverheadCraneFriction "Overhead crane whose drives stick and slide: elastoplastic friction"
  extends Icons.Crane;
  extends Interfaces.OptionalWind;

  parameter Types.Mass m_t = 10 "Mass of the trolley";
  parameter Types.Mass m = 100 "Mass of the load";
  parameter Types.Inertia J = 0.1 "Moment of inertia of the winch";
  parameter Types.Length r = 0.1 "Radius of the winch";
  parameter Types.Acceleration g = 9.81 "Gravity";

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

  parameter Types.Position s_start = 0 "Start value of s";
  parameter Types.Length l_start = 4 "Start value of l";
  parameter Types.Angle theta_start = 0 "Start value of theta";
  parameter Types.Velocity v_s_start = 0 "Start value of v_s";
  parameter Types.Velocity v_l_start = 0 "Start value of v_l";
  parameter Types.AngularVelocity v_theta_start = 0 "Start value of v_theta";

  input Types.Force F_t(start=0) "Force on the trolley";
  input Types.Torque M_w(start=-m*g*r) "Torque on the winch, positive pays rope out";
  Interfaces.ForceInput F_wind_x(start=0) if useWind "Wind force on the load, horizontal";
  Interfaces.ForceInput F_wind_z(start=0) if useWind "Wind force on the load, vertical";

  output Types.Position x "Load, horizontal";
  output Types.Position z "Load, vertical, zero at the trolley";
  output Types.Velocity v_x "Velocity of the load, horizontal";
  output Types.Velocity v_z "Velocity of the load, vertical";
  output Types.Position s "Position of the trolley";
  output Types.Position l "Length of the rope";
  output Types.Velocity v_s "Velocity of the trolley";
  output Types.Velocity v_l "Velocity of the rope";
  output Types.Angle theta "Swing angle, zero for a vertical rope, positive towards positive x";
  output Types.AngularVelocity v_theta "Angular velocity of swing";
  output Types.Force T_cable "Force in the rope, positive pulls";
  output Types.Energy energy "Mechanical energy, with that of springs in the friction";
  output Types.Force F_friction "Friction of the trolley";
  output Types.Torque M_friction "Friction of the winch";
  output Types.Energy heat "Energy that friction turned into heat";

  OverheadCrane crane(final useWind=useWind,
      m_t=m_t, m=m, J=J, r=r, g=g, s_start=s_start, l_start=l_start,
      theta_start=theta_start, v_s_start=v_s_start, v_l_start=v_l_start,
      v_theta_start=v_theta_start)
      "The crane, driven by forces";
  Parts.ElastoplasticFriction friction_t(E=E_t, limit=F_max, static=F_static,
    stribeck_rate=v_stribeck, d=d_t, start=F_spring_start, rate=crane.v_s,
    acceleration=der(crane.v_s), strain(unit="m"), heat(unit="J")) "Friction of the trolley";
  Parts.ElastoplasticFriction friction_w(E=E_w, limit=M_max, static=M_static,
    stribeck_rate=omega_stribeck, d=d_w, start=M_spring_start, rate=crane.v_l/r,
    acceleration=der(crane.v_l)/r, strain(unit="rad"), heat(unit="J")) "Friction of the winch";

equation
  F_friction = friction_t.force;
  crane.F_t = F_t - friction_t.force;
  M_friction = friction_w.force;
  crane.M_w = M_w - friction_w.force;
  connect(F_wind_x, crane.F_wind_x);
  connect(F_wind_z, crane.F_wind_z);

  x = crane.x;
  z = crane.z;
  v_x = crane.v_x;
  v_z = crane.v_z;
  s = crane.s;
  l = crane.l;
  v_s = crane.v_s;
  v_l = crane.v_l;
  theta = crane.theta;
  v_theta = crane.v_theta;
  T_cable = crane.T_cable;
  energy = crane.energy + friction_t.energy + friction_w.energy;
  heat = friction_t.heat + friction_w.heat;

  annotation (
    experiment(StartTime=0, StopTime=3, Tolerance=1e-9),
    Documentation(info="<html>
<p>The <a href=\"modelica://Cranes.OverheadCrane\">OverheadCrane</a> with friction at each drive
that is a spring until it slides (<a href=\"modelica://Cranes.Parts.ElastoplasticFriction\">ElastoplasticFriction</a>):
presliding, Coulomb, and as options static (Stribeck) and viscous friction. It acts against the
drives:</p>
<pre>m_t s''     = F_t - F_friction + T sin(theta)
J/r^2 l''   = (M_w - M_friction)/r + T</pre>
<p>With the default parameters there is none and nothing happens that does not happen in the ideal
crane. A drive that is at rest is held by the spring: after a motion it keeps a force
(<code>F_friction</code>), which the inputs have to hold.</p>
</html>"));
end OverheadCraneFriction;
