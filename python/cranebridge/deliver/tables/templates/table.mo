block Table "Signal over time: a table with cubic pieces between its rows"
  parameter Real table[:, 4]
    "Rows of time, value, rate after this row, rate before the next row; times increase";
  parameter Real startTime(final quantity="Time", final unit="s") = 0
    "What the times of the table count from";

  output Real y "Signal; before the first and after the last row it keeps the value there";

protected
  parameter Integer n = size(table, 1) - 1 "Number of pieces";
  Real s[n](each final unit="s") "How far each piece has been passed through";
  Real rise[n] "What each piece has added";

equation
  for i in 1:n loop
    s[i] = min(max(time - startTime - table[i, 1], 0), table[i + 1, 1] - table[i, 1]);
    rise[i] = s[i]*(table[i, 3] + s[i]/(table[i + 1, 1] - table[i, 1])*(
      3*(table[i + 1, 2] - table[i, 2])/(table[i + 1, 1] - table[i, 1])
      - 2*table[i, 3] - table[i, 4]
      + s[i]/(table[i + 1, 1] - table[i, 1])*(table[i, 3] + table[i, 4]
      - 2*(table[i + 1, 2] - table[i, 2])/(table[i + 1, 1] - table[i, 1]))));
  end for;
  y = table[1, 2] + sum(rise);

  annotation (
    Documentation(info="<html>
<p>Cubic Hermite interpolation, without a search in the table and without another library: the first
value and what each piece adds, from zero before it to its whole rise after it.</p>
</html>"));
end Table;
