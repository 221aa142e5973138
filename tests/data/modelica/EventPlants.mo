package EventPlants "Plants with events whose times are known in closed form"
  partial model Noting "Notes the times of its last eight events, the latest first"
    Boolean happens "Becomes true at an event that is to be noted";
    discrete Integer count(start = 0, fixed = true) "Events so far";
    discrete Real e[8](each start = 0, each fixed = true, each unit = "s") "Times";
  equation
    when happens then
      count = pre(count) + 1;
      e = {time, pre(e[1]), pre(e[2]), pre(e[3]), pre(e[4]), pre(e[5]), pre(e[6]), pre(e[7])};
    end when;
  end Noting;

  model Ball "Ball on a floor: the height is an event indicator, the velocity jumps"
    extends Noting;
    parameter Real k = 0.7 "Part of the velocity that is left";
    Real h(start = 1, fixed = true, unit = "m");
    Real v(start = 0, fixed = true, unit = "m/s");
  equation
    der(h) = v;
    der(v) = -9.81;
    happens = h <= 0;
    when h <= 0 then
      reinit(v, k*abs(v));
    end when;
  end Ball;

  model BallReset "The same ball, put on the floor where it meets it"
    extends Noting;
    parameter Real k = 0.7;
    Real h(start = 1, fixed = true, unit = "m");
    Real v(start = 0, fixed = true, unit = "m/s");
  equation
    der(h) = v;
    der(v) = -9.81;
    happens = h < 0;
    when happens then
      reinit(h, 0);
      reinit(v, -k*pre(v));
    end when;
  end BallReset;

  model TwoBalls "Two balls that meet the floor at the same time"
    Ball a, b;
  end TwoBalls;

  model KickedBall "Ball that is kicked at times"
    extends Noting;
    Real h(start = 1, fixed = true), v(start = 0, fixed = true);
    discrete Real next(start = 0.25, fixed = true);
  equation
    der(h) = v;
    der(v) = -9.81;
    happens = h <= 0;
    when {h <= 0, time >= pre(next)} then
      reinit(v, if time >= pre(next) then v + 3 else -0.7*v);
    end when;
    when time >= pre(next) then
      next = if pre(next) < 0.7 then pre(next) + 0.25 else 1e3;
    end when;
  end KickedBall;

  model Thermostat "Heater with hysteresis"
    extends Noting;
    Real T(start = 0, fixed = true);
    output Boolean on(start = true, fixed = true);
  equation
    on = pre(on) and T < 22 or T < 18;
    der(T) = (if on then 34 else 10) - T;
    happens = change(on);
  end Thermostat;

  model Relay "Goes up or down as an input says"
    extends Noting;
    input Real u(start = 0);
    Real x(start = 0, fixed = true);
    Boolean up = u > 0.5;
  equation
    der(x) = if u > 0.5 then 1 else -1;
    happens = change(up);
  end Relay;

  model Stair "Rises at equal times"
    Real x(start = 0, fixed = true);
    discrete output Real y(start = 0, fixed = true);
    discrete Real last(start = 0);
  equation
    der(x) = y;
    when sample(0.1, 0.1) then
      y = pre(y) + 1;
      last = time;
    end when;
  end Stair;

  model Steps "Stair without states"
    parameter Real T = 0.3;
    output Integer n(start = 0, fixed = true);
    output Boolean late = time > 2*T;
    output Real y = if time >= T then 1 else 0;
  equation
    when sample(0, 0.25) then
      n = pre(n) + 1;
    end when;
  end Steps;

  model Limit "Ends the simulation and checks itself"
    parameter Real top = 1;
    parameter Real much = 100;
    Real x(start = 0, fixed = true);
  equation
    der(x) = 1;
    when x > top then
      terminate("x is at its top");
    end when;
    assert(x < much, "x is much too large");
    assert(x < 0.25, "x is large", AssertionLevel.warning);
  end Limit;

  model Branches "Of when and elsewhen the first acts"
    Real x(start = 0, fixed = true), v(start = 1, fixed = true), w(start = 1, fixed = true);
    discrete Integer which(start = 0, fixed = true);
  equation
    der(x) = 1;
    der(v) = 0;
    der(w) = 0;
    when x > 1 then
      which = 1;
      reinit(v, 5);
    elsewhen x > 1 or x < -1 then
      which = 2;
      reinit(w, 5);
    end when;
  end Branches;

  model Friction "Mass on a belt: sticks, slips, sticks"
    parameter Real m = 1, c = 10, F = 1.5, belt = 0.1, slide = 1;
    Real x(start = 0, fixed = true), v(start = 0.1, fixed = true), f;
    Integer mode(start = 0, fixed = true) "0 sticks, 1 slips back";
  equation
    der(x) = v;
    m*der(v) = f - c*x;
    f = if mode == 0 then c*x else slide;
    when c*x > F then
      mode = 1;
    elsewhen v > belt then
      mode = 0;
      reinit(v, belt);
    end when;
  end Friction;

  model Latch "Its output decides about itself"
    extends Noting;
    Real x(start = 0, fixed = true);
    output Real y;
    Boolean up = y > 1 - x;
  equation
    der(x) = if time < 1.5 then 1 else -1;
    y = if y > 1 - x then 2 else 0;
    happens = change(up);
  end Latch;

  model Free "No events, though it switches"
    Real x(start = -1, fixed = true);
    output Real y, z;
  equation
    der(x) = 1;
    y = noEvent(if x > 0 then x else 0) + abs(x) + sign(x) + max(x, 0) + min(x, 0);
    z = smooth(0, if x > 0 then x else 0);
  end Free;

  model Rounded "Functions that round make events"
    Real x(start = 0, fixed = true), q(start = 0, fixed = true);
    output Real r = rem(-x, 2), d = div(-x, 2);
    output Integer up = integer(ceil(x));
  equation
    der(x) = 1;
    der(q) = floor(x) + mod(x, 0.5);
  end Rounded;

  model Typed "Inputs, outputs and variables of all types"
    type Gear = enumeration(low, high);
    input Integer i;
    input Boolean b;
    output Integer twice = 2*i;
    output Boolean other = not b;
    Gear gear = if b then Gear.high else Gear.low;
    Real x(start = 0, fixed = true);
  equation
    der(x) = i;
  end Typed;

  model Endless "Its event never ends"
    Boolean a(start = false, fixed = true);
    Real x(start = 0, fixed = true);
  equation
    a = if x > 1 then not pre(a) else pre(a);
    der(x) = 1;
  end Endless;

  model Chatter "Switches without end"
    Real x(start = 1, fixed = true);
  equation
    der(x) = if x > 0 then -1 else 1;
  end Chatter;
end EventPlants;
