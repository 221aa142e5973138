within Cranes.BaseClasses;
partial model OverheadCraneSpeed "What the versions of OverheadCraneSpeed with connectors have in common"
  extends Icons.Crane;
  extends Interfaces.OptionalWind(useWind=false);

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

  Interfaces.ForceInput F_wind_x(start=0) if useWind "Wind force on the load, horizontal"
    annotation (Placement(transformation(extent={{-10,-10},{10,10}}, rotation=90, origin={-30,-110})));
  Interfaces.ForceInput F_wind_z(start=0) if useWind "Wind force on the load, vertical"
    annotation (Placement(transformation(extent={{-10,-10},{10,10}}, rotation=90, origin={30,-110})));

  Interfaces.RealOutput x(final quantity="Length", final unit="m")
    "Load, horizontal"
    annotation (Placement(transformation(extent={{100,76},{108,84}})));
  Interfaces.RealOutput z(final quantity="Length", final unit="m")
    "Load, vertical, zero at the trolley"
    annotation (Placement(transformation(extent={{100,65},{108,73}})));
  Interfaces.RealOutput v_x(final quantity="Velocity", final unit="m/s")
    "Velocity of the load, horizontal"
    annotation (Placement(transformation(extent={{100,55},{108,63}})));
  Interfaces.RealOutput v_z(final quantity="Velocity", final unit="m/s")
    "Velocity of the load, vertical"
    annotation (Placement(transformation(extent={{100,44},{108,52}})));
  Interfaces.RealOutput s(final quantity="Length", final unit="m")
    "Position of the trolley"
    annotation (Placement(transformation(extent={{100,33},{108,41}})));
  Interfaces.RealOutput l(final quantity="Length", final unit="m")
    "Length of the rope"
    annotation (Placement(transformation(extent={{100,23},{108,31}})));
  Interfaces.RealOutput v_s(final quantity="Velocity", final unit="m/s")
    "Velocity of the trolley"
    annotation (Placement(transformation(extent={{100,12},{108,20}})));
  Interfaces.RealOutput v_l(final quantity="Velocity", final unit="m/s")
    "Velocity of the rope"
    annotation (Placement(transformation(extent={{100,1},{108,9}})));
  Interfaces.RealOutput theta(final quantity="Angle", final unit="rad", displayUnit="deg")
    "Swing angle, zero for a vertical rope, positive towards positive x"
    annotation (Placement(transformation(extent={{100,-9},{108,-1}})));
  Interfaces.RealOutput v_theta(final quantity="AngularVelocity", final unit="rad/s")
    "Angular velocity of swing"
    annotation (Placement(transformation(extent={{100,-20},{108,-12}})));
  Interfaces.RealOutput T_cable(final quantity="Force", final unit="N")
    "Force in the rope, positive pulls"
    annotation (Placement(transformation(extent={{100,-31},{108,-23}})));
  Interfaces.RealOutput energy(final quantity="Energy", final unit="J")
    "Kinetic and potential energy, the latter zero at z = 0"
    annotation (Placement(transformation(extent={{100,-41},{108,-33}})));
  Interfaces.RealOutput F_t(final quantity="Force", final unit="N")
    "Force of the trolley's drive"
    annotation (Placement(transformation(extent={{100,-52},{108,-44}})));
  Interfaces.RealOutput M_w(final quantity="Torque", final unit="N.m")
    "Torque of the winch's drive, positive pays rope out"
    annotation (Placement(transformation(extent={{100,-63},{108,-55}})));
  Interfaces.RealOutput e_s(final quantity="Length", final unit="m")
    "Integral of the trolley's speed error"
    annotation (Placement(transformation(extent={{100,-73},{108,-65}})));
  Interfaces.RealOutput e_l(final quantity="Length", final unit="m")
    "Integral of the winch's speed error"
    annotation (Placement(transformation(extent={{100,-84},{108,-76}})));

  Cranes.OverheadCraneSpeed crane(final useWind=useWind, m_t=m_t, m=m, J=J, r=r, g=g, kp_s=kp_s,
      ki_s=ki_s, kp_l=kp_l, ki_l=ki_l, s_start=s_start, l_start=l_start, theta_start=theta_start,
      v_s_start=v_s_start, v_l_start=v_l_start, v_theta_start=v_theta_start)
    "The crane: its equations"
    annotation (Placement(transformation(extent={{-30,-30},{30,30}})));
equation
  connect(F_wind_x, crane.F_wind_x)
    annotation (Line(points={{-30,-110},{-30,-60},{-10,-60},{-10,-30}}, color={0,0,127}));
  connect(F_wind_z, crane.F_wind_z)
    annotation (Line(points={{30,-110},{30,-60},{10,-60},{10,-30}}, color={0,0,127}));
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
  F_t = crane.F_t;
  M_w = crane.M_w;
  e_s = crane.e_s;
  e_l = crane.e_l;
  annotation (Documentation(info="<html>
<p>What <a href=\"modelica://Cranes.Blocks.OverheadCraneSpeed\">Blocks.OverheadCraneSpeed</a> have in
common; the equations are those of
<a href=\"modelica://Cranes.OverheadCraneSpeed\">Cranes.OverheadCraneSpeed</a>.</p>
</html>"));
end OverheadCraneSpeed;
