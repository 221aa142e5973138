within Cranes.BaseClasses;
partial model OverheadCraneFriction "What the versions of OverheadCraneFriction with connectors have in common"
  extends Icons.Crane;
  extends Interfaces.OptionalWind(useWind=false);

  parameter Types.Mass m_t = 10 "Mass of the trolley";
  parameter Types.Mass m = 100 "Mass of the load";
  parameter Types.Inertia J = 0.1 "Moment of inertia of the winch";
  parameter Types.Length r = 0.1 "Radius of the winch";
  parameter Types.Acceleration g = 9.81 "Gravity";
  parameter Types.Stiffness E_t = 1e6 "Presliding stiffness of the trolley's friction";
  parameter Types.Force F_max = 0 "Coulomb friction of the trolley; 0: it has none";
  parameter Types.Force F_static = 0 "Static friction of the trolley, if it is above F_max";
  parameter Types.Velocity v_stribeck = 0.01 "Velocity over which it falls to F_max";
  parameter Types.Damping d_t = 0 "Viscous friction of the trolley";
  parameter Types.Force F_spring_start = 0 "Force in the trolley's friction at the start";
  parameter Types.RotationalStiffness E_w = 1e5 "Presliding stiffness of the winch's friction";
  parameter Types.Torque M_max = 0 "Coulomb friction of the winch; 0: it has none";
  parameter Types.Torque M_static = 0 "Static friction of the winch, if above M_max";
  parameter Types.AngularVelocity omega_stribeck = 0.1 "Rate over which it falls to M_max";
  parameter Types.RotationalDamping d_w = 0 "Viscous friction of the winch";
  parameter Types.Torque M_spring_start = 0 "Torque in the winch's friction at the start";
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
    annotation (Placement(transformation(extent={{100,64},{108,72}})));
  Interfaces.RealOutput v_x(final quantity="Velocity", final unit="m/s")
    "Velocity of the load, horizontal"
    annotation (Placement(transformation(extent={{100,52},{108,60}})));
  Interfaces.RealOutput v_z(final quantity="Velocity", final unit="m/s")
    "Velocity of the load, vertical"
    annotation (Placement(transformation(extent={{100,40},{108,48}})));
  Interfaces.RealOutput s(final quantity="Length", final unit="m")
    "Position of the trolley"
    annotation (Placement(transformation(extent={{100,27},{108,35}})));
  Interfaces.RealOutput l(final quantity="Length", final unit="m")
    "Length of the rope"
    annotation (Placement(transformation(extent={{100,15},{108,23}})));
  Interfaces.RealOutput v_s(final quantity="Velocity", final unit="m/s")
    "Velocity of the trolley"
    annotation (Placement(transformation(extent={{100,3},{108,11}})));
  Interfaces.RealOutput v_l(final quantity="Velocity", final unit="m/s")
    "Velocity of the rope"
    annotation (Placement(transformation(extent={{100,-9},{108,-1}})));
  Interfaces.RealOutput theta(final quantity="Angle", final unit="rad", displayUnit="deg")
    "Swing angle, zero for a vertical rope, positive towards positive x"
    annotation (Placement(transformation(extent={{100,-21},{108,-13}})));
  Interfaces.RealOutput v_theta(final quantity="AngularVelocity", final unit="rad/s")
    "Angular velocity of swing"
    annotation (Placement(transformation(extent={{100,-33},{108,-25}})));
  Interfaces.RealOutput T_cable(final quantity="Force", final unit="N")
    "Force in the rope, positive pulls"
    annotation (Placement(transformation(extent={{100,-45},{108,-37}})));
  Interfaces.RealOutput energy(final quantity="Energy", final unit="J")
    "Mechanical energy, with that of springs in the friction"
    annotation (Placement(transformation(extent={{100,-58},{108,-50}})));
  Interfaces.RealOutput F_friction(final quantity="Force", final unit="N")
    "Friction of the trolley"
    annotation (Placement(transformation(extent={{100,-70},{108,-62}})));
  Interfaces.RealOutput M_friction(final quantity="Torque", final unit="N.m")
    "Friction of the winch"
    annotation (Placement(transformation(extent={{100,-82},{108,-74}})));
  Interfaces.RealOutput heat(final quantity="Energy", final unit="J")
    "Energy that friction turned into heat"
    annotation (Placement(transformation(extent={{100,-94},{108,-86}})));

  Cranes.OverheadCraneFriction crane(final useWind=useWind, m_t=m_t, m=m, J=J, r=r, g=g, E_t=E_t,
      F_max=F_max, F_static=F_static, v_stribeck=v_stribeck, d_t=d_t, F_spring_start=F_spring_start,
      E_w=E_w, M_max=M_max, M_static=M_static, omega_stribeck=omega_stribeck, d_w=d_w,
      M_spring_start=M_spring_start, s_start=s_start, l_start=l_start, theta_start=theta_start,
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
  F_friction = crane.F_friction;
  M_friction = crane.M_friction;
  heat = crane.heat;
  annotation (Documentation(info="<html>
<p>What <a href=\"modelica://Cranes.Blocks.OverheadCraneFriction\">Blocks.OverheadCraneFriction</a> have in
common; the equations are those of
<a href=\"modelica://Cranes.OverheadCraneFriction\">Cranes.OverheadCraneFriction</a>.</p>
</html>"));
end OverheadCraneFriction;
