// The line beside the player: where the load is now, and how far off.
"use strict";
(() => {
  const page = window.cranebridge, now = document.getElementById("now");
  const decoded = (entries) => entries.map((entry) => ({ ...entry, values: page.decode(entry.values) }));
  let time, readings, ropes;
  const read = () => {
    time = page.data.times ?? page.decode(page.data.time);
    readings = decoded(page.data.readings);
    ropes = decoded(page.data.ropes);
  };
  read();
  page.onData(read);
  page.onTime((t) => {
    const [i, part] = page.locate(time, t);
    const texts = readings.map(({ label, unit, values, text }) => {
      if (text) return `${label} ${text}`; // such as an error too small to tell
      const value = values[i] + part * ((values[i + 1] ?? values[i]) - values[i]);
      return `${label} ${page.number(value)} ${unit}`;
    });
    const sample = i + Math.round(part);
    const pushing = ropes.filter(({ values, slack }) => values[sample] < -slack)
      .map(({ label }) => `${label} would have to push`);
    now.textContent = [page.phase(t), ...texts, ...pushing].filter(Boolean).join(" · ");
  });
  requestAnimationFrame(() => page.seek(page.time()));
})();
