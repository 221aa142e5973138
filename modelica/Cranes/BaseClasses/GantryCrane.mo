within Cranes.BaseClasses;
partial model GantryCrane "What the versions of GantryCrane with connectors have in common"
  extends Icons.Crane;
  extends Interfaces.OptionalWind(useWind=false);

  parameter Types.Mass m = 10000 "Mass of the load";
  parameter Types.Mass m_t = 1800 "Mass of the trolley";
  parameter Types.Inertia J = 60 "Moment of inertia of winch and motor at the drum";
  parameter Types.Length r = 0.2 "Radius of the drum";
  parameter Types.Acceleration g = 9.81 "Gravity";
  parameter Types.Damping d_t = 0 "Viscous friction of the trolley; 0 switches it off";
  parameter Types.Force F_c = 0 "Coulomb friction of the trolley; 0 switches it off";
  parameter Types.Velocity v_c = 0.01 "Velocity that smooths the trolley's Coulomb friction";
  parameter Types.RotationalDamping d_w = 0 "Viscous friction of the winch; 0 switches it off";
  parameter Types.Torque M_c = 0 "Coulomb friction of the winch; 0 switches it off";
  parameter Types.AngularVelocity omega_c = 0.1 "Angular velocity that smooths the winch's";
  parameter Types.Drag c_d = 0 "Drag of the load per square of speed; 0 switches it off";
  parameter Types.Velocity w_x = 0 "Wind speed";
  parameter Types.Position s_start = 0 "Start value of s";
  parameter Types.Position x_start = 0 "Start value of x";
  parameter Types.Position z_start = -8 "Start value of z";
  parameter Types.Velocity v_s_start = 0 "Start value of v_s";
  parameter Types.Velocity v_x_start = 0 "Start value of v_x";
  parameter Types.Velocity v_z_start = 0 "Start value of v_z";

  Interfaces.ForceInput F_wind_x(start=0) if useWind "Wind force on the load, horizontal"
    annotation (Placement(transformation(extent={{-10,-10},{10,10}}, rotation=90, origin={-30,-110})));
  Interfaces.ForceInput F_wind_z(start=0) if useWind "Wind force on the load, vertical"
    annotation (Placement(transformation(extent={{-10,-10},{10,10}}, rotation=90, origin={30,-110})));

  Interfaces.RealOutput s(final quantity="Length", final unit="m")
    "Position of the trolley"
    annotation (Placement(transformation(extent={{100,72},{116,88}})));
  Interfaces.RealOutput x(final quantity="Length", final unit="m")
    "Load, horizontal"
    annotation (Placement(transformation(extent={{100,57},{116,73}})));
  Interfaces.RealOutput z(final quantity="Length", final unit="m")
    "Load, vertical, zero at the trolley"
    annotation (Placement(transformation(extent={{100,43},{116,59}})));
  Interfaces.RealOutput v_s(final quantity="Velocity", final unit="m/s")
    "Velocity of the trolley"
    annotation (Placement(transformation(extent={{100,28},{116,44}})));
  Interfaces.RealOutput v_x(final quantity="Velocity", final unit="m/s")
    "Velocity of the load, horizontal"
    annotation (Placement(transformation(extent={{100,14},{116,30}})));
  Interfaces.RealOutput v_z(final quantity="Velocity", final unit="m/s")
    "Velocity of the load, vertical"
    annotation (Placement(transformation(extent={{100,-1},{116,15}})));
  Interfaces.RealOutput l(final quantity="Length", final unit="m")
    "Length of the rope"
    annotation (Placement(transformation(extent={{100,-15},{116,1}})));
  Interfaces.RealOutput v_l(final quantity="Velocity", final unit="m/s")
    "Velocity of the rope"
    annotation (Placement(transformation(extent={{100,-30},{116,-14}})));
  Interfaces.RealOutput theta(final quantity="Angle", final unit="rad", displayUnit="deg")
    "Swing angle, zero for a vertical rope, positive towards positive x"
    annotation (Placement(transformation(extent={{100,-44},{116,-28}})));
  Interfaces.RealOutput v_theta(final quantity="AngularVelocity", final unit="rad/s")
    "Angular velocity of swing"
    annotation (Placement(transformation(extent={{100,-59},{116,-43}})));
  Interfaces.RealOutput T_cable(final quantity="Force", final unit="N")
    "Force in the rope, positive pulls"
    annotation (Placement(transformation(extent={{100,-73},{116,-57}})));
  Interfaces.RealOutput energy(final quantity="Energy", final unit="J")
    "Kinetic and potential energy, the latter zero at z = 0"
    annotation (Placement(transformation(extent={{100,-88},{116,-72}})));

  Cranes.GantryCrane crane(final useWind=useWind, m=m, m_t=m_t, J=J, r=r, g=g, d_t=d_t, F_c=F_c,
      v_c=v_c, d_w=d_w, M_c=M_c, omega_c=omega_c, c_d=c_d, w_x=w_x, s_start=s_start,
      x_start=x_start, z_start=z_start, v_s_start=v_s_start, v_x_start=v_x_start,
      v_z_start=v_z_start)
    "The crane: its equations"
    annotation (Placement(transformation(extent={{-30,-30},{30,30}})));
equation
  connect(F_wind_x, crane.F_wind_x)
    annotation (Line(points={{-30,-110},{-30,-60},{-10,-60},{-10,-30}}, color={0,0,127}));
  connect(F_wind_z, crane.F_wind_z)
    annotation (Line(points={{30,-110},{30,-60},{10,-60},{10,-30}}, color={0,0,127}));
  s = crane.s;
  x = crane.x;
  z = crane.z;
  v_s = crane.v_s;
  v_x = crane.v_x;
  v_z = crane.v_z;
  l = crane.l;
  v_l = crane.v_l;
  theta = crane.theta;
  v_theta = crane.v_theta;
  T_cable = crane.T_cable;
  energy = crane.energy;
  annotation (Documentation(info="<html>
<p>What <a href=\"modelica://Cranes.Blocks.GantryCrane\">Blocks.GantryCrane</a> and
<a href=\"modelica://Cranes.Mechanics.GantryCrane\">Mechanics.GantryCrane</a> have in
common; the equations are those of
<a href=\"modelica://Cranes.GantryCrane\">Cranes.GantryCrane</a>.</p>
</html>"));
end GantryCrane;
