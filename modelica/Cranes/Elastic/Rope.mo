within Cranes.Elastic;
model Rope "Chain of springs and point masses between a winch and a load"
  parameter Integer n = 0 "Number of lumps between the ends";
  parameter Integer dim = 3 "2 in the vertical plane, 3 in space; the last component is up";
  parameter Types.Force EA = 2e7 "Stiffness: force by strain";
  parameter Real D(unit="N.s") = 0 "Damping: force by strain rate, of a length that is kept";
  parameter Types.Mass m = 100 "Mass of the load";
  parameter Types.Mass m_lump = 1 "Mass of each lump";
  parameter Types.Length l_lump = 1 "Free length of the element below each lump";
  parameter Types.Acceleration g = 9.81 "Gravity";
  parameter Types.Position w_start[n + 1, dim] "Start values of w";
  parameter Types.Velocity v_w_start[n + 1, dim] = zeros(n + 1, dim) "Start values of v_w";

  input Types.Length l "Free length of the first element, which the winch has paid out";
  input Types.Velocity v_l "Velocity of the rope at the winch";
  input Types.Position top[dim] "Where the rope begins";
  input Types.Velocity v_top[dim] "Velocity of that point";
  input Types.Acceleration a_top[dim] "Acceleration of that point";
  input Types.Force F[dim] "Force on the load besides rope and weight";

  output Types.Position w[n + 1, dim](start=w_start, each fixed=true)
    "Each element, from its upper to its lower end";
  output Types.Velocity v_w[n + 1, dim](start=v_w_start, each fixed=true) "Time derivative of w";
  output Types.Position r[n + 1, dim] "Lumps and, last, the load";
  output Types.Velocity v[n + 1, dim] "Velocities of lumps and load";
  output Types.Force T[n + 1] "Force in each element, positive pulls";
  output Types.Force f[n + 1, dim] "Force of each element on its upper end";
  output Types.Force strain "T^2/(2 EA) of the first element, without damping: acts on the winch";
  output Types.Energy energy "Kinetic energy, weight and strain of all elements, lumps and load";

protected
  Types.Length L[n + 1] "Free length of each element";
  Types.Velocity v_L[n + 1] "Its time derivative";
  Types.Length d[n + 1] "Length of each element";
  Types.Position e[n + 1] "Its stretch";
  Types.Acceleration a[n + 1, dim] "Accelerations of lumps and load";
  Types.Acceleration weight[dim] "Acceleration of free fall";
  Types.Mass mass[n + 1] "Lumps and load";
  Types.Energy parts[n + 1] "Energy of each element and of what hangs on it";

equation
  for i in 1:dim loop
    weight[i] = if i == dim then -g else 0;
  end for;
  for k in 1:n + 1 loop
    L[k] = if k == 1 then l else l_lump;
    v_L[k] = if k == 1 then v_l else 0;
    mass[k] = if k == n + 1 then m else m_lump;
    d[k] = sqrt(w[k, :]*w[k, :]);
    e[k] = d[k] - L[k];
    T[k] = (EA*e[k] + D*(w[k, :]*v_w[k, :]/d[k] - v_L[k]))/L[k];
    parts[k] = mass[k]*(v[k, :]*v[k, :]/2 + g*r[k, dim]) + EA*e[k]^2/(2*L[k]);
    for i in 1:dim loop
      der(w[k, i]) = v_w[k, i];
      f[k, i] = T[k]*w[k, i]/d[k];
      der(v_w[k, i]) = a[k, i] - (if k == 1 then a_top[i] else a[max(k - 1, 1), i]);
      r[k, i] = w[k, i] + (if k == 1 then top[i] else r[max(k - 1, 1), i]);
      v[k, i] = v_w[k, i] + (if k == 1 then v_top[i] else v[max(k - 1, 1), i]);
      mass[k]*(a[k, i] - weight[i]) = (if k == n + 1 then F[i] else f[min(k + 1, n + 1), i]) - f[k, i];
    end for;
  end for;
  strain = EA*e[1]^2/(2*L[1]^2);
  energy = sum(parts);

  annotation (Documentation(info="<html>
<p>Element <code>k</code> has the vector <code>w_k</code> and the free length <code>L_k</code>: that of
the first is <code>l</code>, which the winch pays out, the others keep <code>l_lump</code>.</p>
<pre>T_k  = (EA (|w_k| - L_k) + D (|w_k|' - L_k'))/L_k,    f_k = T_k w_k/|w_k|
m_k a_k = f_(k+1) - f_k - m_k g e_z,   m a = F - f_(n+1) - m g e_z
w_k'' = a_k - a_(k-1),   w_1'' = a_1 - a_top</pre>
<p>The rope that is paid out is strained: the balance of the winch gets
<code>strain = EA e_1^2/(2 l^2)</code> beside the force <code>T_1</code>. Its mass is not modelled. A
rope that is compressed pushes, as the rigid one does: this is told, not modelled otherwise.</p>
</html>"));
end Rope;
