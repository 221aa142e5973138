model WinchCrane "A trolley with a winch and a gear, load on a rope, in plain equations"
  parameter Real m(unit="kg", min=0) = 2000 "Mass of the load";
  parameter Real mt(unit="kg", min=0) = 600 "Mass of the trolley";
  parameter Real J(unit="kg.m2", min=0) = 0.8 "Inertia of the motor";
  parameter Real i = 30 "Gear ratio";
  parameter Real r(unit="m") = 0.25 "Radius of the drum";
  constant Real g = 9.81;
  input Real F(unit="N", start=0) "Force on the trolley";
  input Real M(unit="N.m", start=-2000*9.81*0.25/30) "Torque of the hoist's motor";
  output Real s(unit="m", start=0, fixed=true) "Trolley";
  output Real l(unit="m", start=6, fixed=true) "Length of the rope";
  output Real phi(unit="rad", start=0, fixed=true) "Swing";
  Real vs(start=0, fixed=true), vl(start=0, fixed=true), w(start=0, fixed=true);
  output Real x(unit="m") "Load, horizontal";
  output Real z(unit="m") "Load, up";
  output Real S(unit="N") "Rope";
equation
  der(s) = vs; der(l) = vl; der(phi) = w;
  x = s + l*sin(phi); z = -l*cos(phi);
  mt*der(vs) = F + S*sin(phi);
  J*i^2/r*der(vl) = i*M + S*r;
  // load along and across the rope
  m*(der(vl) + der(vs)*sin(phi) - l*w^2) = m*g*cos(phi) - S;
  l*der(w) + 2*vl*w + der(vs)*cos(phi) = -g*sin(phi);
end WinchCrane;
