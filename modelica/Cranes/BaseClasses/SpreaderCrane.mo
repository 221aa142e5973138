within Cranes.BaseClasses;
partial model SpreaderCrane "What the versions of SpreaderCrane with connectors have in common"
  extends Icons.Crane;
  extends Interfaces.OptionalWind(useWind=false);

  parameter Types.Mass m = 12000 "Mass of spreader and box";
  parameter Types.Inertia J_x = 9000 "Moment of inertia of spreader and box about its first axis";
  parameter Types.Inertia J_y = 22000 "Moment of inertia of spreader and box about its second axis";
  parameter Types.Inertia J_z = 25000 "Moment of inertia of spreader and box about its third axis";
  parameter Types.Position C = 1.5 "Ropes on the spreader, along its first axis";
  parameter Types.Position D = 1.2 "Ropes on the spreader, along its second axis";
  parameter Types.Position h = 1.2 "Ropes on the spreader, above its centre of mass";
  parameter Types.Mass m_t = 2000 "Mass of the trolley";
  parameter Types.Inertia J_t = 1500 "Moment of inertia of the trolley about the vertical";
  parameter Types.Position A = 2.5 "Winches on the trolley, along its first axis";
  parameter Types.Position B = 1.5 "Winches on the trolley, along its second axis";
  parameter Types.Inertia J_w = 5 "Moment of inertia of each winch";
  parameter Types.Length r_w = 0.2 "Radius of each drum";
  parameter Types.Acceleration g = 9.81 "Gravity";
  parameter Types.Position x_t_start = 0 "Start value of x_t";
  parameter Types.Position y_t_start = 0 "Start value of y_t";
  parameter Types.Angle theta_start = 0 "Start value of theta";
  parameter Types.Position x_start = 0 "Start value of x";
  parameter Types.Position y_start = 0 "Start value of y";
  parameter Types.Position z_start = -12 "Start value of z";
  parameter Types.Angle yaw_start = 0 "Start value of yaw";
  parameter Types.Angle pitch_start = 0 "Start value of pitch";
  parameter Types.Angle roll_start = 0 "Start value of roll";
  parameter Types.Velocity v_x_t_start = 0 "Start value of v_x_t";
  parameter Types.Velocity v_y_t_start = 0 "Start value of v_y_t";
  parameter Types.AngularVelocity v_theta_start = 0 "Start value of v_theta";
  parameter Types.Velocity v_x_start = 0 "Start value of v_x";
  parameter Types.Velocity v_y_start = 0 "Start value of v_y";
  parameter Types.Velocity v_z_start = 0 "Start value of v_z";
  parameter Types.AngularVelocity v_yaw_start = 0 "Start value of the rate of yaw";
  parameter Types.AngularVelocity v_pitch_start = 0 "Start value of the rate of pitch";
  parameter Types.AngularVelocity v_roll_start = 0 "Start value of the rate of roll";

  Interfaces.ForceInput F_wind_x(start=0) if useWind "Wind force on the spreader, along x"
    annotation (Placement(transformation(extent={{-10,-10},{10,10}}, rotation=90, origin={-60,-110})));
  Interfaces.ForceInput F_wind_y(start=0) if useWind "Wind force on the spreader, along y"
    annotation (Placement(transformation(extent={{-10,-10},{10,10}}, rotation=90, origin={0,-110})));
  Interfaces.ForceInput F_wind_z(start=0) if useWind "Wind force on the spreader, vertical"
    annotation (Placement(transformation(extent={{-10,-10},{10,10}}, rotation=90, origin={60,-110})));

  Interfaces.RealOutput x(final quantity="Length", final unit="m")
    "Centre of mass of spreader and box"
    annotation (Placement(transformation(extent={{100,76},{108,84}})));
  Interfaces.RealOutput y(final quantity="Length", final unit="m")
    "Centre of mass of spreader and box"
    annotation (Placement(transformation(extent={{100,71},{108,79}})));
  Interfaces.RealOutput z(final quantity="Length", final unit="m")
    "Centre of mass of spreader and box, vertical, zero at the winches"
    annotation (Placement(transformation(extent={{100,66},{108,74}})));
  Interfaces.RealOutput yaw(final quantity="Angle", final unit="rad", displayUnit="deg")
    "Rotation of the spreader about the vertical, the last of three"
    annotation (Placement(transformation(extent={{100,61},{108,69}})));
  Interfaces.RealOutput pitch(final quantity="Angle", final unit="rad", displayUnit="deg")
    "Rotation of the spreader about its second axis"
    annotation (Placement(transformation(extent={{100,55},{108,63}})));
  Interfaces.RealOutput roll(final quantity="Angle", final unit="rad", displayUnit="deg")
    "Rotation of the spreader about its first axis"
    annotation (Placement(transformation(extent={{100,50},{108,58}})));
  Interfaces.RealOutput warp(final quantity="Length", final unit="m")
    "l_1 - l_2 + l_3 - l_4"
    annotation (Placement(transformation(extent={{100,45},{108,53}})));
  Interfaces.RealOutput v_x(final quantity="Velocity", final unit="m/s")
    "Velocity of x"
    annotation (Placement(transformation(extent={{100,40},{108,48}})));
  Interfaces.RealOutput v_y(final quantity="Velocity", final unit="m/s")
    "Velocity of y"
    annotation (Placement(transformation(extent={{100,35},{108,43}})));
  Interfaces.RealOutput v_z(final quantity="Velocity", final unit="m/s")
    "Velocity of z"
    annotation (Placement(transformation(extent={{100,30},{108,38}})));
  Interfaces.RealOutput omega_1(final quantity="AngularVelocity", final unit="rad/s")
    "Angular velocity of the spreader about its first axis"
    annotation (Placement(transformation(extent={{100,24},{108,32}})));
  Interfaces.RealOutput omega_2(final quantity="AngularVelocity", final unit="rad/s")
    "Angular velocity of the spreader about its second axis"
    annotation (Placement(transformation(extent={{100,19},{108,27}})));
  Interfaces.RealOutput omega_3(final quantity="AngularVelocity", final unit="rad/s")
    "Angular velocity of the spreader about its third axis"
    annotation (Placement(transformation(extent={{100,14},{108,22}})));
  Interfaces.RealOutput x_t(final quantity="Length", final unit="m")
    "Trolley"
    annotation (Placement(transformation(extent={{100,9},{108,17}})));
  Interfaces.RealOutput y_t(final quantity="Length", final unit="m")
    "Trolley"
    annotation (Placement(transformation(extent={{100,4},{108,12}})));
  Interfaces.RealOutput theta(final quantity="Angle", final unit="rad", displayUnit="deg")
    "Slewing angle of the trolley"
    annotation (Placement(transformation(extent={{100,-1},{108,7}})));
  Interfaces.RealOutput v_x_t(final quantity="Velocity", final unit="m/s")
    "Velocity of x_t"
    annotation (Placement(transformation(extent={{100,-7},{108,1}})));
  Interfaces.RealOutput v_y_t(final quantity="Velocity", final unit="m/s")
    "Velocity of y_t"
    annotation (Placement(transformation(extent={{100,-12},{108,-4}})));
  Interfaces.RealOutput v_theta(final quantity="AngularVelocity", final unit="rad/s")
    "Slewing velocity"
    annotation (Placement(transformation(extent={{100,-17},{108,-9}})));
  Interfaces.RealOutput l_1(final quantity="Length", final unit="m")
    "Length of rope 1"
    annotation (Placement(transformation(extent={{100,-22},{108,-14}})));
  Interfaces.RealOutput l_2(final quantity="Length", final unit="m")
    "Length of rope 2"
    annotation (Placement(transformation(extent={{100,-27},{108,-19}})));
  Interfaces.RealOutput l_3(final quantity="Length", final unit="m")
    "Length of rope 3"
    annotation (Placement(transformation(extent={{100,-32},{108,-24}})));
  Interfaces.RealOutput l_4(final quantity="Length", final unit="m")
    "Length of rope 4"
    annotation (Placement(transformation(extent={{100,-38},{108,-30}})));
  Interfaces.RealOutput v_l_1(final quantity="Velocity", final unit="m/s")
    "Velocity of rope 1"
    annotation (Placement(transformation(extent={{100,-43},{108,-35}})));
  Interfaces.RealOutput v_l_2(final quantity="Velocity", final unit="m/s")
    "Velocity of rope 2"
    annotation (Placement(transformation(extent={{100,-48},{108,-40}})));
  Interfaces.RealOutput v_l_3(final quantity="Velocity", final unit="m/s")
    "Velocity of rope 3"
    annotation (Placement(transformation(extent={{100,-53},{108,-45}})));
  Interfaces.RealOutput v_l_4(final quantity="Velocity", final unit="m/s")
    "Velocity of rope 4"
    annotation (Placement(transformation(extent={{100,-58},{108,-50}})));
  Interfaces.RealOutput T_1(final quantity="Force", final unit="N")
    "Force in rope 1, positive pulls"
    annotation (Placement(transformation(extent={{100,-63},{108,-55}})));
  Interfaces.RealOutput T_2(final quantity="Force", final unit="N")
    "Force in rope 2, positive pulls"
    annotation (Placement(transformation(extent={{100,-69},{108,-61}})));
  Interfaces.RealOutput T_3(final quantity="Force", final unit="N")
    "Force in rope 3, positive pulls"
    annotation (Placement(transformation(extent={{100,-74},{108,-66}})));
  Interfaces.RealOutput T_4(final quantity="Force", final unit="N")
    "Force in rope 4, positive pulls"
    annotation (Placement(transformation(extent={{100,-79},{108,-71}})));
  Interfaces.RealOutput energy(final quantity="Energy", final unit="J")
    "Kinetic and potential energy, the latter zero at z = 0"
    annotation (Placement(transformation(extent={{100,-84},{108,-76}})));

  Cranes.SpreaderCrane crane(final useWind=useWind, m=m, J_x=J_x, J_y=J_y, J_z=J_z, C=C, D=D, h=h,
      m_t=m_t, J_t=J_t, A=A, B=B, J_w=J_w, r_w=r_w, g=g, x_t_start=x_t_start, y_t_start=y_t_start,
      theta_start=theta_start, x_start=x_start, y_start=y_start, z_start=z_start,
      yaw_start=yaw_start, pitch_start=pitch_start, roll_start=roll_start,
      v_x_t_start=v_x_t_start, v_y_t_start=v_y_t_start, v_theta_start=v_theta_start,
      v_x_start=v_x_start, v_y_start=v_y_start, v_z_start=v_z_start, v_yaw_start=v_yaw_start,
      v_pitch_start=v_pitch_start, v_roll_start=v_roll_start)
    "The crane: its equations"
    annotation (Placement(transformation(extent={{-30,-30},{30,30}})));
equation
  connect(F_wind_x, crane.F_wind_x)
    annotation (Line(points={{-60,-110},{-60,-60},{-20,-60},{-20,-30}}, color={0,0,127}));
  connect(F_wind_y, crane.F_wind_y)
    annotation (Line(points={{0,-110},{0,-60},{0,-60},{0,-30}}, color={0,0,127}));
  connect(F_wind_z, crane.F_wind_z)
    annotation (Line(points={{60,-110},{60,-60},{20,-60},{20,-30}}, color={0,0,127}));
  x = crane.x;
  y = crane.y;
  z = crane.z;
  yaw = crane.yaw;
  pitch = crane.pitch;
  roll = crane.roll;
  warp = crane.warp;
  v_x = crane.v_x;
  v_y = crane.v_y;
  v_z = crane.v_z;
  omega_1 = crane.omega_1;
  omega_2 = crane.omega_2;
  omega_3 = crane.omega_3;
  x_t = crane.x_t;
  y_t = crane.y_t;
  theta = crane.theta;
  v_x_t = crane.v_x_t;
  v_y_t = crane.v_y_t;
  v_theta = crane.v_theta;
  l_1 = crane.l_1;
  l_2 = crane.l_2;
  l_3 = crane.l_3;
  l_4 = crane.l_4;
  v_l_1 = crane.v_l_1;
  v_l_2 = crane.v_l_2;
  v_l_3 = crane.v_l_3;
  v_l_4 = crane.v_l_4;
  T_1 = crane.T_1;
  T_2 = crane.T_2;
  T_3 = crane.T_3;
  T_4 = crane.T_4;
  energy = crane.energy;
  annotation (Documentation(info="<html>
<p>What <a href=\"modelica://Cranes.Blocks.SpreaderCrane\">Blocks.SpreaderCrane</a> and
<a href=\"modelica://Cranes.Mechanics.SpreaderCrane\">Mechanics.SpreaderCrane</a> have in
common; the equations are those of
<a href=\"modelica://Cranes.SpreaderCrane\">Cranes.SpreaderCrane</a>.</p>
</html>"));
end SpreaderCrane;
