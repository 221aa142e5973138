within Cranes;
block TimeTable "Signal over time: a table with cubic pieces between its rows"
  parameter Real table[:, 4]
    "Rows of time, value, rate after this row, rate before the next row; times increase";

  output Real y "Signal; before the first and after the last row it keeps the value there";

protected
  parameter Integer n = size(table, 1) - 1 "Number of pieces";
  Types.Time s[n] "How far each piece has been passed through";
  Real rise[n] "What each piece has added";

equation
  for i in 1:n loop
    s[i] = min(max(time - table[i, 1], 0), table[i + 1, 1] - table[i, 1]);
    rise[i] = s[i]*(table[i, 3] + s[i]/(table[i + 1, 1] - table[i, 1])*(
      3*(table[i + 1, 2] - table[i, 2])/(table[i + 1, 1] - table[i, 1])
      - 2*table[i, 3] - table[i, 4]
      + s[i]/(table[i + 1, 1] - table[i, 1])*(table[i, 3] + table[i, 4]
      - 2*(table[i + 1, 2] - table[i, 2])/(table[i + 1, 1] - table[i, 1]))));
  end for;
  y = table[1, 2] + sum(rise);

  annotation (
    Documentation(info="<html>
<p>Cubic Hermite interpolation, without a search in the table and without another library. On a piece
of length <code>h</code> with values <code>y_0</code>, <code>y_1</code> and rates <code>d_0</code>,
<code>d_1</code> at its ends, at the time <code>s</code> after its beginning,</p>
<pre>y = y_0 + s (d_0 + s/h (3 (y_1 - y_0)/h - 2 d_0 - d_1 + s/h (d_0 + d_1 - 2 (y_1 - y_0)/h)))</pre>
<p>With <code>s</code> limited to <code>0 ... h</code> the second term is zero before the piece and
<code>y_1 - y_0</code> after it, so that the signal is the first value plus the sum of all of them.
The rates of two neighbouring pieces may differ: the signal has a bend there.</p>
</html>"));
end TimeTable;
