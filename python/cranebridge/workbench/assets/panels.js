// The figures that the plots are drawn in: one a panel, made before plots.js looks for them.
"use strict";
(() => {
  const page = window.cranebridge, holder = document.getElementById("panels");
  let made = "";
  page.onData(() => {
    const titles = page.data.panels.map((panel) => [panel.title, panel.unit]);
    const wanted = JSON.stringify(titles);
    if (wanted === made) return;
    made = wanted;
    holder.replaceChildren(...titles.map(([title, unit], i) => {
      const figure = document.createElement("figure"), caption = document.createElement("figcaption");
      const small = document.createElement("small"), plot = document.createElement("div");
      figure.className = "card";
      caption.id = `panel-${i}`;
      figure.setAttribute("aria-labelledby", caption.id);
      small.textContent = `in ${unit}`;
      caption.append(`${title} `, small);
      plot.className = "plot";
      plot.dataset.panel = i;
      figure.append(caption, plot);
      return figure;
    }));
  });
})();
