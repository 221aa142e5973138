model Mast "Trolley with a hinged rigid mast, by Newton's and Euler's laws with the force of the hinge"
  parameter Real m_t(unit="kg") = 200 "Mass of the trolley";
  parameter Real m(unit="kg") = 300 "Mass of the mast";
  parameter Real L(unit="m") = 4 "Length of the mast";
  parameter Real a(unit="m") = 4 "Distance of the led point from the hinge";
  parameter Real k(unit="N.m.s/rad") = 50 "Friction of the hinge";
  parameter Real g(unit="m/s2") = 9.81 "Gravity";

  parameter Real s_start(unit="m") = 0 "Start value of s";
  parameter Real phi_start(unit="rad") = 0 "Start value of phi";
  parameter Real v_s_start(unit="m/s") = 0 "Start value of v_s";
  parameter Real v_phi_start(unit="rad/s") = 0 "Start value of v_phi";

  input Real F(unit="N", start=0) "Force on the trolley";

  output Real y(unit="m") "Led point, horizontal";
  output Real s(unit="m", start=s_start, fixed=true) "Position of the trolley";
  output Real phi(unit="rad", start=phi_start, fixed=true) "Angle of the mast from hanging down";
  output Real v_s(unit="m/s", start=v_s_start, fixed=true) "Velocity of the trolley";
  output Real v_phi(unit="rad/s", start=v_phi_start, fixed=true) "Angular velocity of the mast";

  Real H(unit="N") "Force of the hinge on the mast, horizontal";
  Real V(unit="N") "Force of the hinge on the mast, up";

equation
  der(s) = v_s;
  der(phi) = v_phi;

  // Centre of mass at s + L/2 sin(phi), -L/2 cos(phi)
  m*(der(v_s) + L/2*(der(v_phi)*cos(phi) - v_phi^2*sin(phi))) = H;
  m*L/2*(der(v_phi)*sin(phi) + v_phi^2*cos(phi)) = V - m*g;
  m*L^2/12*der(v_phi) = -L/2*sin(phi)*V - L/2*cos(phi)*H - k*v_phi;
  m_t*der(v_s) = F - H;

  y = s + a*sin(phi);
end Mast;
