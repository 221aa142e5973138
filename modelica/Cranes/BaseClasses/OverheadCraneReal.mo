within Cranes.BaseClasses;
partial model OverheadCraneReal "What the versions of OverheadCraneReal with connectors have in common"
  extends Icons.Crane;
  extends Interfaces.OptionalWind(useWind=false);

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

  Interfaces.ForceInput F_wind_x(start=0) if useWind "Wind force on the load, horizontal"
    annotation (Placement(transformation(extent={{-10,-10},{10,10}}, rotation=90, origin={-30,-110})));
  Interfaces.ForceInput F_wind_z(start=0) if useWind "Wind force on the load, vertical"
    annotation (Placement(transformation(extent={{-10,-10},{10,10}}, rotation=90, origin={30,-110})));

  Interfaces.RealOutput x(final quantity="Length", final unit="m")
    "Load, horizontal"
    annotation (Placement(transformation(extent={{100,76},{108,84}})));
  Interfaces.RealOutput z(final quantity="Length", final unit="m")
    "Load, vertical, zero at the trolley"
    annotation (Placement(transformation(extent={{100,66},{108,74}})));
  Interfaces.RealOutput v_x(final quantity="Velocity", final unit="m/s")
    "Velocity of the load, horizontal"
    annotation (Placement(transformation(extent={{100,56},{108,64}})));
  Interfaces.RealOutput v_z(final quantity="Velocity", final unit="m/s")
    "Velocity of the load, vertical"
    annotation (Placement(transformation(extent={{100,46},{108,54}})));
  Interfaces.RealOutput s(final quantity="Length", final unit="m")
    "Position of the trolley"
    annotation (Placement(transformation(extent={{100,36},{108,44}})));
  Interfaces.RealOutput l(final quantity="Length", final unit="m")
    "Length of rope that the winch has paid out"
    annotation (Placement(transformation(extent={{100,26},{108,34}})));
  Interfaces.RealOutput v_s(final quantity="Velocity", final unit="m/s")
    "Velocity of the trolley"
    annotation (Placement(transformation(extent={{100,16},{108,24}})));
  Interfaces.RealOutput v_l(final quantity="Velocity", final unit="m/s")
    "Velocity of the rope at the winch"
    annotation (Placement(transformation(extent={{100,6},{108,14}})));
  Interfaces.RealOutput theta(final quantity="Angle", final unit="rad", displayUnit="deg")
    "Swing angle, zero for a vertical rope, positive towards positive x"
    annotation (Placement(transformation(extent={{100,-4},{108,4}})));
  Interfaces.RealOutput v_theta(final quantity="AngularVelocity", final unit="rad/s")
    "Angular velocity of swing"
    annotation (Placement(transformation(extent={{100,-14},{108,-6}})));
  Interfaces.RealOutput stretch(final quantity="Length", final unit="m", nominal=1e-4)
    "Elongation of the rope"
    annotation (Placement(transformation(extent={{100,-24},{108,-16}})));
  Interfaces.RealOutput v_stretch(final quantity="Velocity", final unit="m/s")
    "Time derivative of the elongation"
    annotation (Placement(transformation(extent={{100,-34},{108,-26}})));
  Interfaces.RealOutput T_cable(final quantity="Force", final unit="N")
    "Force in the rope, positive pulls"
    annotation (Placement(transformation(extent={{100,-44},{108,-36}})));
  Interfaces.RealOutput energy(final quantity="Energy", final unit="J")
    "Kinetic and potential energy, the latter zero at z = 0"
    annotation (Placement(transformation(extent={{100,-54},{108,-46}})));
  Interfaces.RealOutput F_drive(final quantity="Force", final unit="N")
    "Force of the trolley's drive"
    annotation (Placement(transformation(extent={{100,-64},{108,-56}})));
  Interfaces.RealOutput M_drive(final quantity="Torque", final unit="N.m")
    "Torque of the winch's drive"
    annotation (Placement(transformation(extent={{100,-74},{108,-66}})));
  Interfaces.RealOutput F_stop(final quantity="Force", final unit="N")
    "Force of the end stops on the trolley"
    annotation (Placement(transformation(extent={{100,-84},{108,-76}})));

  Cranes.OverheadCraneReal crane(final useWind=useWind, m_t=m_t, m=m, J=J, r=r, g=g, k_r=k_r,
      EA=EA, D=D,
      d_r=d_r, d_t=d_t, F_c=F_c, d_w=d_w, M_c=M_c, F_s=F_s, M_s=M_s, v_c=v_c, omega_c=omega_c,
      s_min=s_min, s_max=s_max, k_e=k_e, d_e=d_e, tau_t=tau_t, tau_w=tau_w, s_start=s_start,
      l_start=l_start, theta_start=theta_start, v_s_start=v_s_start, v_l_start=v_l_start,
      v_theta_start=v_theta_start)
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
  stretch = crane.stretch;
  v_stretch = crane.v_stretch;
  T_cable = crane.T_cable;
  energy = crane.energy;
  F_drive = crane.F_drive;
  M_drive = crane.M_drive;
  F_stop = crane.F_stop;
  annotation (Documentation(info="<html>
<p>What <a href=\"modelica://Cranes.Blocks.OverheadCraneReal\">Blocks.OverheadCraneReal</a> have in
common; the equations are those of
<a href=\"modelica://Cranes.OverheadCraneReal\">Cranes.OverheadCraneReal</a>.</p>
</html>"));
end OverheadCraneReal;
