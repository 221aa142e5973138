package Redeclares "Replaceable classes and components"
  partial model PartialDrag
    input Real v = 1;
    output Real f;
  end PartialDrag;

  model Linear
    extends PartialDrag;
    parameter Real d = 0.3;
  equation
    f = d*v;
  end Linear;

  model Quadratic
    extends PartialDrag;
    parameter Real d = 0.3;
    parameter Real e = 2;
  equation
    f = d*v + e*v*v;
  end Quadratic;

  model ClassBase
    replaceable model D = Linear constrainedby PartialDrag;
    D drag(v = 2);
    output Real y = drag.f;
  end ClassBase;

  model ClassModifiedBase
    replaceable model D = Linear constrainedby PartialDrag;
    D drag(v = 2, d = 4);
    output Real y = drag.f;
  end ClassModifiedBase;

  model ComponentBase
    replaceable Linear drag(v = 2) constrainedby PartialDrag(v = 2);
    output Real y = drag.f;
  end ComponentBase;

  model L5 = Linear(d = 0.5);

  model Default "7.3: y = 0.6"
    extends ClassBase;
  end Default;

  model ClassInExtends "7.3: y = 12"
    extends ClassBase(redeclare model D = Quadratic(d = 2));
  end ClassInExtends;

  model ClassInExtendsPlain "7.3: y = 8.6"
    extends ClassBase(redeclare model D = Quadratic);
  end ClassInExtendsPlain;

  model ClassInExtendsModifier "7.3: y = 1"
    extends ClassBase(redeclare model D = Linear(d = 0.5));
  end ClassInExtendsModifier;

  model ClassInExtendsSameValue "7.3: y = 0.6"
    extends ClassBase(redeclare model D = Linear(d = 0.3));
  end ClassInExtendsSameValue;

  model ClassOnComponent "7.3: y = 1"
    ClassBase b(redeclare model D = Linear(d = 0.5));
    output Real y = b.y;
  end ClassOnComponent;

  model ClassOnComponentPlain "7.3: y = 8.6"
    ClassBase b(redeclare model D = Quadratic);
    output Real y = b.y;
  end ClassOnComponentPlain;

  model ClassTwiceOnComponents "7.3: y = 0.6, z = 8.6"
    ClassBase b;
    ClassBase c(redeclare model D = Quadratic);
    output Real y = b.y, z = c.y;
  end ClassTwiceOnComponents;

  model NamedClassInExtends "7.3: y = 1"
    extends ClassBase(redeclare model D = L5);
  end NamedClassInExtends;

  model NamedClassOnComponent "7.3: y = 1"
    ClassBase b(redeclare model D = L5);
    output Real y = b.y;
  end NamedClassOnComponent;

  model LocalNamedClass "7.3: y = 1"
    model M = Linear(d = 0.5);
    extends ClassBase(redeclare model D = M);
  end LocalNamedClass;

  model LocalNamedOnComponent "7.3: y = 1"
    model M = Linear(d = 0.5);
    ClassBase b(redeclare model D = M);
    output Real y = b.y;
  end LocalNamedOnComponent;

  model LocalLongClass "7.3: y = 1"
    model M
      extends Linear(d = 0.5);
    end M;
    ClassBase b(redeclare model D = M);
    output Real y = b.y;
  end LocalLongClass;

  model LocalNamedParameter "7.3: y = 1.4"
    parameter Real k = 0.7;
    model M = Linear(d = k);
    extends ClassBase(redeclare model D = M);
  end LocalNamedParameter;

  model LocalNamedParameterOnComponent "7.3: y = 1.4"
    parameter Real k = 0.7;
    model M = Linear(d = k);
    ClassBase b(redeclare model D = M);
    output Real y = b.y;
  end LocalNamedParameterOnComponent;

  model OwnModifierWins "7.2.3: y = 8"
    extends ClassModifiedBase(redeclare model D = Linear(d = 0.5));
  end OwnModifierWins;

  model ComponentInExtends "7.3: y = 1"
    extends ComponentBase(redeclare Linear drag(d = 0.5));
  end ComponentInExtends;

  model ComponentInExtendsOther "7.3: y = 9"
    extends ComponentBase(redeclare Quadratic drag(d = 0.5));
  end ComponentInExtendsOther;

  model ComponentOnComponent "7.3: y = 9"
    ComponentBase b(redeclare Quadratic drag(d = 0.5));
    output Real y = b.y;
  end ComponentOnComponent;

  model ComponentOnComponentPlain "7.3: y = 8.6"
    ComponentBase b(redeclare Quadratic drag);
    output Real y = b.y;
  end ComponentOnComponentPlain;

  model ComponentConstrainingModifierBase
    replaceable Linear drag constrainedby Linear(d = 0.5, v = 2);
    output Real y = drag.f;
  end ComponentConstrainingModifierBase;

  model ComponentConstrainingModifier "7.3.2: y = 1"
    extends ComponentConstrainingModifierBase;
  end ComponentConstrainingModifier;

  model ComponentConstrainingKeptBase
    replaceable Linear drag(d = 0.1) constrainedby Linear(d = 0.5, v = 2);
    output Real y = drag.f;
  end ComponentConstrainingKeptBase;

  model ComponentConstrainingKept "7.3.2: y = 9"
    extends ComponentConstrainingKeptBase(redeclare Quadratic drag);
  end ComponentConstrainingKept;

  model ComponentOwnModifierLostBase
    replaceable Linear drag(d = 0.1, v = 2);
    output Real y = drag.f;
  end ComponentOwnModifierLostBase;

  model ComponentOwnModifierLost "7.3.2: y = 0.6"
    extends ComponentOwnModifierLostBase(redeclare Linear drag(d = 0.3));
  end ComponentOwnModifierLost;

  model ComponentImplicitConstraintBase
    replaceable Linear drag(d = 1.1, v = 2);
    output Real y = drag.f;
  end ComponentImplicitConstraintBase;

  model ComponentImplicitConstraint "7.3.2: y = 10.2"
    extends ComponentImplicitConstraintBase(redeclare Quadratic drag);
  end ComponentImplicitConstraint;

  model ClassConstrainingModifierBase
    replaceable model D = Linear constrainedby Linear(d = 0.5);
    D drag(v = 2);
    output Real y = drag.f;
  end ClassConstrainingModifierBase;

  model ClassConstrainingModifier "7.3.2: y = 1"
    extends ClassConstrainingModifierBase;
  end ClassConstrainingModifier;

  model ClassConstrainingKeptBase
    replaceable model D = Linear constrainedby Linear(d = 0.5);
    D drag(v = 2);
    output Real y = drag.f;
  end ClassConstrainingKeptBase;

  model ClassConstrainingKept "7.3.2: y = 9"
    extends ClassConstrainingKeptBase(redeclare model D = Quadratic);
  end ClassConstrainingKept;

  model ClassDefaultModifierBase
    replaceable model D = Linear(d = 0.5) constrainedby PartialDrag;
    D drag(v = 2);
    output Real y = drag.f;
  end ClassDefaultModifierBase;

  model ClassDefaultModifier "7.3: y = 1"
    extends ClassDefaultModifierBase;
  end ClassDefaultModifier;

  model ElementRedeclaration "7.3: y = 1"
    extends ClassBase;
    redeclare model D = Linear(d = 0.5);
  end ElementRedeclaration;

  model ElementRedeclarationLong "7.3: y = 1"
    extends ClassBase;
    redeclare model D
      extends Linear(d = 0.5);
    end D;
  end ElementRedeclarationLong;

  model ElementComponent "7.3: y = 9"
    extends ComponentBase;
    redeclare Quadratic drag(d = 0.5);
  end ElementComponent;

  model ClassExtendsBase
    replaceable model D
      extends Linear;
    end D;
    D drag(v = 2);
    output Real y = drag.f;
  end ClassExtendsBase;

  model ClassExtends "7.3.1: y = 1, z = 5"
    extends ClassExtendsBase;
    redeclare model extends D(d = 0.5)
      parameter Real g = 5;
    end D;
    output Real z = drag.g;
  end ClassExtends;

  model NestedRedeclare "7.3: y = 1"
    extends NestedBase(redeclare model B = ClassBase(redeclare model D = Linear(d = 0.5)));
  end NestedRedeclare;

  model NestedBase
    replaceable model B = ClassBase;
    B b;
    output Real y = b.y;
  end NestedBase;

  model NestedRedeclarePlain "7.3: y = 8.6"
    extends NestedBase(redeclare model B = ClassBase(redeclare model D = Quadratic));
  end NestedRedeclarePlain;

  model DeepRedeclareOuter
    ClassBase b;
    output Real y = b.y;
  end DeepRedeclareOuter;

  model DeepRedeclare "7.3: y = 1"
    DeepRedeclareOuter o(b(redeclare model D = Linear(d = 0.5)));
    output Real y = o.y;
  end DeepRedeclare;

  model DeepRedeclarePlainOuter
    ClassBase b;
    output Real y = b.y;
  end DeepRedeclarePlainOuter;

  model DeepRedeclarePlain "7.3: y = 8.6"
    DeepRedeclarePlainOuter o(b(redeclare model D = Quadratic));
    output Real y = o.y;
  end DeepRedeclarePlain;

  model ThroughShortClass "7.3: y = 1"
    model B5 = ClassBase(redeclare model D = Linear(d = 0.5));
    B5 b;
    output Real y = b.y;
  end ThroughShortClass;

  model PassedOnOuter
    replaceable model D = Linear constrainedby PartialDrag;
    ClassBase b(redeclare model D = D);
    output Real y = b.y;
  end PassedOnOuter;

  model PassedOn "7.3: y = 8.6"
    PassedOnOuter o(redeclare model D = Quadratic);
    output Real y = o.y;
  end PassedOn;

  model ModifierFromParameter "7.3: y = 1.4"
    parameter Real k = 0.7;
    extends ClassBase(redeclare model D = Linear(d = k));
  end ModifierFromParameter;

  model ComponentModifierFromParameter "7.3: y = 1.4"
    parameter Real k = 0.7;
    ComponentBase b(redeclare Linear drag(d = k));
    output Real y = b.y;
  end ComponentModifierFromParameter;

  model TwoLevels "7.3: y = 1"
    model Middle
      extends ClassBase(redeclare replaceable model D = Linear(d = 0.4));
    end Middle;
    extends Middle(redeclare model D = Linear(d = 0.5));
  end TwoLevels;

  model TwoLevelsPlain "7.3: y = 8.6"
    model Middle
      extends ClassBase(redeclare replaceable model D = L5);
    end Middle;
    extends Middle(redeclare model D = Quadratic);
  end TwoLevelsPlain;

  model RedeclareThenModify "7.2.3: y = 1"
    extends ClassBase(redeclare model D = Linear, drag(d = 0.5));
  end RedeclareThenModify;

  model RedeclareThenModifyOnComponent "7.2.3: y = 1"
    ClassBase b(redeclare model D = Linear, drag(d = 0.5));
    output Real y = b.y;
  end RedeclareThenModifyOnComponent;

  model FunctionRedeclare "7.3: y = 9"
    partial function Law
      input Real x;
      output Real y;
    end Law;
    function Twice
      extends Law;
    algorithm
      y := 2*x;
    end Twice;
    function Square
      extends Law;
    algorithm
      y := x*x;
    end Square;
    model Base
      replaceable function law = Twice constrainedby Law;
      output Real y = law(3);
    end Base;
    extends Base(redeclare function law = Square);
  end FunctionRedeclare;

  partial function Law
    input Real x;
    output Real y;
  end Law;

  function Scaled
    extends Law;
    input Real k = 2;
  algorithm
    y := k*x;
  end Scaled;

  model LawBase
    replaceable function law = Scaled constrainedby Law;
    output Real y = law(3);
  end LawBase;

  function Scaled5 = Scaled(k = 5);

  function Scaled7
    extends Scaled(k = 7);
  end Scaled7;

  model FunctionShort "4.5.1: y = 15"
    output Real y = Scaled5(3);
  end FunctionShort;

  model FunctionDefault "12.4.1: y = 6"
    extends LawBase;
  end FunctionDefault;

  model FunctionRedeclareNamed "7.3: y = 15"
    extends LawBase(redeclare function law = Scaled5);
  end FunctionRedeclareNamed;

  model FunctionRedeclareExtended "7.3: y = 21"
    extends LawBase(redeclare function law = Scaled7);
  end FunctionRedeclareExtended;

  model FunctionRedeclareModifier "7.3: y = 15"
    extends LawBase(redeclare function law = Scaled(k = 5));
  end FunctionRedeclareModifier;

  package Water
    constant Real rho = 1;
  end Water;

  package Oil
    extends Water(rho = 5);
  end Oil;

  package ThinOil = Water(rho = 3);

  model PackageBase
    replaceable package Medium = Water;
    output Real y = Medium.rho;
  end PackageBase;

  model PackageRedeclare "7.3: y = 5"
    extends PackageBase(redeclare package Medium = Oil);
  end PackageRedeclare;

  model PackageRedeclareShort "7.3: y = 3"
    extends PackageBase(redeclare package Medium = ThinOil);
  end PackageRedeclareShort;

  model PackageRedeclareModifier "7.3: y = 3"
    extends PackageBase(redeclare package Medium = Water(rho = 3));
  end PackageRedeclareModifier;

  model PackageOnComponent "7.3: y = 5"
    PackageBase b(redeclare package Medium = Oil);
    output Real y = b.y;
  end PackageOnComponent;

  model ClassModified "7.2.4: y = 1"
    extends ClassBase(D(d = 0.5));
  end ClassModified;

  model ClassImplicitBase
    replaceable model D = Linear(d = 0.5);
    D drag(v = 2);
    output Real y = drag.f;
  end ClassImplicitBase;

  model ClassImplicitConstraint "7.3.2: y = 9"
    extends ClassImplicitBase(redeclare model D = Quadratic);
  end ClassImplicitConstraint;

  model WithQuadratic
    extends ClassBase(redeclare model D = Quadratic);
  end WithQuadratic;

  model WithL5
    extends ClassBase(redeclare model D = L5);
  end WithL5;

  model PassedThroughLocal "7.3: y = 1.4, z = 8.6"
    parameter Real k = 0.7;
    model M = Linear(d = k);
    model N = Quadratic;
    ClassBase b(redeclare model D = M), c(redeclare model D = N);
    output Real y = b.y, z = c.y;
  end PassedThroughLocal;

  model ReplaceableInModifier "7.3: y = 8.6"
    extends ClassBase(replaceable model D = Quadratic);
  end ReplaceableInModifier;

  model ReplaceableInModifierOfComponent "7.3: y = 9"
    ComponentBase b(replaceable Quadratic drag(d = 0.5));
    output Real y = b.y;
  end ReplaceableInModifierOfComponent;

  model ClassExtendsOfBase
    extends ClassExtendsBase;
    redeclare model extends D(d = 0.5)
      parameter Real g = 5;
    end D;
    output Real z = drag.g;
  end ClassExtendsOfBase;

  model ClassExtendsInherited "7.3.1: y = 1, z = 5"
    extends ClassExtendsOfBase;
  end ClassExtendsInherited;

  model ClassExtendsOfComponent "7.3.1: y = 1, z = 5"
    ClassExtendsOfBase b;
    output Real y = b.y, z = b.z;
  end ClassExtendsOfComponent;

  model DeepByClass "7.3: y = 8.6, z = 1"
    model Outer
      replaceable ClassBase b;
      output Real y = b.y;
    end Outer;
    Outer o(redeclare WithQuadratic b), p(redeclare WithL5 b);
    output Real y = o.y, z = p.y;
  end DeepByClass;

  model NestedByClass "7.3: y = 8.6"
    extends NestedBase(redeclare model B = WithQuadratic);
  end NestedByClass;

  model EquationsOnly
    extends PartialDrag;
  equation
    f = 7*v;
  end EquationsOnly;

  model OtherEquationsOnly
    extends PartialDrag;
  equation
    f = 9*v;
  end OtherEquationsOnly;

  model EquationsBase
    replaceable model D = EquationsOnly constrainedby PartialDrag;
    D drag(v = 2);
    output Real y = drag.f;
  end EquationsBase;

  model DeepEquations "7.3: y = 18"
    model Outer
      EquationsBase b;
      output Real y = b.y;
    end Outer;
    Outer o(b(redeclare model D = OtherEquationsOnly));
    output Real y = o.y;
  end DeepEquations;

  model EquationsRedeclared "7.3: y = 18"
    EquationsBase b(redeclare model D = OtherEquationsOnly);
    output Real y = b.y;
  end EquationsRedeclared;

  model DeepComponent "7.3: y = 8.6"
    model Outer
      ComponentBase b;
      output Real y = b.y;
    end Outer;
    Outer o(b(redeclare Quadratic drag));
    output Real y = o.y;
  end DeepComponent;

  model DeepComponentModifier "7.3: y = 9"
    model Outer
      ComponentBase b;
      output Real y = b.y;
    end Outer;
    Outer o(b(redeclare Quadratic drag(d = 0.5)));
    output Real y = o.y;
  end DeepComponentModifier;
end Redeclares;
