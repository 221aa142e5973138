model WinchCraneByLagrange "The crane of WinchCrane.mo by Lagrange's equations: no force of the rope in them"
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
  // T = (mt*vs^2 + J*(i/r)^2*vl^2 + m*(x'^2 + z'^2))/2, V = m*g*z
  (mt + m)*der(vs) + m*sin(phi)*der(vl) + m*l*cos(phi)*der(w)
    + 2*m*cos(phi)*vl*w - m*l*sin(phi)*w^2 = F;
  (m + J*(i/r)^2)*der(vl) + m*sin(phi)*der(vs) - m*l*w^2 - m*g*cos(phi) = M*i/r;
  m*l^2*der(w) + m*l*cos(phi)*der(vs) + 2*m*l*vl*w + m*g*l*sin(phi) = 0;
  x = s + l*sin(phi);
  z = -l*cos(phi);
  S = J*i^2/r^2*der(vl) - M*i/r "what the drum does not take is the rope's";
end WinchCraneByLagrange;
