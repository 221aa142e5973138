model ShipCrane "Overhead crane on a ship, in coordinates of its deck: swing angle, apparent forces"
  parameter Real m(unit="kg") = 5000 "Mass of the load";
  parameter Real m_t(unit="kg") = 1000 "Mass of the trolley";
  parameter Real J(unit="kg.m2") = 20 "Moment of inertia of the winch";
  parameter Real r(unit="m") = 0.3 "Radius of the winch";
  parameter Real h(unit="m") = 15 "Height of the rail above the deck";
  parameter Real g(unit="m/s2") = 9.81 "Gravity";

  parameter Real s_start(unit="m") = 0 "Start value of s";
  parameter Real l_start(unit="m") = 12 "Start value of l";
  parameter Real theta_start(unit="rad") = 0 "Start value of theta";
  parameter Real v_s_start(unit="m/s") = 0 "Start value of v_s";
  parameter Real v_l_start(unit="m/s") = 0 "Start value of v_l";
  parameter Real v_theta_start(unit="rad/s") = 0 "Start value of v_theta";
  parameter Real sway_start(unit="m") = 0 "Start value of sway";
  parameter Real heave_start(unit="m") = 0 "Start value of heave";
  parameter Real pitch_start(unit="rad") = 0 "Start value of pitch";
  parameter Real v_sway_start(unit="m/s") = 0 "Start value of v_sway";
  parameter Real v_heave_start(unit="m/s") = 0 "Start value of v_heave";
  parameter Real v_pitch_start(unit="rad/s") = 0 "Start value of v_pitch";

  input Real F_t(unit="N", start=0) "Force on the trolley";
  input Real M_w(unit="N.m", start=-m*g*r) "Torque on the winch, positive pays rope out";
  input Real a_sway(unit="m/s2", start=0) "Acceleration of the deck along x";
  input Real a_heave(unit="m/s2", start=0) "Acceleration of the deck up";
  input Real a_pitch(unit="rad/s2", start=0) "Angular acceleration of the deck";

  output Real x(unit="m") "Load in the world, horizontal";
  output Real z(unit="m") "Load in the world, up";
  output Real s(unit="m", start=s_start, fixed=true) "Trolley on its rail";
  output Real l(unit="m", start=l_start, fixed=true) "Length of the rope";
  output Real v_s(unit="m/s", start=v_s_start, fixed=true) "Velocity of the trolley";
  output Real v_l(unit="m/s", start=v_l_start, fixed=true) "Velocity of the rope";
  output Real theta(unit="rad", start=theta_start, fixed=true) "Swing angle from the deck's normal";
  output Real v_theta(unit="rad/s", start=v_theta_start, fixed=true) "Angular velocity of swing";
  output Real sway(unit="m", start=sway_start, fixed=true) "Deck along x";
  output Real heave(unit="m", start=heave_start, fixed=true) "Deck up";
  output Real pitch(unit="rad", start=pitch_start, fixed=true) "Deck turned from x towards z";
  output Real v_sway(unit="m/s", start=v_sway_start, fixed=true) "Velocity of the deck along x";
  output Real v_heave(unit="m/s", start=v_heave_start, fixed=true) "Velocity of the deck up";
  output Real v_pitch(unit="rad/s", start=v_pitch_start, fixed=true) "Angular velocity of the deck";
  output Real T_cable(unit="N") "Force in the rope, positive pulls";

protected
  Real xi(unit="m") "Load along the deck";
  Real eta(unit="m") "Load along the deck's normal";
  Real v_xi(unit="m/s") "Rate of xi";
  Real v_eta(unit="m/s") "Rate of eta";
  Real a_xi(unit="m/s2") "Second rate of xi";
  Real a_eta(unit="m/s2") "Second rate of eta";
  Real g_xi(unit="m/s2") "What the deck feels of its acceleration and gravity, along it";
  Real g_eta(unit="m/s2") "The same along its normal";

equation
  der(s) = v_s;
  der(l) = v_l;
  der(theta) = v_theta;
  der(sway) = v_sway;
  der(heave) = v_heave;
  der(pitch) = v_pitch;
  der(v_sway) = a_sway;
  der(v_heave) = a_heave;
  der(v_pitch) = a_pitch;

  xi = s + l*sin(theta);
  eta = h - l*cos(theta);
  v_xi = v_s + v_l*sin(theta) + l*v_theta*cos(theta);
  v_eta = -v_l*cos(theta) + l*v_theta*sin(theta);
  a_xi = der(v_s) + der(v_l)*sin(theta) + 2*v_l*v_theta*cos(theta)
    + l*(der(v_theta)*cos(theta) - v_theta^2*sin(theta));
  a_eta = -der(v_l)*cos(theta) + 2*v_l*v_theta*sin(theta)
    + l*(der(v_theta)*sin(theta) + v_theta^2*cos(theta));
  g_xi = a_sway*cos(pitch) + (a_heave + g)*sin(pitch);
  g_eta = -a_sway*sin(pitch) + (a_heave + g)*cos(pitch);

  // Load, seen from the deck: weight, the deck's acceleration, Euler, centrifugal, Coriolis
  m*(a_xi + g_xi - a_pitch*eta - v_pitch^2*xi - 2*v_pitch*v_eta) = -T_cable*sin(theta);
  m*(a_eta + g_eta + a_pitch*xi - v_pitch^2*eta + 2*v_pitch*v_xi) = T_cable*cos(theta);
  // Drives
  m_t*(der(v_s) + g_xi - a_pitch*h - v_pitch^2*s) = F_t + T_cable*sin(theta);
  J*(der(v_l)/r + a_pitch) = M_w + T_cable*r;

  x = sway + xi*cos(pitch) - eta*sin(pitch);
  z = heave + xi*sin(pitch) + eta*cos(pitch);
end ShipCrane;
