within SmallLibrary;
package Frames "Orientation of coordinate systems"
  record Orientation "Rotation from the world into a frame"
    Real T[3, 3] "Matrix: v_frame = T*v_world";
    Real w[3](each unit = "rad/s") "Angular velocity, in the frame";

    encapsulated function equalityConstraint "Three numbers that vanish where two are the same"
      import SmallLibrary.Frames.Orientation;
      input Orientation R1;
      input Orientation R2;
      output Real residue[3];
    algorithm
      residue := {R1.T[1, :]*R2.T[2, :], R1.T[2, :]*R2.T[3, :], R1.T[3, :]*R2.T[1, :]};
    end equalityConstraint;
  end Orientation;

  function nullRotation "No rotation"
    output Orientation R;
  algorithm
    R := Orientation(T = identity(3), w = zeros(3));
  end nullRotation;

  function planarRotation "Rotation about a fixed axis"
    input Real e[3] "Unit vector of the axis";
    input Real angle(unit = "rad");
    input Real der_angle(unit = "rad/s");
    output Orientation R;
  algorithm
    R := Orientation(
      T = outerProduct(e, e) + (identity(3) - outerProduct(e, e))*cos(angle) - skew(e)*sin(angle),
      w = e*der_angle);
  end planarRotation;

  function absoluteRotation "One rotation after another"
    input Orientation R1 "From the world into the first frame";
    input Orientation R_rel "From the first into the second";
    output Orientation R2;
  algorithm
    R2 := Orientation(T = R_rel.T*R1.T, w = R_rel.T*R1.w + R_rel.w);
  end absoluteRotation;

  function resolve1 "Vector of a frame in the world"
    input Orientation R;
    input Real v2[3];
    output Real v1[3];
  algorithm
    v1 := transpose(R.T)*v2;
  end resolve1;

  function resolve2 "Vector of the world in a frame"
    input Orientation R;
    input Real v1[3];
    output Real v2[3];
  algorithm
    v2 := R.T*v1;
  end resolve2;

  function normalized "Unit vector"
    input Real v[3];
    output Real e[3];
  protected
    Real square = 0;
  algorithm
    for i in 1:3 loop
      square := square + v[i]^2;
    end for;
    assert(square > 0, "an axis must not be zero");
    e := v/sqrt(square);
  end normalized;
end Frames;
