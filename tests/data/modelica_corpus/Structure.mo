package Structure "Conditional components, inner and outer, imports, enumerations, protected parts"
  model Part
    parameter Real d = 0.3;
    output Real y = d;
  end Part;

  model ConditionTrue "4.4.5: y = 0.5"
    parameter Boolean has = true;
    Part part(d = 0.5) if has;
    output Real y = 0.5;
  end ConditionTrue;

  connector Plug
    Real e;
    flow Real f;
  end Plug;

  model Source
    parameter Real v = 1;
    Plug p;
  equation
    p.e = v;
  end Source;

  model Probe
    Plug p;
    output Real e = p.e, f = p.f;
  equation
    p.f = 0;
  end Probe;

  model ConditionalOn "4.4.5: y = 5"
    parameter Boolean has = true;
    Source s(v = 5) if has;
    Source t(v = 6) if not has;
    Probe probe;
    output Real y = probe.e;
  equation
    connect(s.p, probe.p);
    connect(t.p, probe.p);
  end ConditionalOn;

  model Switched
    parameter Boolean has = true;
    Source s(v = 5) if has;
    Source t(v = 6) if not has;
    Probe probe;
    output Real y = probe.e;
  equation
    connect(s.p, probe.p);
    connect(t.p, probe.p);
  end Switched;

  model ConditionalModified "4.4.5: y = 6"
    Switched sw(has = false);
    output Real y = sw.y;
  end ConditionalModified;

  model ConditionalInExtends "4.4.5: y = 6"
    extends Switched(has = false);
  end ConditionalInExtends;

  model ConditionalDeepModifier "4.4.5: y = 9"
    Switched sw(has = false, t(v = 9));
    output Real y = sw.y;
  end ConditionalDeepModifier;

  model World
    parameter Real g = 9;
  end World;

  model User
    outer World world;
    output Real y = world.g;
  end User;

  model InnerModified "5.4: y = 4"
    inner World world(g = 4);
    User user;
    output Real y = user.y;
  end InnerModified;

  model InnerNearest "5.4: y = 4, z = 3"
    model Room
      inner World world(g = 3);
      User user;
    end Room;
    inner World world(g = 4);
    User user;
    Room room;
    output Real y = user.y, z = room.user.y;
  end InnerNearest;

  model InnerThroughLevels "5.4: y = 4"
    model Room
      User user;
    end Room;
    inner World world(g = 4);
    Room room;
    output Real y = room.user.y;
  end InnerThroughLevels;

  model InnerBase
    inner World world(g = 4);
    User user;
  end InnerBase;

  model InnerInBase "5.4: y = 7"
    extends InnerBase(world(g = 7));
    output Real y = user.y;
  end InnerInBase;

  model InnerReplaceable
    inner replaceable World world(g = 4) constrainedby World;
    User user;
  end InnerReplaceable;

  model InnerRedeclared "5.4: y = 12"
    model Moon
      extends World(g = 12);
    end Moon;
    extends InnerReplaceable(redeclare Moon world);
    output Real y = user.y;
  end InnerRedeclared;

  model InnerRedeclaredModified "5.4: y = 12"
    extends InnerReplaceable(redeclare World world(g = 12));
    output Real y = user.y;
  end InnerRedeclaredModified;

  model InnerParameter "5.4: y = 8"
    model Reader
      outer parameter Real k;
      output Real y = k;
    end Reader;
    inner parameter Real k = 8;
    Reader reader;
    output Real y = reader.y;
  end InnerParameter;

  type Kind = enumeration(small, middle, large);

  model Enumerated
    parameter Kind kind = Kind.small;
    output Real y = if kind == Kind.small then 1 elseif kind == Kind.middle then 2 else 3;
  end Enumerated;

  model EnumerationModified "4.9.5: y = 2"
    Enumerated e(kind = Kind.middle);
    output Real y = e.y;
  end EnumerationModified;

  model ProtectedPart "4.1: y = 0.8"
    model Holder
      parameter Real d = 0.3;
      output Real y = part.y;
    protected
      Part part(d = d);
    end Holder;
    Holder holder(d = 0.8);
    output Real y = holder.y;
  end ProtectedPart;

  model Hidden
    output Real y = part.y;
  protected
    Part part;
  end Hidden;

  model ProtectedInExtends "7.1.2: y = 0.8"
    extends Hidden(part(d = 0.8));
  end ProtectedInExtends;

  model ExtendsLocalClass "5.3.1: y = 0.8"
    model Local
      Part part;
      output Real y = part.y;
    end Local;
    extends Local(part(d = 0.8));
  end ExtendsLocalClass;

  model ConstantInPackage "13.2: y = 1.5"
    import C = Structure.Constants;
    output Real y = C.half*3;
  end ConstantInPackage;

  package Constants
    constant Real half = 0.5;
    constant Real whole = 2*half;
  end Constants;

  model IfOnParameter "8.3.4: y = 2"
    model Choose
      parameter Boolean first = true;
      output Real y;
    equation
      if first then
        y = 1;
      else
        y = 2;
      end if;
    end Choose;
    Choose c(first = false);
    output Real y = c.y;
  end IfOnParameter;

  model DiamondBase "7.1: y = 0.5"
    model A
      extends Part(d = 0.5);
    end A;
    model B
      extends A;
    end B;
    B b;
    output Real y = b.y;
  end DiamondBase;
end Structure;
