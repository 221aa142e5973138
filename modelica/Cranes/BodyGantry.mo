within Cranes;
model BodyGantry "Planar gantry crane: trolley, winch, load, in their centre of mass and a swing angle"
  extends Icons.Crane;
  extends Interfaces.PlanarWind;

  parameter Types.Mass m = 8000 "Mass of the load";
  parameter Types.Mass m_t = 1500 "Mass of the trolley";
  parameter Types.Inertia J_w = 20 "Moment of inertia of the winch";
  parameter Types.Length r_w = 0.25 "Radius of the drum";
  parameter Types.Acceleration g = 9.81 "Gravity";

  parameter Types.Position s_start = 0 "Start value of s";
  parameter Types.Position x_start = 0 "Start value of x";
  parameter Types.Position z_start = -12 "Start value of z";
  parameter Types.Velocity v_s_start = 0 "Start value of v_s";
  parameter Types.Velocity v_x_start = 0 "Start value of v_x";
  parameter Types.Velocity v_z_start = 0 "Start value of v_z";

  input Types.Force F_t(start=0) "Force on the trolley";
  input Types.Torque M_w(start=-m*g*r_w) "Torque on the winch, positive pays rope out";
  Interfaces.ForceInput F_wind_x(start=0) if useWind "Wind force on the load, horizontal";
  Interfaces.ForceInput F_wind_z(start=0) if useWind "Wind force on the load, vertical";

  output Types.Position x "Load, horizontal";
  output Types.Position z "Load, vertical, zero at the trolley";
  output Types.Velocity v_x "Velocity of the load, horizontal";
  output Types.Velocity v_z "Velocity of the load, vertical";
  output Types.Position s "Position of the trolley";
  output Types.Velocity v_s "Velocity of the trolley";
  output Types.Position x_c(start=(m_t*s_start + m*x_start)/(m_t + m), fixed=true)
    "Common centre of mass of trolley and load, horizontal";
  output Types.Position l(start=l_0, fixed=true) "Length of the rope";
  output Types.Angle theta(start=atan2(x_start - s_start, -z_start), fixed=true)
    "Swing angle, zero for a vertical rope, positive towards positive x";
  output Types.Velocity v_x_c(start=(m_t*v_s_start + m*v_x_start)/(m_t + m), fixed=true)
    "Velocity of x_c";
  output Types.Velocity v_l(
    start=((x_start - s_start)*(v_x_start - v_s_start) + z_start*v_z_start)/l_0, fixed=true)
    "Velocity of the rope";
  output Types.AngularVelocity v_theta(
    start=((x_start - s_start)*v_z_start - z_start*(v_x_start - v_s_start))/l_0^2, fixed=true)
    "Angular velocity of swing";
  output Types.Force T_cable "Force in the rope, positive pulls";
  output Types.Energy energy "Kinetic and potential energy, the latter zero at z = 0";

protected
  parameter Types.Length l_0 = sqrt((x_start - s_start)^2 + z_start^2)
    "Length of the rope at the start";
  Types.Acceleration a_n "Acceleration of the load relative to the trolley, along the rope";
  Types.Acceleration a_t "Acceleration of the load relative to the trolley, across the rope";

equation
  connect(F_wind_x, wind_x);
  connect(F_wind_z, wind_z);

  der(x_c) = v_x_c;
  der(l) = v_l;
  der(theta) = v_theta;

  // Momentum of the whole: the force in the rope is internal
  (m_t + m)*der(v_x_c) = F_t + wind_x;

  // Load relative to the trolley
  a_n = der(v_l) - l*v_theta^2;
  a_t = l*der(v_theta) + 2*v_l*v_theta;
  a_n*sin(theta) + a_t*cos(theta)
    = wind_x/m - F_t/m_t - T_cable*sin(theta)*(m_t + m)/(m_t*m);
  m*(a_t*sin(theta) - a_n*cos(theta)) = wind_z - m*g + T_cable*cos(theta);

  // Winch
  J_w/r_w*der(v_l) = M_w + r_w*T_cable;

  s = x_c - m/(m_t + m)*l*sin(theta);
  x = x_c + m_t/(m_t + m)*l*sin(theta);
  z = -l*cos(theta);
  v_s = v_x_c - m/(m_t + m)*(v_l*sin(theta) + l*v_theta*cos(theta));
  v_x = v_x_c + m_t/(m_t + m)*(v_l*sin(theta) + l*v_theta*cos(theta));
  v_z = l*v_theta*sin(theta) - v_l*cos(theta);
  energy = m_t*v_s^2/2 + J_w/r_w^2*v_l^2/2 + m*(v_x^2 + v_z^2)/2 + m*g*z;

  annotation (
    experiment(StartTime=0, StopTime=20, Tolerance=1e-9),
    Documentation(info="<html>
<p>A trolley <code>m_t</code> on a horizontal rail carries a winch (<code>J_w</code>,
<code>r_w</code>), from which the load <code>m</code> hangs on a rope. Three degrees of freedom, two
drives. It is the machine of <a href=\"modelica://Cranes.GantryCrane\">GantryCrane</a> and
<a href=\"modelica://Cranes.OverheadCrane\">OverheadCrane</a> in coordinates of its own: the
horizontal place <code>x_c</code> of the common centre of mass, rope length <code>l</code> and swing
angle <code>theta</code>.</p>
<pre>s = x_c - m/(m_t + m) l sin(theta)
x = x_c + m_t/(m_t + m) l sin(theta),   z = -l cos(theta)</pre>
<p>The force in the rope does not move the centre of mass. With the relative acceleration along and
across the rope</p>
<pre>a_n = l'' - l theta'^2,   a_t = l theta'' + 2 l' theta'</pre>
<p>the equations of motion are</p>
<pre>(m_t + m) x_c''                     = F_t + F_wind_x
a_n sin(theta) + a_t cos(theta)     = F_wind_x/m - F_t/m_t - T sin(theta) (1/m + 1/m_t)
m (a_t sin(theta) - a_n cos(theta)) = F_wind_z - m g + T cos(theta)
J_w/r_w l''                         = M_w + r_w T</pre>
<p>Equilibrium at rest: <code>F_t = 0</code>, <code>M_w = -m g r_w</code> (-19 620 N.m with the default
values). The equations are regular for <code>l &gt; 0</code>.</p>
</html>"));
end BodyGantry;
