package StickingParts "The elastoplastic element by itself: benchmarks A1 and A2"
  model Oscillator "A mass on the element, pushed by a hat of force"
    parameter Real m = 100;
    parameter Real E = 2e4;
    parameter Real F_max = 100;
    input Real F(start=0);
    output Real q(start=0, fixed=true);
    output Real v(start=0, fixed=true);
    output Real q_p;
    output Real heat;
    output Real force;
    output Real mode;
    Cranes.Parts.ElastoplasticFriction friction(E=E, limit=F_max, rate=v, acceleration=der(v));
  equation
    der(q) = v;
    m*der(v) = F - friction.force;
    q_p = q - friction.strain;
    heat = friction.heat;
    force = friction.force;
    mode = friction.mode;
  end Oscillator;

  model Pendulum "A rod hinged at its end, with the element at the hinge"
    parameter Real M = 50;
    parameter Real J = 1.0521;
    parameter Real c = 0.25;
    parameter Real g = 9.81;
    parameter Real E = 5e4;
    parameter Real M_max = 45;
    parameter Real theta_start = 1.5707963267948966;
    output Real theta(start=theta_start, fixed=true);
    output Real omega(start=0, fixed=true);
    output Real heat;
    output Real mode;
    Cranes.Parts.ElastoplasticFriction friction(
      E=E, limit=M_max, rate=omega, acceleration=der(omega));
  equation
    der(theta) = omega;
    (J + M*c^2)*der(omega) = -M*g*c*sin(theta) - friction.force;
    heat = friction.heat;
    mode = friction.mode;
  end Pendulum;

  model LuGreCrane "Overhead crane whose trolley has LuGre friction"
    parameter Real m_t = 10;
    parameter Real m = 100;
    parameter Real J = 0.1;
    parameter Real r = 0.1;
    parameter Real g = 9.81;
    parameter Real sigma_0 = 2e4 "Stiffness of the bristles";
    parameter Real sigma_1 = 0 "Their damping";
    parameter Real F_max = 50;
    parameter Real s_start = 0;
    parameter Real l_start = 4;
    parameter Real theta_start = 0;
    input Real F_t(start=0);
    input Real M_w(start=-m*g*r);
    output Real x = crane.x;
    output Real z = crane.z;
    output Real s = crane.s;
    output Real l = crane.l;
    output Real T_cable = crane.T_cable;
    output Real F_friction = sigma_0*bristle + sigma_1*der(bristle);
    Real bristle(start=0, fixed=true) "Deflection of the bristles";
    Cranes.OverheadCrane crane(useWind=false, m_t=m_t, m=m, J=J, r=r, g=g, s_start=s_start,
      l_start=l_start, theta_start=theta_start);
  equation
    der(bristle) = crane.v_s - sigma_0*abs(crane.v_s)/F_max*bristle;
    crane.F_t = F_t - F_friction;
    crane.M_w = M_w;
  end LuGreCrane;
end StickingParts;
