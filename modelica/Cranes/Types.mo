within Cranes;
package Types "Unit types"
  type Mass = Real(final quantity="Mass", final unit="kg", min=0) "Mass";
  type LinearDensity = Real(final quantity="LinearDensity", final unit="kg/m", min=0)
    "Mass per length";
  type Inertia = Real(final quantity="MomentOfInertia", final unit="kg.m2", min=0)
    "Moment of inertia";
  type Length = Real(final quantity="Length", final unit="m", min=0) "Length";
  type Position = Real(final quantity="Length", final unit="m") "Position";
  type Velocity = Real(final quantity="Velocity", final unit="m/s") "Velocity";
  type Acceleration = Real(final quantity="Acceleration", final unit="m/s2") "Acceleration";
  type Angle = Real(final quantity="Angle", final unit="rad", displayUnit="deg") "Angle";
  type AngularVelocity = Real(final quantity="AngularVelocity", final unit="rad/s")
    "Angular velocity";
  type Force = Real(final quantity="Force", final unit="N") "Force";
  type Torque = Real(final quantity="Torque", final unit="N.m") "Torque";
  type Energy = Real(final quantity="Energy", final unit="J") "Energy";
  type AngularMomentum = Real(final quantity="AngularMomentum", final unit="kg.m2/s")
    "Angular momentum";
  type Time = Real(final quantity="Time", final unit="s") "Time";
  type Stiffness = Real(final quantity="TranslationalSpringConstant", final unit="N/m", min=0)
    "Stiffness of a spring";
  type Damping = Real(final quantity="TranslationalDampingConstant", final unit="N.s/m", min=0)
    "Viscous friction of a translation";
  type RotationalDamping = Real(
      final quantity="RotationalDampingConstant", final unit="N.m.s/rad", min=0)
    "Viscous friction of a rotation";
  type RotationalStiffness = Real(
      final quantity="RotationalSpringConstant", final unit="N.m/rad", min=0)
    "Stiffness of a rotational spring";
  type WinchDamping = Real(final unit="N.s", min=0) "Torque of a winch per velocity of its rope";
  type WinchStiffness = Real(final unit="N", min=0) "Torque of a winch per length of its rope";
  type Drag = Real(final unit="kg/m", min=0)
    "Half the density times area and drag coefficient";
  annotation (Documentation(info="<html>
<p>The types of the parameters and variables of the cranes, so that the library needs no other.</p>
</html>"));
end Types;
