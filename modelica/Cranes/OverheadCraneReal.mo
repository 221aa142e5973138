within Cranes;
model OverheadCraneReal
  "Overhead crane with elastic rope, friction, end stops, drive lag and wind: more than the twin knows"
  extends Icons.Crane;
  extends Interfaces.PlanarWind;

  parameter Types.Mass m_t = 10 "Mass of the trolley";
  parameter Types.Mass m = 100 "Mass of the load";
  parameter Types.Inertia J = 0.1 "Moment of inertia of the winch";
  parameter Types.Length r = 0.1 "Radius of the winch";
  parameter Types.Acceleration g = 9.81 "Gravity";

  parameter Types.Stiffness k_r = 1e7
    "Stiffness of the rope; the default is stiff: 0.1 mm stretch under the load's weight";
  parameter Types.Damping d_r = 0 "Damping of the rope; 0 switches it off";
  parameter Types.Force EA = 0
    "Stiffness of the rope by strain; above 1 N it takes the place of k_r, 0 switches it off";
  parameter Real D(unit="N.s") = 0 "Damping of the rope by strain rate, beside d_r";
  parameter Types.Damping d_t = 0 "Viscous friction of the trolley; 0 switches it off";
  parameter Types.Force F_c = 0 "Coulomb friction of the trolley; 0 switches it off";
  parameter Types.RotationalDamping d_w = 0 "Viscous friction of the winch; 0 switches it off";
  parameter Types.Torque M_c = 0 "Coulomb friction of the winch; 0 switches it off";
  parameter Types.Force F_s = 0 "Static friction of the trolley; 0: it does not stick";
  parameter Types.Torque M_s = 0 "Static friction of the winch; 0: it does not stick";
  parameter Types.Velocity v_c = 0.01 "Velocity that smooths the trolley's Coulomb friction";
  parameter Types.AngularVelocity omega_c = 0.1 "Angular velocity that smooths the winch's";
  parameter Types.Position s_min = -1000 "End stop of the trolley; the default is out of reach";
  parameter Types.Position s_max = 1000 "End stop of the trolley; the default is out of reach";
  parameter Types.Stiffness k_e = 1e5 "Stiffness of the end stops' buffers";
  parameter Types.Damping d_e = 1e3 "Damping of the end stops' buffers";
  parameter Types.Time tau_t = 0 "Time constant of the trolley's drive; 0 switches the lag off";
  parameter Types.Time tau_w = 0 "Time constant of the winch's drive; 0 switches the lag off";

  parameter Types.Position s_start = 0 "Start value of s";
  parameter Types.Length l_start = 4 "Start value of l";
  parameter Types.Angle theta_start = 0 "Start value of theta";
  parameter Types.Velocity v_s_start = 0 "Start value of v_s";
  parameter Types.Velocity v_l_start = 0 "Start value of v_l";
  parameter Types.AngularVelocity v_theta_start = 0 "Start value of v_theta";

  input Types.Force F_t(start=0) "Wanted force on the trolley";
  input Types.Torque M_w(start=-m*g*r) "Wanted torque on the winch, positive pays rope out";
  Interfaces.ForceInput F_wind_x(start=0) if useWind "Wind force on the load, horizontal";
  Interfaces.ForceInput F_wind_z(start=0) if useWind "Wind force on the load, vertical";

  output Types.Position x "Load, horizontal";
  output Types.Position z "Load, vertical, zero at the trolley";
  output Types.Velocity v_x "Velocity of the load, horizontal";
  output Types.Velocity v_z "Velocity of the load, vertical";
  output Types.Position s(start=s_start, fixed=true) "Position of the trolley";
  output Types.Position l(start=l_start, fixed=true) "Length of rope that the winch has paid out";
  output Types.Velocity v_s(start=v_s_start, fixed=true) "Velocity of the trolley";
  output Types.Velocity v_l(start=v_l_start, fixed=true) "Velocity of the rope at the winch";
  output Types.Angle theta(start=theta_start, fixed=true)
    "Swing angle, zero for a vertical rope, positive towards positive x";
  output Types.AngularVelocity v_theta(start=v_theta_start, fixed=true) "Angular velocity of swing";
  output Types.Position stretch(start=m*g*cos(theta_start)/((1 - min(1, EA))*k_r + EA/l_start),
    fixed=true, nominal=1e-4)
    "Elongation of the rope";
  output Types.Velocity v_stretch(start=0, fixed=true) "Time derivative of the elongation";
  output Types.Force T_cable "Force in the rope, positive pulls";
  output Types.Energy energy "Kinetic and potential energy, the latter zero at z = 0";
  output Types.Force F_drive "Force of the trolley's drive";
  output Types.Torque M_drive "Torque of the winch's drive";
  output Types.Force F_stop "Force of the end stops on the trolley";

  Parts.OneSidedSpring rope(k=(1 - on_EA)*k_r + EA/l, d=d_r + D/l, deflection=stretch, v=v_stretch)
    "The rope: it pulls, or is slack";
  Parts.OneSidedSpring stop_min(k=k_e, d=d_e, deflection=s_min - s, v=-v_s) "End stop at s_min";
  Parts.OneSidedSpring stop_max(k=k_e, d=d_e, deflection=s - s_max, v=v_s) "End stop at s_max";
  Parts.Friction friction_t(d=d_t, slide=F_c, stick=F_s, smooth_rate=v_c, rate=v_s,
    push=F_drive + T_cable*sin(theta) + F_stop) "Friction of the trolley";
  Parts.Friction friction_w(d=d_w, slide=M_c, stick=M_s, smooth_rate=omega_c, rate=v_l/r,
    push=M_drive + (T_cable + on_EA*rope.energy/l)*r) "Friction of the winch";

protected
  constant Types.Time tau_min = 1e-6 "Time constants below this fade out the lag";
  Real on_EA "1 where the rope's stiffness is EA/l, 0 where it is k_r";
  Real on_t "1 with lag of the trolley's drive, 0 without";
  Real on_w "1 with lag of the winch's drive, 0 without";
  Types.Force F_lag(start=0, fixed=true) "State of the trolley's drive";
  Types.Torque M_lag(start=-m*g*r, fixed=true) "State of the winch's drive";
  Types.Position q "Distance of the load from the trolley";
  Types.Velocity v_q "Time derivative of q";

equation
  connect(F_wind_x, wind_x);
  connect(F_wind_z, wind_z);

  der(s) = v_s;
  der(l) = v_l;
  der(theta) = v_theta;
  der(stretch) = v_stretch;
  q = l + stretch;
  v_q = v_l + v_stretch;

  // Drives: first-order lag; a time constant of zero means that the input acts at once. No
  // if-expression: tools evaluate it at translation, and the time constants could not be changed.
  on_EA = min(1, EA);
  on_t = min(1, tau_t/tau_min);
  on_w = min(1, tau_w/tau_min);
  der(F_lag) = on_t*(F_t - F_lag)/max(tau_t, tau_min);
  der(M_lag) = on_w*(M_w - M_lag)/max(tau_w, tau_min);
  F_drive = on_t*F_lag + (1 - on_t)*F_t;
  M_drive = on_w*M_lag + (1 - on_w)*M_w;

  // Rope and end stops: the load falls freely while the rope is slack
  T_cable = rope.force;
  F_stop = stop_min.force - stop_max.force;

  // Load: Newton's law along the rope and across it
  m*(der(v_s)*sin(theta) + der(v_l) + der(v_stretch) - q*v_theta^2)
    = m*g*cos(theta) - T_cable + wind_x*sin(theta) - wind_z*cos(theta);
  m*(der(v_s)*cos(theta) + q*der(v_theta) + 2*v_q*v_theta)
    = -m*g*sin(theta) + wind_x*cos(theta) + wind_z*sin(theta);

  // Trolley and winch with friction
  m_t*der(v_s) = friction_t.net;
  J/r*der(v_l) = friction_w.net;
  when friction_t.stops then
    reinit(v_s, 0);
  end when;
  when friction_w.stops then
    reinit(v_l, 0);
  end when;

  x = s + q*sin(theta);
  z = -q*cos(theta);
  v_x = v_s + v_q*sin(theta) + q*v_theta*cos(theta);
  v_z = -v_q*cos(theta) + q*v_theta*sin(theta);
  energy = m_t*v_s^2/2 + J/r^2*v_l^2/2 + m*(v_x^2 + v_z^2)/2 + m*g*z
    + rope.energy + stop_min.energy + stop_max.energy;

  annotation (
    experiment(StartTime=0, StopTime=3, Tolerance=1e-9),
    Documentation(info="<html>
<p>The <a href=\"modelica://Cranes.OverheadCrane\">OverheadCrane</a> as an imperfect machine. With the
default parameters everything but the rope's elasticity is off, and the rope is stiff, so that the
model follows the ideal one closely. What can be switched on:</p>
<ul>
<li>elastic, damped rope that can only pull: <code>T = k_r stretch + d_r stretch'</code> while
<code>stretch</code> and this force are positive, else 0; the load is at the distance
<code>q = l + stretch</code>. A negative <code>stretch</code> is slack: the load falls freely, and
swing angle and <code>q</code> are the polar coordinates of its parabola (regular while it does not
meet the trolley, <code>q &gt; 0</code>),</li>
<li>a rope whose stiffness falls with its length: with <code>EA &gt; 0</code> the stiffness is
<code>EA/l</code> in place of <code>k_r</code>, the damping <code>d_r + D/l</code>, and the balance of the
winch gets <code>EA stretch^2/(2 l^2)</code>, the strain energy that the rope paid out brings along,</li>
<li>viscous and smoothed Coulomb friction: <code>d_t s' + F_c tanh(s'/v_c)</code> at the trolley and
<code>d_w omega + M_c tanh(omega/omega_c)</code> with <code>omega = l'/r</code> at the winch,</li>
<li>static friction: with <code>F_s &gt; 0</code> the trolley sticks, exactly at rest, until a force of
more than <code>F_s</code> acts on it, and slides against <code>F_c &lt;= F_s</code>, without smoothing;
the same with <code>M_s</code> and <code>M_c</code> at the winch
(<a href=\"modelica://Cranes.Parts.Friction\">Friction</a>),</li>
<li>end stops of the trolley at <code>s_min</code> and <code>s_max</code>: buffers with stiffness
<code>k_e</code> and damping <code>d_e</code> that only push. Real buffers are springs, and the rope's
force goes on acting while they are compressed: an impact without duration would need a coefficient of
restitution that depends on it,</li>
<li>drives with a first-order lag: <code>tau_t F' + F = F_t</code>, <code>tau_w M' + M = M_w</code>;
at zero the inputs act at once,</li>
<li>wind on the load: inputs <code>F_wind_x</code>, <code>F_wind_z</code>.</li>
</ul>
<pre>m (s'' sin(theta) + q'' - q theta'^2)           = m g cos(theta) - T + F_wind.n
m (s'' cos(theta) + q theta'' + 2 q' theta')   = -m g sin(theta) + F_wind.t
m_t s''    = F + T sin(theta) + F_stop - friction
J/r^2 l''  = (M - friction)/r + T</pre>
<p>with <code>n = (sin(theta), -cos(theta))</code> and <code>t = (cos(theta), sin(theta))</code>. The
start is at rest with the stretched rope and the holding torque <code>M_w = -m g r</code>.</p>
</html>"));
end OverheadCraneReal;
