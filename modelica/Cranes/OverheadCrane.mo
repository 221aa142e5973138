within Cranes;
model OverheadCrane "Planar overhead crane: trolley, winch, load on one rope"
  extends Icons.Crane;
  extends Interfaces.PlanarWind;

  parameter Types.Mass m_t = 10 "Mass of the trolley";
  parameter Types.Mass m = 100 "Mass of the load";
  parameter Types.Inertia J = 0.1 "Moment of inertia of the winch";
  parameter Types.Length r = 0.1 "Radius of the winch";
  parameter Types.Acceleration g = 9.81 "Gravity";

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
  output Types.Position s(start=s_start, fixed=true) "Position of the trolley";
  output Types.Position l(start=l_start, fixed=true) "Length of the rope";
  output Types.Velocity v_s(start=v_s_start, fixed=true) "Velocity of the trolley";
  output Types.Velocity v_l(start=v_l_start, fixed=true) "Velocity of the rope";
  output Types.Angle theta(start=theta_start, fixed=true)
    "Swing angle, zero for a vertical rope, positive towards positive x";
  output Types.AngularVelocity v_theta(start=v_theta_start, fixed=true) "Angular velocity of swing";
  output Types.Force T_cable "Force in the rope, positive pulls";
  output Types.Energy energy "Kinetic and potential energy, the latter zero at z = 0";

equation
  connect(F_wind_x, wind_x);
  connect(F_wind_z, wind_z);

  der(s) = v_s;
  der(l) = v_l;
  der(theta) = v_theta;

  // Load: Newton's law along the rope and across it
  m*(der(v_s)*sin(theta) + der(v_l) - l*v_theta^2) = m*g*cos(theta) - T_cable
    + wind_x*sin(theta) - wind_z*cos(theta);
  m*(der(v_s)*cos(theta) + l*der(v_theta) + 2*v_l*v_theta) = -m*g*sin(theta)
    + wind_x*cos(theta) + wind_z*sin(theta);

  // Drives
  m_t*der(v_s) = F_t + T_cable*sin(theta);
  J/r^2*der(v_l) = M_w/r + T_cable;

  x = s + l*sin(theta);
  z = -l*cos(theta);
  v_x = v_s + v_l*sin(theta) + l*v_theta*cos(theta);
  v_z = -v_l*cos(theta) + l*v_theta*sin(theta);
  energy = m_t*v_s^2/2 + J/r^2*v_l^2/2 + m*(v_x^2 + v_z^2)/2 + m*g*z;

  annotation (
    experiment(StartTime=0, StopTime=3, Tolerance=1e-9),
    Documentation(info="<html>
<p>A trolley of mass <code>m_t</code> on a horizontal girder carries a winch (<code>J</code>,
<code>r</code>), from which the load <code>m</code> hangs on a rope of length <code>l</code>. Three
degrees of freedom, two drives. Coordinates: <code>s</code>, <code>l</code> and the swing angle
<code>theta</code>; the load is at</p>
<pre>x = s + l sin(theta),   z = -l cos(theta).</pre>
<p>Newton's law for the load along the rope and across it, for the trolley and for the winch:</p>
<pre>m (s'' sin(theta) + l'' - l theta'^2)            = m g cos(theta) - T + F_wind.n
m (s'' cos(theta) + l theta'' + 2 l' theta')    = -m g sin(theta) + F_wind.t
m_t s''     = F_t + T sin(theta)
J/r^2 l''   = M_w/r + T</pre>
<p>with <code>n = (sin(theta), -cos(theta))</code>, <code>t = (cos(theta), sin(theta))</code>.</p>
<p>Equilibrium at rest: <code>F_t = 0</code>, <code>M_w = -m g r</code> (-98.1 N.m with the default
values). The equations are regular for <code>l &gt; 0</code>.</p>
</html>"));
end OverheadCrane;
