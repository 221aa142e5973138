within Cranes;
model OverheadCraneSpeed "Overhead crane whose drives take velocity references"
  extends Icons.Crane;
  extends Interfaces.OptionalWind;

  parameter Types.Mass m_t = 10 "Mass of the trolley";
  parameter Types.Mass m = 100 "Mass of the load";
  parameter Types.Inertia J = 0.1 "Moment of inertia of the winch";
  parameter Types.Length r = 0.1 "Radius of the winch";
  parameter Types.Acceleration g = 9.81 "Gravity";

  parameter Types.Damping kp_s = 2000 "Gain of the trolley's speed error";
  parameter Types.Stiffness ki_s = 20000 "Gain of its integral";
  parameter Types.WinchDamping kp_l = 400 "Gain of the winch's speed error";
  parameter Types.WinchStiffness ki_l = 4000 "Gain of its integral";

  parameter Types.Position s_start = 0 "Start value of s";
  parameter Types.Length l_start = 4 "Start value of l";
  parameter Types.Angle theta_start = 0 "Start value of theta";
  parameter Types.Velocity v_s_start = 0 "Start value of v_s";
  parameter Types.Velocity v_l_start = 0 "Start value of v_l";
  parameter Types.AngularVelocity v_theta_start = 0 "Start value of v_theta";

  input Types.Velocity w_s(start=0) "Wanted velocity of the trolley";
  input Types.Velocity w_l(start=0) "Wanted velocity of the rope, positive pays out";
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
  output Types.Energy energy "Kinetic and potential energy, the latter zero at z = 0";
  output Types.Force F_t "Force of the trolley's drive";
  output Types.Torque M_w "Torque of the winch's drive, positive pays rope out";
  output Types.Position e_s "Integral of the trolley's speed error";
  output Types.Position e_l "Integral of the winch's speed error";

  OverheadCrane crane(final useWind=useWind,
      m_t=m_t, m=m, J=J, r=r, g=g, s_start=s_start, l_start=l_start,
      theta_start=theta_start, v_s_start=v_s_start, v_l_start=v_l_start,
      v_theta_start=v_theta_start) "The crane, driven by forces";
  Parts.SpeedDrive drive_s(kp=kp_s, ki=ki_s, hold=0,
    reference=w_s, rate=crane.v_s, integral(unit="m"))
    "Speed loop of the trolley's drive";
  Parts.SpeedDrive drive_l(kp=kp_l, ki=ki_l, hold=-m*g*r,
    reference=w_l, rate=crane.v_l, integral(unit="m"))
    "Speed loop of the winch's drive";

equation
  F_t = drive_s.force;
  e_s = drive_s.integral;
  crane.F_t = F_t;
  M_w = drive_l.force;
  e_l = drive_l.integral;
  crane.M_w = M_w;
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
  energy = crane.energy;

  annotation (
    experiment(StartTime=0, StopTime=3, Tolerance=1e-9),
    Documentation(info="<html>
<p>The <a href=\"modelica://Cranes.OverheadCrane\">OverheadCrane</a> with drives that take velocity
references, as the converters of most cranes do: each has a PI controller of its speed
(<a href=\"modelica://Cranes.Parts.SpeedDrive\">SpeedDrive</a>),</p>
<pre>F_t = kp_s (w_s - s') + ki_s e_s,            e_s' = w_s - s'
M_w = -m g r + kp_l (w_l - l') + ki_l e_l,   e_l' = w_l - l'</pre>
<p>and the forces act on the crane as its inputs did. The default
gains make loops of some 200 rad/s at the empty trolley and 40 rad/s at the loaded winch, integrals of
10 rad/s. Forces are not limited.</p>
<p>Rest is rest: with all references zero the crane hangs still, and the integrals are zero.</p>
</html>"));
end OverheadCraneSpeed;
