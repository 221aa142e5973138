package PartsCrane "A crane of parts"
  model Slide "A mass on a rail"
    parameter Real m(unit="kg", min=0) = 600 "Mass";
    input Real f(unit="N") "Force";
    Real s(unit="m", start=0, fixed=true) "Place";
    Real v(unit="m/s", start=0, fixed=true) "Speed";
  equation
    der(s) = v;
    m*der(v) = f;
  end Slide;

  model Bridge "Trolley and winch from parts, load on a rope"
    parameter Real m(unit="kg", min=0) = 2000 "Mass of the load";
    constant Real g = 9.81;
    input Real u[2](each unit="N", start={0, -2000*9.81}) "Drives";
    Slide trolley;
    Slide winch(m=50, s(start=6));
    Real phi(unit="rad", start=0, fixed=true) "Swing";
    Real w(unit="rad/s", start=0, fixed=true) "Swing's speed";
    Real r[2](each unit="m") "Load";
    Real S(unit="N") "Rope";
  equation
    der(phi) = w;
    r = {trolley.s + winch.s*sin(phi), -winch.s*cos(phi)};
    trolley.f = u[1] + S*sin(phi);
    winch.f = u[2] + S;
    m*(der(winch.v) + der(trolley.v)*sin(phi) - winch.s*w^2) = m*g*cos(phi) - S;
    winch.s*der(w) + 2*winch.v*w + der(trolley.v)*cos(phi) = -g*sin(phi);
  end Bridge;
end PartsCrane;
