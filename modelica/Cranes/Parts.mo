within Cranes;
package Parts "Parts of real machines: one-sided springs, friction that sticks, drives with a speed loop"
  block OneSidedSpring
    "Spring and damper that act in one direction only: a rope that pulls, a buffer that pushes"
    input Types.Stiffness k "Stiffness; that of a rope depends on its length";
    input Types.Damping d "Damping";
    input Types.Position deflection "Deflection; the spring is free where it is not positive";
    input Types.Velocity v "Time derivative of the deflection";
    output Types.Force force "Force against the deflection, never negative";
    output Types.Energy energy "Energy in the spring";
    Boolean touches(start=false, fixed=true) "The spring is deflected";
    Boolean acts(start=false, fixed=true)
      "It is deflected, and the damper does not pull back more than the spring pushes";
  protected
    constant Types.Position hysteresis = 1e-12 "Keeps rounding from switching to and fro";
  equation
    touches = deflection > (if pre(touches) then 0 else hysteresis);
    acts = touches and k*deflection + d*v > (if pre(acts) then 0 else k*hysteresis);
    force = if acts then k*deflection + d*v else 0;
    energy = if touches then k*deflection^2/2 else 0;
    annotation (Documentation(info="<html>
<p>Without damping the force is continuous. With damping it begins with <code>d v</code>, and ends
where spring and damper balance, before the deflection is zero: neither a rope nor a buffer can act
the other way. It begins to act at a deflection of 1e-12 m, not at zero: a deflection is the difference
of lengths of some metres, which are rounded to 1e-15 m.</p>
</html>"));
  end OneSidedSpring;

  block Friction "Viscous and Coulomb friction of a drive, smoothed or with a state that sticks"
    parameter Real d = 0 "Viscous friction";
    parameter Real slide = 0 "Coulomb friction while it slides";
    parameter Real stick = 0 "Largest friction while it sticks; 0: it never sticks, and is smoothed";
    parameter Real smooth_rate = 0.01 "Velocity that smooths the friction that never sticks";
    input Real rate "Velocity of the drive";
    input Real push "Force on the drive without friction";
    output Real net "Force that accelerates the drive";
    discrete output Integer mode(start=0, fixed=true) "1 slides forward, -1 backward, 0 sticks";
    output Boolean stops "Its velocity has just changed its sign: the crane sets it to zero";
  protected
    constant Real least = 1e-9 "Static friction below this fades out";
    Real sticks "1 if it can stick, 0 if not";
    Boolean forward "Moves forward";
    Boolean backward "Moves backward";
    Real strain "What a drive at rest has to bear; 0 while it slides";
  equation
    assert(stick <= 0 or stick >= slide, "static friction is smaller than sliding friction");
    // No if-expression: tools evaluate it at translation, and stick could not be changed. With the
    // factor there are no events where nothing can stick.
    sticks = min(1, stick/least);
    forward = sticks*rate > 0;
    backward = sticks*rate < 0;
    stops = pre(mode) == 1 and backward or pre(mode) == -1 and forward;
    strain = if pre(mode) == 0 then sticks*push else 0;
    mode = if stops then 0
      elseif pre(mode) <> 0 then pre(mode)
      elseif forward then 1
      elseif backward then -1
      elseif strain > stick then 1
      elseif strain < -stick then -1
      else 0;
    net = sticks*(if mode == 0 then 0 else push - d*rate - slide*mode)
      + (1 - sticks)*(push - d*rate - slide*tanh(rate/smooth_rate));
    annotation (Documentation(info="<html>
<p>With <code>stick = 0</code> the friction is <code>d v + slide tanh(v/smooth_rate)</code>: no
events, but a drive creeps under any force.</p>
<p>With <code>stick &gt; 0</code> the drive has three modes. It slides against
<code>d v + slide</code> until its velocity is zero; there it sticks, exactly at rest, while the force
is not larger than <code>stick</code>, and otherwise it slides on in the direction of the force.</p>
</html>"));
  end Friction;

  block ElastoplasticFriction
    "Friction that is a spring until it slides: presliding, Coulomb, Stribeck, viscous"
    parameter Real E = 1e6 "Stiffness of the spring";
    parameter Real limit = 0 "Coulomb friction, the most it holds; 0: there is none";
    parameter Real static = 0 "Limit at rest; not above the limit: that is constant";
    parameter Real stribeck_rate = 0.01 "Velocity over which the limit falls from the static one";
    parameter Real d = 0 "Viscous friction";
    parameter Real start = 0 "Force in the spring at the start";
    input Real rate "Velocity of the drive";
    input Real acceleration "Acceleration of the drive";
    output Real force "Force against the drive";
    output Real strain(start=start/E, fixed=true) "Strain of the spring";
    output Real heat(start=0, fixed=true) "Energy that became heat";
    output Real energy "Energy in the spring";
    discrete output Integer mode(start=0, fixed=true) "1 slides forward, -1 backward, 0 sticks";
    output Boolean sticks "It has just stopped sliding";
  protected
    constant Real least = 1e-9 "A limit below this fades out";
    constant Real hysteresis = 1e-12 "Keeps rounding from switching to and fro";
    Real on "1 if there is a limit, 0 if not";
    Real more "How far the limit is above Coulomb's";
    Real level "The limit";
    Real level_rate "Its time derivative";
    Real spring "Force of the spring, or of what slides";
    Boolean forward "The spring holds no more, forward";
    Boolean backward "The spring holds no more, backward";
  equation
    assert(limit <= 0 or E > 0, "the spring has no stiffness");
    assert(abs(start) <= max(limit, static), "the spring does not hold its force at the start");
    // No if-expression: tools evaluate it at translation, and limit could not be changed. With the
    // factor there are no events where there is no limit.
    on = min(1, limit/least);
    more = max(static - limit, 0)*exp(-(rate/stribeck_rate)^2);
    level = limit + more;
    level_rate = -2*more*rate*acceleration/stribeck_rate^2;
    forward = on*(E*strain - level*(1 + hysteresis)) > 0;
    backward = on*(E*strain + level*(1 + hysteresis)) < 0;
    // a spring would give way faster than the limit falls; no event while it sticks, where the
    // velocity is often zero
    sticks = pre(mode)*on*(E*rate - pre(mode)*level_rate) < 0;
    mode = if sticks then 0
      elseif pre(mode) <> 0 then pre(mode)
      elseif forward then 1
      elseif backward then -1
      else 0;
    when sticks then
      reinit(strain, pre(mode)*level/E);
    end when;
    der(strain) = if mode == 0 then on*rate else 0;
    spring = on*(if mode == 0 then E*strain else mode*level);
    force = spring + d*rate;
    der(heat) = d*rate^2 + (if mode == 0 then 0 else spring*rate);
    energy = on*(if mode == 0 then E*strain^2/2 else level^2/(2*E));
    annotation (Documentation(info="<html>
<p>A spring of stiffness <code>E</code> in series with a slider (Uhlar 2009, 5.4.6): the force is
<code>E strain</code> while it is not larger than the limit, with
<code>strain' = rate</code>; beyond it slides against</p>
<pre>level = limit + (static - limit) exp(-(rate/stribeck_rate)^2)</pre>
<p>until the spring would give way faster than the limit falls: with a constant limit where the drive
reverses. <code>d rate</code> is added. At rest the drive is held by the spring, it does not creep;
the plastic part of a travel <code>x</code> is <code>x - strain</code>.</p>
<p>The LuGre model has <code>strain' = rate - E |rate| strain/level</code> in its place: the same spring
near rest and the same limit, approached exponentially instead of met by an event.</p>
</html>"));
  end ElastoplasticFriction;

  block SpeedDrive "Drive that takes a velocity reference: PI controller of its speed"
    parameter Real kp = 1 "Gain of the speed error";
    parameter Real ki = 0 "Gain of its integral";
    input Real hold "Force that holds the drive at the start";
    input Real reference "Wanted velocity";
    input Real rate "Velocity of the drive";
    output Real force "Force or torque of the drive";
    output Real integral(start=0, fixed=true) "Integral of the speed error";
  equation
    der(integral) = reference - rate;
    force = hold + kp*(reference - rate) + ki*integral;
    annotation (Documentation(info="<html>
<p>What most converters of cranes are set to: <code>F = hold + kp (w - v) + ki e</code>,
<code>e' = w - v</code>. At the start the integral of a drive that rests has become what holds the
crane: that is <code>hold</code>, and <code>e</code> counts from there, so that rest with a
reference of zero stays rest. As <code>e</code> is the wanted less the actual position, the drive acts
as a spring <code>ki</code> and a damper <code>kp</code> to a point that moves with
<code>w</code>.</p>
</html>"));
  end SpeedDrive;

  annotation (Documentation(info="<html>
<p>What a crane has besides the equations of motion, each written once. Springs and friction make state
events: between events their branch is fixed, so that the integrator sees smooth equations.</p>
</html>"));
end Parts;
