within Cranes.Elastic;
model GantryCrane "Planar gantry crane on an elastic rope, with friction and wind"
  extends Icons.Crane;
  extends Interfaces.PlanarWind;

  parameter Integer n = 0 "Lumps along the rope";
  parameter Types.Mass m = 10000 "Mass of the load";
  parameter Types.Mass m_t = 1800 "Mass of the trolley";
  parameter Types.Inertia J = 60 "Moment of inertia of winch and motor at the drum";
  parameter Types.Length r = 0.2 "Radius of the drum";
  parameter Types.Acceleration g = 9.81 "Gravity";
  parameter Types.Force EA = 2e7 "Stiffness of the rope: force by strain";
  parameter Real D(unit="N.s") = 0 "Damping of the rope: force by strain rate";
  parameter Types.Mass m_lump = 1 "Mass of each lump";
  parameter Types.Length l_lump = 1 "Free length of the rope below each lump";
  parameter Types.Damping d_t = 0 "Viscous friction of the trolley; 0 switches it off";
  parameter Types.Force F_c = 0 "Coulomb friction of the trolley; 0 switches it off";
  parameter Types.Velocity v_c = 0.01 "Velocity that smooths the trolley's Coulomb friction";
  parameter Types.RotationalDamping d_w = 0 "Viscous friction of the winch; 0 switches it off";
  parameter Types.Torque M_c = 0 "Coulomb friction of the winch; 0 switches it off";
  parameter Types.AngularVelocity omega_c = 0.1 "Angular velocity that smooths the winch's";
  parameter Types.Drag c_d = 0 "Drag of the load per square of speed; 0 switches it off";
  parameter Types.Velocity w_x = 0 "Wind speed";

  parameter Types.Position s_start = 0 "Start value of s";
  parameter Types.Velocity v_s_start = 0 "Start value of v_s";
  parameter Types.Length l_start = 8 "Start value of l";
  parameter Types.Velocity v_l_start = 0 "Start value of v_l";
  parameter Types.Position w_start[n + 1, 2] = {{0, -l_start*(1 + m*g/EA)}}
    "Start values of the elements of the rope; with lumps they are to be given";
  parameter Types.Velocity v_w_start[n + 1, 2] = zeros(n + 1, 2) "Start values of their rates";

  input Types.Force F_t(start=0) "Force on the trolley";
  input Types.Torque M_w(start=-(m + n*m_lump)*g*r*(1 + (m + n*m_lump)*g/(2*EA)))
    "Torque on the winch, positive pays rope out";
  Interfaces.ForceInput F_wind_x(start=0) if useWind "Wind force on the load, along x";
  Interfaces.ForceInput F_wind_z(start=0) if useWind "Wind force on the load, vertical";

  output Types.Position x "Load";
  output Types.Position z "Load, vertical";
  output Types.Velocity v_x "Velocity of the load";
  output Types.Velocity v_z "Velocity of the load, vertical";
  output Types.Position s(start=s_start, fixed=true) "Position of the trolley";
  output Types.Velocity v_s(start=v_s_start, fixed=true) "Velocity of the trolley";
  output Types.Length l(start=l_start, fixed=true) "Rope that the winch has paid out";
  output Types.Velocity v_l(start=v_l_start, fixed=true) "Velocity of the rope at the winch";
  output Types.Force T_cable "Force in the rope at the load, positive pulls";
  output Types.Force T_top "Force in the rope at the winch, positive pulls";
  output Types.Energy energy "Kinetic and potential energy, the latter zero at z = 0";

  Rope rope(n=n, dim=2, EA=EA, D=D, m=m, m_lump=m_lump, l_lump=l_lump, g=g, w_start=w_start,
    v_w_start=v_w_start, l=l, v_l=v_l, top={s, 0}, v_top={v_s, 0},
    a_top={a_s, 0}, F={D_air[1] + wind_x, D_air[2] + wind_z})
    "The rope with its lumps and the load";

protected
  Types.Acceleration a_s "Acceleration of the trolley";
  constant Types.Velocity w_0 = 0.1 "Relative speed below which drag is linear";
  Types.Force D_air[2] "Force of the air on the load";

equation
  connect(F_wind_x, wind_x);
  connect(F_wind_z, wind_z);

  der(s) = v_s;
  der(v_s) = a_s;
  m_t*a_s = F_t - d_t*v_s - F_c*tanh(v_s/v_c) + rope.f[1, 1];
  D_air = c_d*sqrt((w_x - v_x)^2 + v_z^2 + w_0^2)*{w_x - v_x, -v_z};
  der(l) = v_l;
  J/r*der(v_l) = M_w - d_w*v_l/r - M_c*tanh(v_l/(r*omega_c)) + r*(rope.T[1] + rope.strain);

  x = rope.r[n + 1, 1];
  z = rope.r[n + 1, 2];
  v_x = rope.v[n + 1, 1];
  v_z = rope.v[n + 1, 2];
  T_cable = rope.T[n + 1];
  T_top = rope.T[1];
  energy = m_t*v_s^2/2 + J/r^2*v_l^2/2 + rope.energy;

  annotation (
    experiment(StartTime=0, StopTime=20, Tolerance=1e-9),
    Documentation(info="<html>
<p>The <a href=\"modelica://Cranes.GantryCrane\">GantryCrane</a> on a
<a href=\"modelica://Cranes.Elastic.Rope\">Rope</a> that stretches, with <code>n</code> lumps. Friction
and air are the same. With the force <code>f</code> of the rope at its upper end</p>
<pre>m_t s'' = F_t + f_x
J/r l'' = M_w + r (T_1 + T_1^2/(2 EA))</pre>
<p>and friction beside the drives. The start is at rest with the stretched rope.</p>
</html>"));
end GantryCrane;
