package Arrays "Modifiers of arrays, each, sizes"
  model Part
    parameter Real d = 0.3;
    parameter Real v[2] = {1, 2};
    parameter Integer n = 2;
    parameter Real w[n] = fill(0.5, n);
  end Part;

  model Each "7.2.5: y = 0.5, z = 0.5"
    Part part[2](each d = 0.5);
    output Real y = part[1].d, z = part[2].d;
  end Each;

  model Split "7.2.5: y = 0.5, z = 0.6"
    Part part[2](d = {0.5, 0.6});
    output Real y = part[1].d, z = part[2].d;
  end Split;

  model EachArray "7.2.5: y = 4, z = 4"
    Part part[2](each v = {3, 4});
    output Real y = part[1].v[2], z = part[2].v[2];
  end EachArray;

  model SplitArray "7.2.5: y = 4, z = 6"
    Part part[2](v = [3, 4; 5, 6]);
    output Real y = part[1].v[2], z = part[2].v[2];
  end SplitArray;

  model WholeArray "7.2.4: y = 3, z = 4"
    Part part(v = {3, 4});
    output Real y = part.v[1], z = part.v[2];
  end WholeArray;

  model Size "10.1: y = 1.5, z = 3"
    Part part(n = 3);
    output Real y = sum(part.w), z = size(part.w, 1);
  end Size;

  model SizeAndValue "10.1: y = 6"
    Part part(n = 3, w = {1, 2, 3});
    output Real y = sum(part.w);
  end SizeAndValue;

  model EachNested "7.2.5: y = 0.5, z = 0.5"
    model Holder
      Part part;
    end Holder;
    Holder holder[2](each part(d = 0.5));
    output Real y = holder[1].part.d, z = holder[2].part.d;
  end EachNested;

  model SplitNested "7.2.5: y = 0.5, z = 0.6"
    model Holder
      Part part;
    end Holder;
    Holder holder[2](part(d = {0.5, 0.6}));
    output Real y = holder[1].part.d, z = holder[2].part.d;
  end SplitNested;

  model EachInExtendsBase
    Part part[2];
  end EachInExtendsBase;

  model EachInExtends "7.2.5: y = 0.5, z = 0.5"
    extends EachInExtendsBase(part(each d = 0.5));
    output Real y = part[1].d, z = part[2].d;
  end EachInExtends;

  model SplitInExtendsBase
    Part part[2];
  end SplitInExtendsBase;

  model SplitInExtends "7.2.5: y = 0.5, z = 0.6"
    extends SplitInExtendsBase(part(d = {0.5, 0.6}));
    output Real y = part[1].d, z = part[2].d;
  end SplitInExtends;

  model SplitFromParameter "7.2.5: y = 7, z = 8"
    parameter Real k[2] = {7, 8};
    Part part[2](d = k);
    output Real y = part[1].d, z = part[2].d;
  end SplitFromParameter;

  model Comprehension "10.4.1: y = 1, z = 4"
    Part part[2](d = {i*i for i in 1:2});
    output Real y = part[1].d, z = part[2].d;
  end Comprehension;

  model EachStart "4.9: y = 0.5, z = 0.5"
    Real x[2](each start = 0.5, each fixed = true);
    output Real y = x[1], z = x[2];
  equation
    der(x) = -x;
  end EachStart;

  model SplitStart "4.9: y = 0.5, z = 0.6"
    Real x[2](start = {0.5, 0.6}, each fixed = true);
    output Real y = x[1], z = x[2];
  equation
    der(x) = -x;
  end SplitStart;

  model StartOfElements "7.2.5: y = 0.5, z = 0.6"
    model State
      Real x(start = 0.1, fixed = true);
    equation
      der(x) = -x;
    end State;
    State s[2](x(start = {0.5, 0.6}));
    output Real y = s[1].x, z = s[2].x;
  end StartOfElements;

  model Holder
    replaceable model P = Part;
    P part;
  end Holder;

  model EachRedeclare "7.3: y = 0.5, z = 0.5"
    Holder holder[2](redeclare each model P = Part(d = 0.5));
    output Real y = holder[1].part.d, z = holder[2].part.d;
  end EachRedeclare;

  model ArrayRedeclareBase
    replaceable Part part[2];
  end ArrayRedeclareBase;

  model ArrayRedeclare "7.3: y = 0.5, z = 0.6"
    extends ArrayRedeclareBase(redeclare Part part[2](d = {0.5, 0.6}));
    output Real y = part[1].d, z = part[2].d;
  end ArrayRedeclare;

  model ShortArrayType "4.5.1: y = 3"
    type Vector = Real[3](each start = 1);
    Vector x(each fixed = true);
    output Real y = x[1] + x[2] + x[3];
  equation
    der(x) = -x;
  end ShortArrayType;
end Arrays;
