package Attributes "Attributes of predefined types: start, fixed, min, max, nominal, unit"
  type Length = Real(unit = "m", start = 2, min = -5, max = 5, nominal = 10);
  type Short = Length(start = 3, max = 4);

  model State
    Real x(start = 1, fixed = true, min = 0);
  equation
    der(x) = -x;
  end State;

  model Ranges
    Short x(fixed = true);
    Short y(fixed = true, min = -1, nominal = 20);
  equation
    der(x) = -x;
    der(y) = -y;
  end Ranges;

  model TypeStart "4.9: y = 2"
    Length x(fixed = true);
    output Real y = x;
  equation
    der(x) = -x;
  end TypeStart;

  model TypeOfType "4.5.1: y = 3"
    Short x(fixed = true);
    output Real y = x;
  equation
    der(x) = -x;
  end TypeOfType;

  model DeclarationWins "7.2.3: y = 7"
    Short x(fixed = true, start = 7);
    output Real y = x;
  equation
    der(x) = -x;
  end DeclarationWins;

  model StartOfComponent "7.2.3: y = 6"
    State s(x(start = 6));
    output Real y = s.x;
  end StartOfComponent;

  model StartByDot "7.2.1: y = 6"
    State s(x.start = 6);
    output Real y = s.x;
  end StartByDot;

  model StartInExtends "7.2.3: y = 6"
    extends State(x(start = 6));
    output Real y = x;
  end StartInExtends;

  model StartFromParameter "7.2.2: y = 4"
    parameter Real x0 = 4;
    State s(x(start = x0));
    output Real y = s.x;
  end StartFromParameter;

  model NotFixed "7.2.3: y = 8"
    State s(x(fixed = false));
    output Real y = s.x;
  initial equation
    s.x = 8;
  end NotFixed;

  model StartAndBinding "4.4.3: y = 9"
    parameter Real p(start = 4) = 9;
    output Real y = p;
  end StartAndBinding;

  model StartOnly "4.4.4: y = 4"
    parameter Real p(start = 4, fixed = true);
    output Real y = p;
  end StartOnly;

  model BindingAndStart "7.2.4: y = 9"
    model Part
      parameter Real p(start = 4, min = 0);
    end Part;
    Part part(p(start = 5) = 9);
    output Real y = part.p;
  end BindingAndStart;

  model RedeclaredStartBase
    replaceable model S = State;
    S s;
    output Real y = s.x;
  end RedeclaredStartBase;

  model RedeclaredStart "7.3: y = 5"
    extends RedeclaredStartBase(redeclare model S = State(x(start = 5)));
  end RedeclaredStart;

  model RedeclaredTypeBase
    replaceable type T = Real(start = 1);
    T x(fixed = true);
    output Real y = x;
  equation
    der(x) = -x;
  end RedeclaredTypeBase;

  model RedeclaredType "7.3: y = 6"
    extends RedeclaredTypeBase(redeclare type T = Real(start = 6));
  end RedeclaredType;

  type Six = Real(start = 6);

  model RedeclaredTypeKept "7.3.2: y = 1"
    extends RedeclaredTypeBase(redeclare type T = Six);
  end RedeclaredTypeKept;

  model FinalStart "7.2.6: y = 6"
    State s(x(final start = 6));
    output Real y = s.x;
  end FinalStart;
end Attributes;
