within Cranes;
model RotaryCraneSpeed "Rotary crane whose drives take velocity references"
  extends Icons.Crane;
  extends Interfaces.OptionalWind;

  parameter Types.Mass m = 100 "Mass of the load";
  parameter Types.Mass m_t = 10 "Mass of the trolley";
  parameter Types.Inertia J_w = 0.1 "Moment of inertia of the winch";
  parameter Types.Inertia J_b = 480 "Moment of inertia of the bridge about the tower axis";
  parameter Types.Length r_w = 0.1 "Radius of the winch";
  parameter Types.Acceleration g = 9.81 "Gravity";

  parameter Types.RotationalDamping kp_phi = 20000 "Gain of the slewing's speed error";
  parameter Types.RotationalStiffness ki_phi = 200000 "Gain of its integral";
  parameter Types.Damping kp_s = 2000 "Gain of the trolley's speed error";
  parameter Types.Stiffness ki_s = 20000 "Gain of its integral";
  parameter Types.WinchDamping kp_l = 400 "Gain of the winch's speed error";
  parameter Types.WinchStiffness ki_l = 4000 "Gain of its integral";

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

  input Types.AngularVelocity w_phi(start=0) "Wanted slewing velocity";
  input Types.Velocity w_s(start=0) "Wanted velocity of the trolley";
  input Types.Velocity w_l(start=0) "Wanted velocity of the rope, positive pays out";
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
  output Types.Energy energy "Kinetic and potential energy, the latter zero at z = 0";
  output Types.AngularMomentum L_z "Angular momentum about the tower axis";
  output Types.Torque M_b "Torque of the slewing drive";
  output Types.Force F_t "Force of the trolley's drive";
  output Types.Torque M_w "Torque of the winch's drive, positive pays rope out";
  output Types.Angle e_phi "Integral of the slewing's speed error";
  output Types.Position e_s "Integral of the trolley's speed error";
  output Types.Position e_l "Integral of the winch's speed error";

  RotaryCrane crane(final useWind=useWind,
      m=m, m_t=m_t, J_w=J_w, J_b=J_b, r_w=r_w, g=g, phi_start=phi_start,
      s_start=s_start, l_start=l_start, theta_1_start=theta_1_start,
      theta_2_start=theta_2_start, v_phi_start=v_phi_start, v_s_start=v_s_start,
      v_l_start=v_l_start, v_theta_1_start=v_theta_1_start, v_theta_2_start=v_theta_2_start)
      "The crane, driven by forces";
  Parts.SpeedDrive drive_phi(kp=kp_phi, ki=ki_phi, hold=0,
    reference=w_phi, rate=crane.v_phi, integral(unit="rad"))
    "Speed loop of the slewing drive";
  Parts.SpeedDrive drive_s(kp=kp_s, ki=ki_s, hold=0,
    reference=w_s, rate=crane.v_s, integral(unit="m"))
    "Speed loop of the trolley's drive";
  Parts.SpeedDrive drive_l(kp=kp_l, ki=ki_l, hold=-m*g*r_w,
    reference=w_l, rate=crane.v_l, integral(unit="m"))
    "Speed loop of the winch's drive";

equation
  M_b = drive_phi.force;
  e_phi = drive_phi.integral;
  crane.M_b = M_b;
  F_t = drive_s.force;
  e_s = drive_s.integral;
  crane.F_t = F_t;
  M_w = drive_l.force;
  e_l = drive_l.integral;
  crane.M_w = M_w;
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
  energy = crane.energy;
  L_z = crane.L_z;

  annotation (
    experiment(StartTime=0, StopTime=20, Tolerance=1e-9),
    Documentation(info="<html>
<p>The <a href=\"modelica://Cranes.RotaryCrane\">RotaryCrane</a> with drives that take velocity
references, as the converters of most cranes do: each has a PI controller of its speed
(<a href=\"modelica://Cranes.Parts.SpeedDrive\">SpeedDrive</a>),</p>
<pre>M_b = kp_phi (w_phi - phi') + ki_phi e_phi,     e_phi' = w_phi - phi'
F_t = kp_s (w_s - s') + ki_s e_s,               e_s' = w_s - s'
M_w = -m g r_w + kp_l (w_l - l') + ki_l e_l,    e_l' = w_l - l'</pre>
<p>and the forces act on the crane as its inputs did. The default
gains make loops of some 40 rad/s at bridge and loaded winch and 200 rad/s at the empty trolley,
integrals of 10 rad/s. Forces are not limited.</p>
<p>Rest is rest: with all references zero the crane hangs still, and the integrals are zero.</p>
</html>"));
end RotaryCraneSpeed;
