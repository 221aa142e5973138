within Cranes.BaseClasses;
partial model QuadrotorWithLoad "What the versions of QuadrotorWithLoad with connectors have in common"
  extends Icons.Crane;
  extends Interfaces.OptionalWind(useWind=false);

  parameter Types.Mass m = 5 "Mass of the load";
  parameter Types.Mass m_q = 9.5 "Mass of the vehicle";
  parameter Types.Inertia J = 0.9 "Moment of inertia of the vehicle about the pitch axis";
  parameter Types.Length l = 3 "Length of the rope";
  parameter Types.Acceleration g = 9.81 "Gravity";
  parameter Types.Drag c_d = 0 "Drag of the load per square of speed; 0 switches it off";
  parameter Types.Drag c_q = 0 "Drag of the vehicle per square of speed; 0 switches it off";
  parameter Types.Velocity w_x = 0 "Wind speed";
  parameter Types.Position x_start = 0 "Start value of x";
  parameter Types.Position z_start = 0 "Start value of z";
  parameter Types.Angle theta_start = 0 "Start value of theta";
  parameter Types.Angle phi_start = 0 "Start value of phi";
  parameter Types.Velocity v_x_start = 0 "Start value of v_x";
  parameter Types.Velocity v_z_start = 0 "Start value of v_z";
  parameter Types.AngularVelocity v_theta_start = 0 "Start value of v_theta";
  parameter Types.AngularVelocity v_phi_start = 0 "Start value of v_phi";

  Interfaces.ForceInput F_wind_x(start=0) if useWind "Wind force on the load, horizontal"
    annotation (Placement(transformation(extent={{-10,-10},{10,10}}, rotation=90, origin={-30,-110})));
  Interfaces.ForceInput F_wind_z(start=0) if useWind "Wind force on the load, vertical"
    annotation (Placement(transformation(extent={{-10,-10},{10,10}}, rotation=90, origin={30,-110})));

  Interfaces.RealOutput x(final quantity="Length", final unit="m")
    "Load, horizontal"
    annotation (Placement(transformation(extent={{100,76},{108,84}})));
  Interfaces.RealOutput z(final quantity="Length", final unit="m")
    "Load, vertical"
    annotation (Placement(transformation(extent={{100,64},{108,72}})));
  Interfaces.RealOutput theta(final quantity="Angle", final unit="rad", displayUnit="deg")
    "Swing angle of the rope, zero for a vertical one, positive towards positive x"
    annotation (Placement(transformation(extent={{100,51},{108,59}})));
  Interfaces.RealOutput phi(final quantity="Angle", final unit="rad", displayUnit="deg")
    "Pitch, positive tilts the thrust towards positive x"
    annotation (Placement(transformation(extent={{100,39},{108,47}})));
  Interfaces.RealOutput v_x(final quantity="Velocity", final unit="m/s")
    "Velocity of the load, horizontal"
    annotation (Placement(transformation(extent={{100,27},{108,35}})));
  Interfaces.RealOutput v_z(final quantity="Velocity", final unit="m/s")
    "Velocity of the load, vertical"
    annotation (Placement(transformation(extent={{100,14},{108,22}})));
  Interfaces.RealOutput v_theta(final quantity="AngularVelocity", final unit="rad/s")
    "Angular velocity of the rope"
    annotation (Placement(transformation(extent={{100,2},{108,10}})));
  Interfaces.RealOutput v_phi(final quantity="AngularVelocity", final unit="rad/s")
    "Angular velocity of the vehicle"
    annotation (Placement(transformation(extent={{100,-10},{108,-2}})));
  Interfaces.RealOutput x_q(final quantity="Length", final unit="m")
    "Vehicle, horizontal"
    annotation (Placement(transformation(extent={{100,-22},{108,-14}})));
  Interfaces.RealOutput z_q(final quantity="Length", final unit="m")
    "Vehicle, vertical"
    annotation (Placement(transformation(extent={{100,-35},{108,-27}})));
  Interfaces.RealOutput v_x_q(final quantity="Velocity", final unit="m/s")
    "Velocity of the vehicle, horizontal"
    annotation (Placement(transformation(extent={{100,-47},{108,-39}})));
  Interfaces.RealOutput v_z_q(final quantity="Velocity", final unit="m/s")
    "Velocity of the vehicle, vertical"
    annotation (Placement(transformation(extent={{100,-59},{108,-51}})));
  Interfaces.RealOutput T_cable(final quantity="Force", final unit="N")
    "Force in the rope, positive pulls"
    annotation (Placement(transformation(extent={{100,-72},{108,-64}})));
  Interfaces.RealOutput energy(final quantity="Energy", final unit="J")
    "Kinetic and potential energy, the latter zero at z = 0"
    annotation (Placement(transformation(extent={{100,-84},{108,-76}})));

  Cranes.QuadrotorWithLoad crane(final useWind=useWind, m=m, m_q=m_q, J=J, l=l, g=g, c_d=c_d,
      c_q=c_q, w_x=w_x, x_start=x_start, z_start=z_start, theta_start=theta_start,
      phi_start=phi_start, v_x_start=v_x_start, v_z_start=v_z_start, v_theta_start=v_theta_start,
      v_phi_start=v_phi_start)
    "The crane: its equations"
    annotation (Placement(transformation(extent={{-30,-30},{30,30}})));
equation
  connect(F_wind_x, crane.F_wind_x)
    annotation (Line(points={{-30,-110},{-30,-60},{-10,-60},{-10,-30}}, color={0,0,127}));
  connect(F_wind_z, crane.F_wind_z)
    annotation (Line(points={{30,-110},{30,-60},{10,-60},{10,-30}}, color={0,0,127}));
  x = crane.x;
  z = crane.z;
  theta = crane.theta;
  phi = crane.phi;
  v_x = crane.v_x;
  v_z = crane.v_z;
  v_theta = crane.v_theta;
  v_phi = crane.v_phi;
  x_q = crane.x_q;
  z_q = crane.z_q;
  v_x_q = crane.v_x_q;
  v_z_q = crane.v_z_q;
  T_cable = crane.T_cable;
  energy = crane.energy;
  annotation (Documentation(info="<html>
<p>What <a href=\"modelica://Cranes.Blocks.QuadrotorWithLoad\">Blocks.QuadrotorWithLoad</a> have in
common; the equations are those of
<a href=\"modelica://Cranes.QuadrotorWithLoad\">Cranes.QuadrotorWithLoad</a>.</p>
</html>"));
end QuadrotorWithLoad;
