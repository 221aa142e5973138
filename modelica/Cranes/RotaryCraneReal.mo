within Cranes;
model RotaryCraneReal
  "Rotary crane with elastic rope, friction, end stops, drive lag and wind: more than the twin knows"
  extends Icons.Crane;
  extends Interfaces.SpatialWind;

  parameter Types.Mass m = 100 "Mass of the load";
  parameter Types.Mass m_t = 10 "Mass of the trolley";
  parameter Types.Inertia J_w = 0.1 "Moment of inertia of the winch";
  parameter Types.Inertia J_b = 480 "Moment of inertia of the bridge about the tower axis";
  parameter Types.Length r_w = 0.1 "Radius of the winch";
  parameter Types.Acceleration g = 9.81 "Gravity";

  parameter Types.Stiffness k_r = 1e7
    "Stiffness of the rope; the default is stiff: 0.1 mm stretch under the load's weight";
  parameter Types.Damping d_r = 0 "Damping of the rope; 0 switches it off";
  parameter Types.Force EA = 0
    "Stiffness of the rope by strain; above 1 N it takes the place of k_r, 0 switches it off";
  parameter Real D(unit="N.s") = 0 "Damping of the rope by strain rate, beside d_r";
  parameter Types.RotationalDamping d_b = 0 "Viscous friction of the slewing; 0 switches it off";
  parameter Types.Torque M_cb = 0 "Coulomb friction of the slewing; 0 switches it off";
  parameter Types.Damping d_t = 0 "Viscous friction of the trolley; 0 switches it off";
  parameter Types.Force F_c = 0 "Coulomb friction of the trolley; 0 switches it off";
  parameter Types.RotationalDamping d_w = 0 "Viscous friction of the winch; 0 switches it off";
  parameter Types.Torque M_c = 0 "Coulomb friction of the winch; 0 switches it off";
  parameter Types.Torque M_sb = 0 "Static friction of the slewing; 0: it does not stick";
  parameter Types.Force F_s = 0 "Static friction of the trolley; 0: it does not stick";
  parameter Types.Torque M_s = 0 "Static friction of the winch; 0: it does not stick";
  parameter Types.AngularVelocity omega_cb = 0.001
    "Angular velocity that smooths the slewing's Coulomb friction";
  parameter Types.Velocity v_c = 0.01 "Velocity that smooths the trolley's Coulomb friction";
  parameter Types.AngularVelocity omega_c = 0.1 "Angular velocity that smooths the winch's";
  parameter Types.Position s_min = -1000 "End stop of the trolley; the default is out of reach";
  parameter Types.Position s_max = 1000 "End stop of the trolley; the default is out of reach";
  parameter Types.Stiffness k_e = 1e5 "Stiffness of the end stops' buffers";
  parameter Types.Damping d_e = 1e3 "Damping of the end stops' buffers";
  parameter Types.Time tau_b = 0 "Time constant of the slewing drive; 0 switches the lag off";
  parameter Types.Time tau_t = 0 "Time constant of the trolley's drive; 0 switches the lag off";
  parameter Types.Time tau_w = 0 "Time constant of the winch's drive; 0 switches the lag off";

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

  input Types.Torque M_b(start=0) "Wanted torque on the bridge";
  input Types.Force F_t(start=0) "Wanted force on the trolley";
  input Types.Torque M_w(start=-m*g*r_w) "Wanted torque on the winch, positive pays rope out";
  Interfaces.ForceInput F_wind_x(start=0) if useWind "Wind force on the load";
  Interfaces.ForceInput F_wind_y(start=0) if useWind "Wind force on the load";
  Interfaces.ForceInput F_wind_z(start=0) if useWind "Wind force on the load, vertical";

  output Types.Position x "Load";
  output Types.Position y "Load";
  output Types.Position z "Load, vertical, zero at the girder";
  output Types.Velocity v_x "Velocity of the load";
  output Types.Velocity v_y "Velocity of the load";
  output Types.Velocity v_z "Velocity of the load, vertical";
  output Types.Angle phi(start=phi_start, fixed=true) "Slewing angle";
  output Types.Position s(start=s_start, fixed=true) "Distance of the trolley from the tower axis";
  output Types.Position l(start=l_start, fixed=true) "Length of rope that the winch has paid out";
  output Types.Position stretch(
    start=m*g*cos(theta_1_start)*cos(theta_2_start)/((1 - min(1, EA))*k_r + EA/l_start),
    fixed=true, nominal=1e-4)
    "Elongation of the rope";
  output Types.AngularVelocity v_phi(start=v_phi_start, fixed=true) "Slewing velocity";
  output Types.Velocity v_s(start=v_s_start, fixed=true) "Velocity of the trolley on the bridge";
  output Types.Velocity v_l(start=v_l_start, fixed=true) "Velocity of the rope at the winch";
  output Types.Angle theta_1(start=theta_1_start, fixed=true)
    "Swing angle about the bridge, zero for a vertical rope";
  output Types.Angle theta_2(start=theta_2_start, fixed=true)
    "Swing angle in the plane of bridge and rope, zero for a vertical rope";
  // Declared beside the other velocities that the load's equations give: rumoca 0.10.2 simulates
  // such a block only if they are neighbours
  output Types.Velocity v_stretch(start=0, fixed=true) "Time derivative of the elongation";
  output Types.AngularVelocity v_theta_1(start=v_theta_1_start, fixed=true)
    "Angular velocity of theta_1";
  output Types.AngularVelocity v_theta_2(start=v_theta_2_start, fixed=true)
    "Angular velocity of theta_2";
  output Types.Force T_cable "Force in the rope, positive pulls";
  output Types.Energy energy "Kinetic and potential energy, the latter zero at z = 0";
  output Types.AngularMomentum L_z "Angular momentum about the tower axis";
  output Types.Torque M_b_drive "Torque of the slewing drive";
  output Types.Force F_drive "Force of the trolley's drive";
  output Types.Torque M_drive "Torque of the winch's drive";
  output Types.Force F_stop "Force of the end stops on the trolley";

  Parts.OneSidedSpring rope(k=(1 - on_EA)*k_r + EA/l, d=d_r + D/l, deflection=stretch, v=v_stretch)
    "The rope: it pulls, or is slack";
  Parts.OneSidedSpring stop_min(k=k_e, d=d_e, deflection=s_min - s, v=-v_s) "End stop at s_min";
  Parts.OneSidedSpring stop_max(k=k_e, d=d_e, deflection=s - s_max, v=v_s) "End stop at s_max";
  Parts.Friction friction_b(d=d_b, slide=M_cb, stick=M_sb, smooth_rate=omega_cb, rate=v_phi,
    push=M_b_drive + s*T_cable*n[2] - 2*m_t*s*v_s*v_phi) "Friction of the slewing";
  Parts.Friction friction_t(d=d_t, slide=F_c, stick=F_s, smooth_rate=v_c, rate=v_s,
    push=F_drive + T_cable*n[1] + m_t*s*v_phi^2 + F_stop) "Friction of the trolley";
  Parts.Friction friction_w(d=d_w, slide=M_c, stick=M_s, smooth_rate=omega_c, rate=v_l/r_w,
    push=M_drive + (T_cable + on_EA*rope.energy/l)*r_w) "Friction of the winch";

protected
  constant Types.Time tau_min = 1e-6 "Time constants below this fade out the lag";
  Real on_EA "1 where the rope's stiffness is EA/l, 0 where it is k_r";
  Real on_b "1 with lag of the slewing drive, 0 without";
  Real on_t "1 with lag of the trolley's drive, 0 without";
  Real on_w "1 with lag of the winch's drive, 0 without";
  Types.Torque M_b_lag(start=0, fixed=true) "State of the slewing drive";
  Types.Force F_lag(start=0, fixed=true) "State of the trolley's drive";
  Types.Torque M_lag(start=-m*g*r_w, fixed=true) "State of the winch's drive";
  Types.Position q "Distance of the load from the trolley";
  Types.Velocity v_q "Time derivative of q";
  Types.Force F_wind[3] "Wind force on the load, in the frame of the bridge";
  Real n[3] "Direction of the rope, in the frame of the bridge";
  Real n_1[3] "Derivative of n by theta_1";
  Real n_2[3] "Derivative of n by theta_2";
  Real b[3] "What remains of n'' without angular accelerations";
  Types.Velocity w[3] "Velocity of the load relative to the bridge";
  Types.Acceleration a[3] "Acceleration of the load, in the frame of the bridge";
  Types.Position rho[3] "Position of the load, in the frame of the bridge";
  Types.Velocity v[3] "Velocity of the load, in the frame of the bridge";

equation
  connect(F_wind_x, wind_x);
  connect(F_wind_y, wind_y);
  connect(F_wind_z, wind_z);

  der(phi) = v_phi;
  der(s) = v_s;
  der(l) = v_l;
  der(theta_1) = v_theta_1;
  der(theta_2) = v_theta_2;

  der(stretch) = v_stretch;
  q = l + stretch;
  v_q = v_l + v_stretch;

  // Drives: first-order lag; a time constant of zero means that the input acts at once. No
  // if-expression: tools evaluate it at translation, and the time constants could not be changed.
  on_EA = min(1, EA);
  on_b = min(1, tau_b/tau_min);
  on_t = min(1, tau_t/tau_min);
  on_w = min(1, tau_w/tau_min);
  der(M_b_lag) = on_b*(M_b - M_b_lag)/max(tau_b, tau_min);
  der(F_lag) = on_t*(F_t - F_lag)/max(tau_t, tau_min);
  der(M_lag) = on_w*(M_w - M_lag)/max(tau_w, tau_min);
  M_b_drive = on_b*M_b_lag + (1 - on_b)*M_b;
  F_drive = on_t*F_lag + (1 - on_t)*F_t;
  M_drive = on_w*M_lag + (1 - on_w)*M_w;

  // Rope, end stops and wind: the load falls freely while the rope is slack
  T_cable = rope.force;
  F_stop = stop_min.force - stop_max.force;
  F_wind = {wind_x*cos(phi) + wind_y*sin(phi), wind_y*cos(phi) - wind_x*sin(phi), wind_z};

  // Direction of the rope and its derivatives
  n = {sin(theta_2), -sin(theta_1)*cos(theta_2), -cos(theta_1)*cos(theta_2)};
  n_1 = {0, -cos(theta_1)*cos(theta_2), sin(theta_1)*cos(theta_2)};
  n_2 = {cos(theta_2), sin(theta_1)*sin(theta_2), cos(theta_1)*sin(theta_2)};
  b = {-v_theta_2^2*sin(theta_2),
    (v_theta_1^2 + v_theta_2^2)*sin(theta_1)*cos(theta_2)
      + 2*v_theta_1*v_theta_2*cos(theta_1)*sin(theta_2),
    (v_theta_1^2 + v_theta_2^2)*cos(theta_1)*cos(theta_2)
      - 2*v_theta_1*v_theta_2*sin(theta_1)*sin(theta_2)};

  // Kinematics of the load in the rotating frame
  rho = {s, 0, 0} + q*n;
  w = {v_s, 0, 0} + v_q*n + q*(n_1*v_theta_1 + n_2*v_theta_2);
  v = w + v_phi*{-rho[2], rho[1], 0};
  a = {der(v_s), 0, 0} + (der(v_l) + der(v_stretch))*n + 2*v_q*(n_1*v_theta_1 + n_2*v_theta_2)
    + q*(n_1*der(v_theta_1) + n_2*der(v_theta_2) + b)
    + der(v_phi)*{-rho[2], rho[1], 0} + 2*v_phi*{-w[2], w[1], 0} - v_phi^2*{rho[1], rho[2], 0};

  // Newton's law for the load; bridge with trolley, trolley along the bridge, winch
  m*a = {0, 0, -m*g} - T_cable*n + F_wind;
  (J_b + m_t*s^2)*der(v_phi) = friction_b.net;
  m_t*der(v_s) = friction_t.net;
  J_w/r_w*der(v_l) = friction_w.net;
  when friction_b.stops then
    reinit(v_phi, 0);
  end when;
  when friction_t.stops then
    reinit(v_s, 0);
  end when;
  when friction_w.stops then
    reinit(v_l, 0);
  end when;

  x = rho[1]*cos(phi) - rho[2]*sin(phi);
  y = rho[1]*sin(phi) + rho[2]*cos(phi);
  z = rho[3];
  v_x = v[1]*cos(phi) - v[2]*sin(phi);
  v_y = v[1]*sin(phi) + v[2]*cos(phi);
  v_z = v[3];
  energy = (J_b + m_t*s^2)*v_phi^2/2 + m_t*v_s^2/2 + J_w/r_w^2*v_l^2/2 + m*(v*v)/2 + m*g*z
    + rope.energy + stop_min.energy + stop_max.energy;
  L_z = (J_b + m_t*s^2)*v_phi + m*(rho[1]*v[2] - rho[2]*v[1]);

  annotation (
    experiment(StartTime=0, StopTime=20, Tolerance=1e-9),
    Documentation(info="<html>
<p>The <a href=\"modelica://Cranes.RotaryCrane\">RotaryCrane</a> as an imperfect machine. With the
default parameters everything but the rope's elasticity is off, and the rope is stiff, so that the
model follows the ideal one closely. What can be switched on:</p>
<ul>
<li>elastic, damped rope that can only pull: <code>T = k_r stretch + d_r stretch'</code> while
<code>stretch</code> and this force are positive, else 0; the load is at the distance
<code>q = l + stretch</code>. A negative <code>stretch</code> is slack: the load falls freely, and
swing angles and <code>q</code> are the spherical coordinates of its parabola (regular while it does not
meet the trolley, <code>q &gt; 0</code>),</li>
<li>a rope whose stiffness falls with its length: with <code>EA &gt; 0</code> the stiffness is
<code>EA/l</code> in place of <code>k_r</code>, the damping <code>d_r + D/l</code>, and the balance of the
winch gets <code>EA stretch^2/(2 l^2)</code>, the strain energy that the rope paid out brings along,</li>
<li>viscous and smoothed Coulomb friction: <code>d_b phi' + M_cb tanh(phi'/omega_cb)</code> of the
slewing, <code>d_t s' + F_c tanh(s'/v_c)</code> at the trolley and
<code>d_w omega + M_c tanh(omega/omega_c)</code> with <code>omega = l'/r_w</code> at the winch,</li>
<li>static friction: with <code>F_s &gt; 0</code> the trolley sticks, exactly at rest, until a force of
more than <code>F_s</code> acts on it, and slides against <code>F_c &lt;= F_s</code>, without smoothing;
the same with <code>M_sb</code> and <code>M_cb</code> at the slewing, <code>M_s</code> and
<code>M_c</code> at the winch (<a href=\"modelica://Cranes.Parts.Friction\">Friction</a>),</li>
<li>end stops of the trolley at <code>s_min</code> and <code>s_max</code>: buffers with stiffness
<code>k_e</code> and damping <code>d_e</code> that only push,</li>
<li>drives with a first-order lag, time constants <code>tau_b</code>, <code>tau_t</code>,
<code>tau_w</code>; at zero the inputs act at once,</li>
<li>wind on the load: inputs <code>F_wind_x</code>, <code>F_wind_y</code>, <code>F_wind_z</code> in
the inertial frame.</li>
</ul>
<p>The equations of motion are those of the ideal crane with <code>q</code> for the distance of the
load, and with friction, end stops, drives and wind:</p>
<pre>m a = -m g e_3 - T n + F_wind
(J_b + m_t s^2) phi'' + 2 m_t s s' phi' = M + s T n_2 - friction
m_t (s'' - s phi'^2) = F + T n_1 + F_stop - friction
J_w/r_w^2 l''        = (M_w - friction)/r_w + T</pre>
<p>The start is at rest with the stretched rope and the holding torque
<code>M_w = -m g r_w</code>.</p>
</html>"));
end RotaryCraneReal;
