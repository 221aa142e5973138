package Records "Records, their constructors and replaceable parts"
  record Data
    parameter Real m = 1;
    parameter Real l = 2;
  end Data;

  record Heavy = Data(m = 50);

  record Long
    extends Data(l = 20);
  end Long;

  model Machine
    parameter Data data;
    parameter Real p = data.m*data.l;
  end Machine;

  model Modified "7.2.4: y = 5, z = 2"
    parameter Data data(m = 5);
    output Real y = data.m, z = data.l;
  end Modified;

  model Constructed "12.6: y = 5, z = 2"
    parameter Data data = Data(m = 5);
    output Real y = data.m, z = data.l;
  end Constructed;

  model ConstructedPositional "12.6: y = 5, z = 6"
    parameter Data data = Data(5, 6);
    output Real y = data.m, z = data.l;
  end ConstructedPositional;

  model ShortRecord "4.5.1: y = 50, z = 2"
    parameter Heavy data;
    output Real y = data.m, z = data.l;
  end ShortRecord;

  model ExtendedRecord "7.1: y = 1, z = 20"
    parameter Long data;
    output Real y = data.m, z = data.l;
  end ExtendedRecord;

  model ShortConstructed "12.6: y = 50, z = 6"
    parameter Heavy data = Heavy(l = 6);
    output Real y = data.m, z = data.l;
  end ShortConstructed;

  model Handed "7.2.4: y = 35"
    parameter Data mine(m = 5, l = 7);
    Machine machine(data = mine);
    output Real y = machine.p;
  end Handed;

  model HandedConstructor "7.2.4: y = 35"
    Machine machine(data = Data(m = 5, l = 7));
    output Real y = machine.p;
  end HandedConstructor;

  model FieldModified "7.2.4: y = 10"
    Machine machine(data(m = 5));
    output Real y = machine.p;
  end FieldModified;

  model FieldByDot "7.2.1: y = 10"
    Machine machine(data.m = 5);
    output Real y = machine.p;
  end FieldByDot;

  model RedeclaredRecordBase
    replaceable parameter Data data;
    output Real y = data.m*data.l;
  end RedeclaredRecordBase;

  model RedeclaredRecord "7.3: y = 100"
    extends RedeclaredRecordBase(redeclare parameter Heavy data);
  end RedeclaredRecord;

  model RedeclaredRecordModifierBase
    replaceable parameter Data data;
    output Real y = data.m*data.l;
  end RedeclaredRecordModifierBase;

  model RedeclaredRecordModifier "7.3: y = 150"
    extends RedeclaredRecordModifierBase(redeclare parameter Heavy data(l = 3));
  end RedeclaredRecordModifier;

  model RedeclaredRecordClassBase
    replaceable record R = Data;
    parameter R data;
    output Real y = data.m*data.l;
  end RedeclaredRecordClassBase;

  model RedeclaredRecordClass "7.3: y = 15"
    extends RedeclaredRecordClassBase(redeclare record R = Data(m = 5, l = 3));
  end RedeclaredRecordClass;

  record Special = Data(m = 5, l = 3);

  model RedeclaredRecordNamed "7.3: y = 15"
    extends RedeclaredRecordClassBase(redeclare record R = Special);
  end RedeclaredRecordNamed;

  model RecordArray "7.2.5: y = 5, z = 6"
    parameter Data data[2](m = {5, 6});
    output Real y = data[1].m, z = data[2].m;
  end RecordArray;

  model RecordArrayConstructed "12.6: y = 5, z = 6"
    parameter Data data[2] = {Data(m = 5), Data(m = 6)};
    output Real y = data[1].m, z = data[2].m;
  end RecordArrayConstructed;

  model NestedRecord "7.2.4: y = 5, z = 2"
    record Whole
      parameter Data a(m = 4);
      parameter Data b;
    end Whole;
    parameter Whole whole(a(m = 5));
    output Real y = whole.a.m, z = whole.b.l;
  end NestedRecord;

  model ReplaceablePart "7.3: y = 50, z = 4"
    record Whole
      replaceable parameter Data part;
      parameter Real k = 4;
    end Whole;
    parameter Whole whole(redeclare parameter Heavy part);
    output Real y = whole.part.m, z = whole.k;
  end ReplaceablePart;

  model RecordVariable "12.6: y = 6, z = 3"
    Data data(m = 6, l = 3);
    output Real y = data.m, z = data.l;
  end RecordVariable;
end Records;
