package Modifiers "Modifiers of components, through levels of components and of extends"
  model Drag "What is modified"
    parameter Real d = 0.3;
    parameter Real e = 2*d;
  end Drag;

  model Pair
    Drag first(d = 1);
    Drag second;
    parameter Real k = 7;
  end Pair;

  model Plain "7.2.4: y = 0.5, z = 1"
    Drag drag(d = 0.5);
    output Real y = drag.d, z = drag.e;
  end Plain;

  model Nested "7.2.2: y = 0.5, z = 0.25"
    Pair pair(first(d = 0.5), second.d = 0.25);
    output Real y = pair.first.d, z = pair.second.d;
  end Nested;

  model OuterWins "7.2.3: y = 4, z = 0.3"
    Pair pair(first(d = 4));
    output Real y = pair.first.d, z = pair.second.d;
  end OuterWins;

  model Merged "7.2.3: y = 4, z = 5"
    model Inner
      Drag drag(d = 4);
    end Inner;
    Inner inn(drag(e = 5));
    output Real y = inn.drag.d, z = inn.drag.e;
  end Merged;

  model Scope "7.2.2: y = 10"
    parameter Real d = 5;
    Drag drag(d = 2*d);
    output Real y = drag.d;
  end Scope;

  model ScopeOfBase "7.2.2: y = 6"
    model Middle
      parameter Real k = 3;
      Drag drag(d = k);
    end Middle;
    parameter Real k = 6;
    Middle middle(k = k);
    output Real y = middle.drag.d;
  end ScopeOfBase;

  model Extended "7.1: y = 0.5"
    extends Drag(d = 0.5);
    output Real y = d;
  end Extended;

  model Level1
    extends Drag(d = 1);
  end Level1;

  model Level2
    extends Level1(d = 2);
  end Level2;

  model ThreeLevels "7.2.3: y = 3, z = 6"
    extends Level2(d = 3);
    output Real y = d, z = e;
  end ThreeLevels;

  model LevelsKept "7.2.3: y = 2"
    extends Level2;
    output Real y = d;
  end LevelsKept;

  model ComponentOfLevels "7.2.3: y = 2, z = 9"
    Level2 a;
    Level2 b(d = 9);
    output Real y = a.d, z = b.d;
  end ComponentOfLevels;

  model NestedInExtends "7.2.3: y = 8, z = 0.3, w = 1"
    extends Pair(first(d = 8), k = 1);
    output Real y = first.d, z = second.d, w = k;
  end NestedInExtends;

  model TwoBases "7.1: y = 0.75, z = 2.5"
    model Other
      parameter Real f = 1;
    end Other;
    extends Drag(d = 0.75);
    extends Other(f = 2.5);
    output Real y = d, z = f;
  end TwoBases;

  model ShortClass "4.5.1: y = 0.5"
    model D5 = Drag(d = 0.5);
    D5 drag;
    output Real y = drag.d;
  end ShortClass;

  model ShortOfShort "4.5.1: y = 0.5, z = 0.7"
    model D5 = Drag(d = 0.5);
    model D57 = D5(e = 0.7);
    D57 drag;
    output Real y = drag.d, z = drag.e;
  end ShortOfShort;

  model ShortModified "4.5.1: y = 4"
    model D5 = Drag(d = 0.5);
    D5 drag(d = 4);
    output Real y = drag.d;
  end ShortModified;

  model ExtendsShort "4.5.1: y = 0.5"
    model D5 = Drag(d = 0.5);
    extends D5;
    output Real y = d;
  end ExtendsShort;

  model Final "7.2.6: y = 0.5"
    Drag drag(final d = 0.5);
    output Real y = drag.d;
  end Final;

  model FinalInExtends "7.2.6: y = 0.5, z = 8"
    extends Pair(final first(final d = 0.5), final k = 8);
    output Real y = first.d, z = k;
  end FinalInExtends;

  model LocalClass "5.6: y = 0.9"
    model Local
      parameter Real a = 0.1;
      Drag drag(d = a);
    end Local;
    Local part(a = 0.9);
    output Real y = part.drag.d;
  end LocalClass;

  model ModifiedBinding "7.2.4: y = 3, z = 4"
    Real a = 3;
    Real b(start = 1) = 4;
    output Real y = a, z = b;
  end ModifiedBinding;

  model Variable
    input Real u = 1;
    output Real y = 2*u;
  end Variable;

  model BoundInput "7.2.4: y = 6"
    Variable part(u = 3);
    output Real y = part.y;
  end BoundInput;

  model Integers "7.2.4: y = 4, z = 1"
    model Counts
      parameter Integer n = 1;
      parameter Boolean b = false;
      output Real y = n, z = if b then 1 else 0;
    end Counts;
    Counts counts(n = 4, b = true);
    output Real y = counts.y, z = counts.z;
  end Integers;

  model Gear
    parameter Real ratio = 1;
    parameter Real way[2] = {1, 1};
  end Gear;

  model Motor
    parameter Real ratio = 20;
    parameter Real way[2] = {2, 2};
    Gear gear(ratio = ratio, way = way);
  end Motor;

  model Handed "7.2.2: y = 30, z = 7, w = -3, v = 6"
    Motor a(ratio = 30), b[2](each ratio = 7), c(ratio = -3, way = {5, 6});
    output Real y = a.gear.ratio, z = b[2].gear.ratio, w = c.gear.ratio, v = c.gear.way[2];
  end Handed;
end Modifiers;
