package Removed "Modifiers that are removed"
  model Part
    parameter Real d(start = 0.5) = 0.3;
    output Real y = d;
  end Part;

  model Break "7.2.7: y = 0.5"
    extends Part(d = break);
  end Break;

  model BreakOfComponent "7.2.7: y = 0.5"
    Part part(d = break);
    output Real y = part.y;
  end BreakOfComponent;

  model Without = Part(d = break);

  model BreakOverridden "7.2.7: y = 0.7"
    extends Without(d = 0.7);
  end BreakOverridden;
end Removed;
