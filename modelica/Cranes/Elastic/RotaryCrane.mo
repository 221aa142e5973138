within Cranes.Elastic;
model RotaryCrane "Rotary (tower) crane on an elastic rope"
  extends Icons.Crane;
  extends Interfaces.SpatialWind;

  parameter Integer n = 0 "Lumps along the rope";
  parameter Types.Mass m = 100 "Mass of the load";
  parameter Types.Mass m_t = 10 "Mass of the trolley";
  parameter Types.Inertia J_w = 0.1 "Moment of inertia of the winch";
  parameter Types.Inertia J_b = 480 "Moment of inertia of the bridge about the tower axis";
  parameter Types.Length r_w = 0.1 "Radius of the winch";
  parameter Types.Acceleration g = 9.81 "Gravity";
  parameter Types.Force EA = 2e6 "Stiffness of the rope: force by strain";
  parameter Real D(unit="N.s") = 0 "Damping of the rope: force by strain rate";
  parameter Types.Mass m_lump = 1 "Mass of each lump";
  parameter Types.Length l_lump = 1 "Free length of the rope below each lump";

  parameter Types.Angle phi_start = 0 "Start value of phi";
  parameter Types.Position s_start = 5 "Start value of s";
  parameter Types.AngularVelocity v_phi_start = 0 "Start value of v_phi";
  parameter Types.Velocity v_s_start = 0 "Start value of v_s";
  parameter Types.Length l_start = 5 "Start value of l";
  parameter Types.Velocity v_l_start = 0 "Start value of v_l";
  parameter Types.Position w_start[n + 1, 3] = {{0, 0, -l_start*(1 + m*g/EA)}}
    "Start values of the elements of the rope; with lumps they are to be given";
  parameter Types.Velocity v_w_start[n + 1, 3] = zeros(n + 1, 3) "Start values of their rates";

  input Types.Torque M_b(start=0) "Torque on the bridge";
  input Types.Force F_t(start=0) "Force on the trolley";
  input Types.Torque M_w(start=-(m + n*m_lump)*g*r_w*(1 + (m + n*m_lump)*g/(2*EA)))
    "Torque on the winch, positive pays rope out";
  Interfaces.ForceInput F_wind_x(start=0) if useWind "Wind force on the load, along x";
  Interfaces.ForceInput F_wind_y(start=0) if useWind "Wind force on the load, along y";
  Interfaces.ForceInput F_wind_z(start=0) if useWind "Wind force on the load, vertical";

  output Types.Position x "Load";
  output Types.Position y "Load";
  output Types.Position z "Load, vertical";
  output Types.Velocity v_x "Velocity of the load";
  output Types.Velocity v_y "Velocity of the load";
  output Types.Velocity v_z "Velocity of the load, vertical";
  output Types.Angle phi(start=phi_start, fixed=true) "Slewing angle";
  output Types.Position s(start=s_start, fixed=true) "Distance of the trolley from the tower axis";
  output Types.AngularVelocity v_phi(start=v_phi_start, fixed=true) "Slewing velocity";
  output Types.Velocity v_s(start=v_s_start, fixed=true) "Velocity of the trolley on the bridge";
  output Types.Length l(start=l_start, fixed=true) "Rope that the winch has paid out";
  output Types.Velocity v_l(start=v_l_start, fixed=true) "Velocity of the rope at the winch";
  output Types.Force T_cable "Force in the rope at the load, positive pulls";
  output Types.Force T_top "Force in the rope at the winch, positive pulls";
  output Types.Energy energy "Kinetic and potential energy, the latter zero at z = 0";

  Rope rope(n=n, dim=3, EA=EA, D=D, m=m, m_lump=m_lump, l_lump=l_lump, g=g, w_start=w_start,
    v_w_start=v_w_start, l=l, v_l=v_l, top=s*{cos(phi), sin(phi), 0}, v_top={v_s*cos(phi) - s*v_phi*sin(phi), v_s*sin(phi) + s*v_phi*cos(phi), 0},
    a_top={a_out*cos(phi) - a_side*sin(phi), a_out*sin(phi) + a_side*cos(phi), 0}, F={wind_x, wind_y, wind_z})
    "The rope with its lumps and the load";

protected
  Real a_phi(unit="rad/s2") "Slewing acceleration";
  Types.Acceleration a_s "Second time derivative of s";
  Types.Acceleration a_out "Acceleration of the trolley outwards";
  Types.Acceleration a_side "Acceleration of the trolley with the slewing angle";

equation
  connect(F_wind_x, wind_x);
  connect(F_wind_y, wind_y);
  connect(F_wind_z, wind_z);

  der(phi) = v_phi;
  der(s) = v_s;
  der(v_phi) = a_phi;
  der(v_s) = a_s;
  a_out = a_s - s*v_phi^2;
  a_side = s*a_phi + 2*v_s*v_phi;
  m_t*a_out = F_t + rope.f[1, 1]*cos(phi) + rope.f[1, 2]*sin(phi);
  J_b*a_phi + m_t*s*a_side = M_b + s*(rope.f[1, 2]*cos(phi) - rope.f[1, 1]*sin(phi));
  der(l) = v_l;
  J_w/r_w*der(v_l) = M_w + r_w*(rope.T[1] + rope.strain);

  x = rope.r[n + 1, 1];
  y = rope.r[n + 1, 2];
  z = rope.r[n + 1, 3];
  v_x = rope.v[n + 1, 1];
  v_y = rope.v[n + 1, 2];
  v_z = rope.v[n + 1, 3];
  T_cable = rope.T[n + 1];
  T_top = rope.T[1];
  energy = J_b*v_phi^2/2 + m_t*(v_s^2 + s^2*v_phi^2)/2 + J_w/r_w^2*v_l^2/2 + rope.energy;

  annotation (
    experiment(StartTime=0, StopTime=20, Tolerance=1e-9),
    Documentation(info="<html>
<p>The <a href=\"modelica://Cranes.RotaryCrane\">RotaryCrane</a> on a
<a href=\"modelica://Cranes.Elastic.Rope\">Rope</a> that stretches, with <code>n</code> lumps. Friction
and air are the same. With the force <code>f</code> of the rope at its upper end</p>
<pre>m_t (s'' - s phi'^2)                      = F_t + f.e_r
J_b phi'' + m_t s (s phi'' + 2 s' phi') = M_b + s f.e_phi
J_w/r_w l'' = M_w + r_w (T_1 + T_1^2/(2 EA))</pre>
<p>and friction beside the drives. The start is at rest with the stretched rope.</p>
</html>"));
end RotaryCrane;
