within Cranes.BaseClasses;
partial model BodyGantry "What the versions of BodyGantry with connectors have in common"
  extends Icons.Crane;
  extends Interfaces.OptionalWind(useWind=false);

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

  Interfaces.ForceInput F_wind_x(start=0) if useWind "Wind force on the load, horizontal"
    annotation (Placement(transformation(extent={{-10,-10},{10,10}}, rotation=90, origin={-30,-110})));
  Interfaces.ForceInput F_wind_z(start=0) if useWind "Wind force on the load, vertical"
    annotation (Placement(transformation(extent={{-10,-10},{10,10}}, rotation=90, origin={30,-110})));

  Interfaces.RealOutput x(final quantity="Length", final unit="m")
    "Load, horizontal"
    annotation (Placement(transformation(extent={{100,72},{116,88}})));
  Interfaces.RealOutput z(final quantity="Length", final unit="m")
    "Load, vertical, zero at the trolley"
    annotation (Placement(transformation(extent={{100,60},{116,76}})));
  Interfaces.RealOutput v_x(final quantity="Velocity", final unit="m/s")
    "Velocity of the load, horizontal"
    annotation (Placement(transformation(extent={{100,47},{116,63}})));
  Interfaces.RealOutput v_z(final quantity="Velocity", final unit="m/s")
    "Velocity of the load, vertical"
    annotation (Placement(transformation(extent={{100,35},{116,51}})));
  Interfaces.RealOutput s(final quantity="Length", final unit="m")
    "Position of the trolley"
    annotation (Placement(transformation(extent={{100,23},{116,39}})));
  Interfaces.RealOutput v_s(final quantity="Velocity", final unit="m/s")
    "Velocity of the trolley"
    annotation (Placement(transformation(extent={{100,10},{116,26}})));
  Interfaces.RealOutput x_c(final quantity="Length", final unit="m")
    "Common centre of mass of trolley and load, horizontal"
    annotation (Placement(transformation(extent={{100,-2},{116,14}})));
  Interfaces.RealOutput l(final quantity="Length", final unit="m")
    "Length of the rope"
    annotation (Placement(transformation(extent={{100,-14},{116,2}})));
  Interfaces.RealOutput theta(final quantity="Angle", final unit="rad", displayUnit="deg")
    "Swing angle, zero for a vertical rope, positive towards positive x"
    annotation (Placement(transformation(extent={{100,-26},{116,-10}})));
  Interfaces.RealOutput v_x_c(final quantity="Velocity", final unit="m/s")
    "Velocity of x_c"
    annotation (Placement(transformation(extent={{100,-39},{116,-23}})));
  Interfaces.RealOutput v_l(final quantity="Velocity", final unit="m/s")
    "Velocity of the rope"
    annotation (Placement(transformation(extent={{100,-51},{116,-35}})));
  Interfaces.RealOutput v_theta(final quantity="AngularVelocity", final unit="rad/s")
    "Angular velocity of swing"
    annotation (Placement(transformation(extent={{100,-63},{116,-47}})));
  Interfaces.RealOutput T_cable(final quantity="Force", final unit="N")
    "Force in the rope, positive pulls"
    annotation (Placement(transformation(extent={{100,-76},{116,-60}})));
  Interfaces.RealOutput energy(final quantity="Energy", final unit="J")
    "Kinetic and potential energy, the latter zero at z = 0"
    annotation (Placement(transformation(extent={{100,-88},{116,-72}})));

  Cranes.BodyGantry crane(final useWind=useWind, m=m, m_t=m_t, J_w=J_w, r_w=r_w, g=g,
      s_start=s_start, x_start=x_start, z_start=z_start, v_s_start=v_s_start, v_x_start=v_x_start,
      v_z_start=v_z_start)
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
  v_s = crane.v_s;
  x_c = crane.x_c;
  l = crane.l;
  theta = crane.theta;
  v_x_c = crane.v_x_c;
  v_l = crane.v_l;
  v_theta = crane.v_theta;
  T_cable = crane.T_cable;
  energy = crane.energy;
  annotation (Documentation(info="<html>
<p>What <a href=\"modelica://Cranes.Blocks.BodyGantry\">Blocks.BodyGantry</a> and
<a href=\"modelica://Cranes.Mechanics.BodyGantry\">Mechanics.BodyGantry</a> have in
common; the equations are those of
<a href=\"modelica://Cranes.BodyGantry\">Cranes.BodyGantry</a>.</p>
</html>"));
end BodyGantry;
