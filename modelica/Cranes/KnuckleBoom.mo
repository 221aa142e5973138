within Cranes;
model KnuckleBoom "Loader with main boom, knuckle and two cylinders, load on a rope of fixed length"
  extends Icons.Crane;
  extends Interfaces.SpatialWind;

  parameter Types.Mass m = 1200 "Mass of the load";
  parameter Types.Inertia J_b = 3000 "Moment of inertia of the column about the slewing axis";
  parameter Types.Mass m_1 = 900 "Mass of the main boom, a slender rod";
  parameter Types.Length L_1 = 6 "Length of the main boom, from its pin to that of the knuckle";
  parameter Types.Mass m_2 = 500 "Mass of the knuckle, a slender rod";
  parameter Types.Length L_2 = 4 "Length of the knuckle, from its pin to its tip";
  parameter Types.Length L_r = 3 "Length of the rope, from the knuckle's tip to the load";
  parameter Types.Position z_0 = 2 "Height of the main boom's pin, on the slewing axis";
  parameter Types.Position r_c = 0.6 "Foot of cylinder 1, distance from the slewing axis";
  parameter Types.Position z_c = 0.3 "Foot of cylinder 1, vertical";
  parameter Types.Length d_1 = 2 "Distance from the main boom's pin to where cylinder 1 holds it";
  parameter Types.Length d_2 = 4 "Distance from the main boom's pin to the foot of cylinder 2";
  parameter Types.Length d_3 = 0.8
    "Distance from the knuckle's pin to where cylinder 2 holds it, on its axis behind the pin";
  parameter Types.Acceleration g = 9.81 "Gravity";

  parameter Types.Angle phi_start = 0 "Start value of phi";
  parameter Types.Angle alpha_1_start = 0.8398473895071381 "Start value of alpha_1";
  parameter Types.Angle alpha_2_start = -1.0487726412156393 "Start value of alpha_2";
  parameter Types.Position x_start = 6 "Start value of x: x, y and z give the rope's direction";
  parameter Types.Position y_start = 0 "Start value of y";
  parameter Types.Position z_start = 0 "Start value of z";
  parameter Types.AngularVelocity v_phi_start = 0 "Start value of v_phi";
  parameter Types.AngularVelocity v_alpha_1_start = 0 "Start value of v_alpha_1";
  parameter Types.AngularVelocity v_alpha_2_start = 0 "Start value of v_alpha_2";
  parameter Types.Velocity v_x_start = 0 "Start value of v_x: across the rope, as for x, y and z";
  parameter Types.Velocity v_y_start = 0 "Start value of v_y";
  parameter Types.Velocity v_z_start = 0 "Start value of v_z";

  input Types.Torque M_b(start=0) "Torque on the column";
  input Types.Force F_1(start=116759.45085310984) "Force of cylinder 1, positive extends it";
  input Types.Force F_2(start=-44331.61920495727) "Force of cylinder 2, positive extends it";
  Interfaces.ForceInput F_wind_x(start=0) if useWind "Wind force on the load, along x";
  Interfaces.ForceInput F_wind_y(start=0) if useWind "Wind force on the load, along y";
  Interfaces.ForceInput F_wind_z(start=0) if useWind "Wind force on the load, vertical";

  output Types.Position x "Load";
  output Types.Position y "Load";
  output Types.Position z "Load, vertical";
  output Types.Velocity v_x "Velocity of the load";
  output Types.Velocity v_y "Velocity of the load";
  output Types.Velocity v_z "Velocity of the load, vertical";
  output Types.Angle phi(start=phi_start, fixed=true) "Slewing angle";
  output Types.Angle alpha_1(start=alpha_1_start, fixed=true)
    "Inclination of the main boom above the horizontal";
  output Types.Angle alpha_2(start=alpha_2_start, fixed=true)
    "Inclination of the knuckle above the horizontal, negative if it hangs down";
  output Types.Position c_1 "Length of cylinder 1";
  output Types.Position c_2 "Length of cylinder 2";
  output Types.AngularVelocity v_phi(start=v_phi_start, fixed=true) "Slewing velocity";
  output Types.AngularVelocity v_alpha_1(start=v_alpha_1_start, fixed=true)
    "Angular velocity of alpha_1";
  output Types.AngularVelocity v_alpha_2(start=v_alpha_2_start, fixed=true)
    "Angular velocity of alpha_2";
  output Types.Velocity v_c_1 "Velocity of cylinder 1";
  output Types.Velocity v_c_2 "Velocity of cylinder 2";
  output Types.Angle theta_1(start=atan2(rope_0[1], -rope_0[3]), fixed=true)
    "Swing angle in the booms' plane, positive outwards";
  output Types.Angle theta_2(start=atan2(rope_0[2], across_0), fixed=true)
    "Swing angle out of it, positive with the slewing angle";
  output Types.AngularVelocity v_theta_1(
    start=(rope_0[1]*w_0[3] - rope_0[3]*w_0[1])/across_0^2, fixed=true)
    "Angular velocity of theta_1";
  output Types.AngularVelocity v_theta_2(
    start=(w_0[2] - (rope_0*w_0)*rope_0[2]/(rope_0*rope_0))/across_0, fixed=true)
    "Angular velocity of theta_2";
  output Types.Position x_e "Pin of the knuckle";
  output Types.Position y_e "Pin of the knuckle";
  output Types.Position z_e "Pin of the knuckle, vertical";
  output Types.Position x_t "Tip of the knuckle";
  output Types.Position y_t "Tip of the knuckle";
  output Types.Position z_t "Tip of the knuckle, vertical";
  output Types.Force T_cable "Force in the rope, positive pulls";
  output Types.Energy energy "Kinetic and potential energy, the latter zero at z = 0";
  output Types.AngularMomentum L_z "Angular momentum about the slewing axis";

protected
  // The rope at the start, in the frame of the column
  parameter Types.Position R_0 = L_1*cos(alpha_1_start) + L_2*cos(alpha_2_start)
    "Radius of the tip at the start";
  parameter Types.Position rope_0[3] = {
    x_start*cos(phi_start) + y_start*sin(phi_start) - R_0,
    y_start*cos(phi_start) - x_start*sin(phi_start),
    z_start - z_0 - L_1*sin(alpha_1_start) - L_2*sin(alpha_2_start)} "Rope at the start";
  parameter Types.Velocity w_0[3] = {
    v_x_start*cos(phi_start) + v_y_start*sin(phi_start) + v_phi_start*rope_0[2]
      + L_1*sin(alpha_1_start)*v_alpha_1_start + L_2*sin(alpha_2_start)*v_alpha_2_start,
    v_y_start*cos(phi_start) - v_x_start*sin(phi_start) - v_phi_start*(rope_0[1] + R_0),
    v_z_start - L_1*cos(alpha_1_start)*v_alpha_1_start - L_2*cos(alpha_2_start)*v_alpha_2_start}
    "Its rate in the frame of the column at the start";
  parameter Types.Length across_0 = sqrt(rope_0[1]^2 + rope_0[3]^2)
    "Rope at the start, its part in the booms' plane";

  Types.Angle delta "Inclination of cylinder 1 above the horizontal";
  Types.Position h_1 "Lever of cylinder 1 on the main boom";
  Types.Position h_2 "Lever of cylinder 2 between main boom and knuckle";
  Types.Inertia I "Moment of inertia about the slewing axis, without the load";
  Real d_I_1(unit="kg.m2/rad") "Derivative of I by alpha_1";
  Real d_I_2(unit="kg.m2/rad") "Derivative of I by alpha_2";
  Types.Inertia K "Half of m_2 L_1 L_2";
  Types.Position R "Radius of the tip";
  Types.Force F_wind[3] "Wind force on the load, in the frame of the column";
  Real n[3] "Direction of the rope: outwards, across, up";
  Real n_1[3] "Derivative of n by theta_1";
  Real n_2[3] "Derivative of n by theta_2";
  Real b[3] "What remains of n'' without angular accelerations";
  Types.Position rho[3] "Position of the load, in the frame of the column";
  Types.Velocity w[3] "Velocity of the load relative to the column";
  Types.Velocity v[3] "Velocity of the load, in the frame of the column";
  Types.Acceleration a[3] "Acceleration of the load, in the frame of the column";

equation
  connect(F_wind_x, wind_x);
  connect(F_wind_y, wind_y);
  connect(F_wind_z, wind_z);

  der(phi) = v_phi;
  der(alpha_1) = v_alpha_1;
  der(alpha_2) = v_alpha_2;
  der(theta_1) = v_theta_1;
  der(theta_2) = v_theta_2;

  // Cylinders: third sides of triangles
  c_1 = sqrt((d_1*cos(alpha_1) - r_c)^2 + (z_0 + d_1*sin(alpha_1) - z_c)^2);
  delta = atan2(z_0 + d_1*sin(alpha_1) - z_c, d_1*cos(alpha_1) - r_c);
  h_1 = d_1*sin(delta - alpha_1);
  c_2 = sqrt((L_1 - d_2)^2 + d_3^2 - 2*(L_1 - d_2)*d_3*cos(alpha_1 - alpha_2));
  h_2 = (L_1 - d_2)*d_3*sin(alpha_1 - alpha_2)/c_2;
  v_c_1 = h_1*v_alpha_1;
  v_c_2 = h_2*(v_alpha_1 - v_alpha_2);

  // Moment of inertia of both booms about the slewing axis
  I = J_b + m_1*L_1^2*cos(alpha_1)^2/3 + m_2*(L_1^2*cos(alpha_1)^2
    + L_1*L_2*cos(alpha_1)*cos(alpha_2) + L_2^2*cos(alpha_2)^2/3);
  d_I_1 = -2*(m_1/3 + m_2)*L_1^2*cos(alpha_1)*sin(alpha_1)
    - m_2*L_1*L_2*sin(alpha_1)*cos(alpha_2);
  d_I_2 = -m_2*(L_1*L_2*cos(alpha_1)*sin(alpha_2) + 2*L_2^2*cos(alpha_2)*sin(alpha_2)/3);
  K = m_2*L_1*L_2/2;

  // Direction of the rope and its derivatives
  n = {sin(theta_1)*cos(theta_2), sin(theta_2), -cos(theta_1)*cos(theta_2)};
  n_1 = {cos(theta_1)*cos(theta_2), 0, sin(theta_1)*cos(theta_2)};
  n_2 = {-sin(theta_1)*sin(theta_2), cos(theta_2), cos(theta_1)*sin(theta_2)};
  b = {-(v_theta_1^2 + v_theta_2^2)*sin(theta_1)*cos(theta_2)
      - 2*v_theta_1*v_theta_2*cos(theta_1)*sin(theta_2),
    -v_theta_2^2*sin(theta_2),
    (v_theta_1^2 + v_theta_2^2)*cos(theta_1)*cos(theta_2)
      - 2*v_theta_1*v_theta_2*sin(theta_1)*sin(theta_2)};

  // Kinematics of the load in the frame that slews
  R = L_1*cos(alpha_1) + L_2*cos(alpha_2);
  rho = {R, 0, z_0 + L_1*sin(alpha_1) + L_2*sin(alpha_2)} + L_r*n;
  w = {-L_1*sin(alpha_1)*v_alpha_1 - L_2*sin(alpha_2)*v_alpha_2, 0,
      L_1*cos(alpha_1)*v_alpha_1 + L_2*cos(alpha_2)*v_alpha_2}
    + L_r*(n_1*v_theta_1 + n_2*v_theta_2);
  v = w + v_phi*{-rho[2], rho[1], 0};
  a = {-L_1*(sin(alpha_1)*der(v_alpha_1) + cos(alpha_1)*v_alpha_1^2)
        - L_2*(sin(alpha_2)*der(v_alpha_2) + cos(alpha_2)*v_alpha_2^2), 0,
      L_1*(cos(alpha_1)*der(v_alpha_1) - sin(alpha_1)*v_alpha_1^2)
        + L_2*(cos(alpha_2)*der(v_alpha_2) - sin(alpha_2)*v_alpha_2^2)}
    + L_r*(n_1*der(v_theta_1) + n_2*der(v_theta_2) + b)
    + der(v_phi)*{-rho[2], rho[1], 0} + 2*v_phi*{-w[2], w[1], 0} - v_phi^2*{rho[1], rho[2], 0};

  // Newton's law for the load; column, main boom, knuckle
  F_wind = {wind_x*cos(phi) + wind_y*sin(phi), wind_y*cos(phi) - wind_x*sin(phi), wind_z};
  m*a = {0, 0, -m*g} - T_cable*n + F_wind;
  I*der(v_phi) + (d_I_1*v_alpha_1 + d_I_2*v_alpha_2)*v_phi = M_b + R*T_cable*n[2];
  (m_1/3 + m_2)*L_1^2*der(v_alpha_1) + K*cos(alpha_1 - alpha_2)*der(v_alpha_2)
      + K*sin(alpha_1 - alpha_2)*v_alpha_2^2 - d_I_1*v_phi^2/2
    = h_1*F_1 + h_2*F_2 - g*(m_1/2 + m_2)*L_1*cos(alpha_1)
      + T_cable*L_1*(n[3]*cos(alpha_1) - n[1]*sin(alpha_1));
  K*cos(alpha_1 - alpha_2)*der(v_alpha_1) + m_2*L_2^2/3*der(v_alpha_2)
      - K*sin(alpha_1 - alpha_2)*v_alpha_1^2 - d_I_2*v_phi^2/2
    = -h_2*F_2 - g*m_2*L_2*cos(alpha_2)/2
      + T_cable*L_2*(n[3]*cos(alpha_2) - n[1]*sin(alpha_2));

  x = rho[1]*cos(phi) - rho[2]*sin(phi);
  y = rho[1]*sin(phi) + rho[2]*cos(phi);
  z = rho[3];
  v_x = v[1]*cos(phi) - v[2]*sin(phi);
  v_y = v[1]*sin(phi) + v[2]*cos(phi);
  v_z = v[3];
  x_e = L_1*cos(alpha_1)*cos(phi);
  y_e = L_1*cos(alpha_1)*sin(phi);
  z_e = z_0 + L_1*sin(alpha_1);
  x_t = R*cos(phi);
  y_t = R*sin(phi);
  z_t = z_e + L_2*sin(alpha_2);
  energy = I*v_phi^2/2 + (m_1/3 + m_2)*L_1^2*v_alpha_1^2/2 + m_2*L_2^2*v_alpha_2^2/6
    + K*cos(alpha_1 - alpha_2)*v_alpha_1*v_alpha_2 + m*(v*v)/2
    + g*(m_1*(z_0 + z_e)/2 + m_2*(z_e + z_t)/2 + m*z);
  L_z = I*v_phi + m*(rho[1]*v[2] - rho[2]*v[1]);

  annotation (
    experiment(StartTime=0, StopTime=20, Tolerance=1e-9),
    Documentation(info="<html>
<p>A column (<code>J_b</code>) slews about a vertical axis. The main boom, a slender rod
(<code>m_1</code>, <code>L_1</code>), turns about a pin on the axis at the height <code>z_0</code>; the
knuckle, a slender rod (<code>m_2</code>, <code>L_2</code>), about a pin at the main boom's tip. Massless
cylinders move them: cylinder 1 from <code>(r_c, z_c)</code> to <code>d_1</code> on the main boom,
cylinder 2 from <code>d_2</code> on the main boom to <code>d_3</code> behind the knuckle's pin, on its
axis. The load <code>m</code> hangs from the tip on a rope of the fixed length <code>L_r</code>. Five
degrees of freedom, three drives. Coordinates: <code>phi</code>, the inclinations of both booms and two
swing angles.</p>
<p>The cylinders are third sides of triangles. With the inclination <code>delta</code> of cylinder 1
and <code>k = L_1 - d_2</code></p>
<pre>c_1 (cos(delta), sin(delta)) = d_1 (cos(alpha_1), sin(alpha_1)) + (0, z_0) - (r_c, z_c)
h_1 = dc_1/dalpha_1 = d_1 sin(delta - alpha_1)
c_2 = sqrt(k^2 + d_3^2 - 2 k d_3 cos(alpha_1 - alpha_2))
h_2 = dc_2/dalpha_1 = -dc_2/dalpha_2 = k d_3 sin(alpha_1 - alpha_2)/c_2</pre>
<p>In the frame of the column (outwards, across, up) the rope has the direction
<code>n = (sin(theta_1) cos(theta_2), sin(theta_2), -cos(theta_1) cos(theta_2))</code>, the load the
acceleration <code>a</code>. With the radius <code>R = L_1 cos(alpha_1) + L_2 cos(alpha_2)</code> of the
tip, <code>K = m_2 L_1 L_2/2</code> and <code>psi = alpha_1 - alpha_2</code></p>
<pre>m a                   = F_wind - m g e_3 - T n
I phi'' + I' phi'     = M_b + R T n_2
(m_1/3 + m_2) L_1^2 alpha_1'' + K (cos(psi) alpha_2'' + sin(psi) alpha_2'^2) - dI/dalpha_1 phi'^2/2
                      = h_1 F_1 + h_2 F_2 - g (m_1/2 + m_2) L_1 cos(alpha_1)
                        + T L_1 (n_3 cos(alpha_1) - n_1 sin(alpha_1))
m_2 L_2^2/3 alpha_2'' + K (cos(psi) alpha_1'' - sin(psi) alpha_1'^2) - dI/dalpha_2 phi'^2/2
                      = -h_2 F_2 - g m_2 L_2/2 cos(alpha_2)
                        + T L_2 (n_3 cos(alpha_2) - n_1 sin(alpha_2))
I = J_b + m_1 L_1^2 cos(alpha_1)^2/3
    + m_2 (L_1^2 cos(alpha_1)^2 + L_1 L_2 cos(alpha_1) cos(alpha_2) + L_2^2 cos(alpha_2)^2/3)</pre>
<p>The start values <code>x_start, y_start, z_start</code> of the load give the direction of the rope; its
length is <code>L_r</code>. Their default is a load at rest under the tip.</p>
<p>Equilibrium at rest: <code>M_b = 0</code>, <code>F_2 = -g (m + m_2/2) L_2 cos(alpha_2)/h_2</code>,
<code>F_1 = g ((m + m_2 + m_1/2) L_1 cos(alpha_1) + (m + m_2/2) L_2 cos(alpha_2))/h_1</code>
(116 759 N and -44 332 N at the default start). A cylinder 2 that holds a knuckle of this kind pulls. The
equations are regular while no cylinder is in line with its boom and the rope does not lie across. Booms
that are held by forces alone are not stable.</p>
</html>"));
end KnuckleBoom;
