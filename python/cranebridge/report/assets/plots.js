// The plots: one time axis, one cursor, phase marks behind the curves.
"use strict";
(() => {
  const page = window.cranebridge;
  let data = page.data, time = data.times ?? page.decode(data.time);
  const plots = [];
  const values = (curve) => curve.data ?? page.decode(curve.values);
  const HEIGHT = 210;
  const { number } = page;

  const range = (panel) => (u, low, high) => {
    for (const [, value] of panel.limits) { low = Math.min(low, value); high = Math.max(high, value); }
    if (!Number.isFinite(low) || !Number.isFinite(high)) return [-1, 1];
    const size = Math.max(Math.abs(low), Math.abs(high));
    // what is constant up to rounding is drawn as a line, not as noise over the whole height
    const pad = high - low > 1e-6 * size ? 0.07 * (high - low) : size > 0 ? 0.05 * size : 1;
    return [low - pad, high + 2.2 * pad]; // room for the names of the phases
  };

  // Calls `paint` with the plotting area as the only place that can be drawn on.
  const inside = (u, paint) => {
    const { ctx, bbox } = u, ratio = devicePixelRatio || 1;
    ctx.save();
    ctx.beginPath();
    ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
    ctx.clip();
    ctx.font = `${Math.round(11 * ratio)}px system-ui, sans-serif`;
    paint(ctx, bbox, ratio);
    ctx.restore();
  };
  // Left and right end of each phase that is in sight.
  const bands = (u, { left, width }) => data.phases.map(([name, begin, end], i) => ({
    name, shaded: i % 2 === 0,
    left: Math.max(u.valToPos(begin, "x", true), left),
    right: Math.min(u.valToPos(end, "x", true), left + width),
  })).filter((band) => band.right > band.left);

  const shade = (band) => page.colour(band.colour == null ? "--bad" : `--c${band.colour % 7}`);
  // What lies beyond the limits, faint. That of one curve among others fades away: they may be there.
  const forbid = (u, panel, ctx, bbox, ratio) => {
    for (const band of panel.bands) {
      const y = u.valToPos(band.value, "y", true), up = band.side === "most";
      const reach = band.colour == null ? bbox.height + bbox.top : 26 * ratio, end = up ? y - reach : y + reach;
      let fill = shade(band);
      if (band.colour != null) {
        fill = ctx.createLinearGradient(0, y, 0, end);
        fill.addColorStop(0, shade(band));
        fill.addColorStop(1, `${shade(band)}00`);
      }
      ctx.globalAlpha = band.colour == null ? 0.1 : 0.25;
      ctx.fillStyle = fill;
      ctx.fillRect(bbox.left, Math.min(y, end), bbox.width, reach);
    }
    ctx.globalAlpha = 1;
  };
  // Where a plan touches a limit: a strip beyond the line, so that the curve stays visible.
  const touch = (u, panel, ctx, ratio) => {
    const thick = 6 * ratio, thin = 2 * ratio;
    for (const band of panel.bands) {
      const y = u.valToPos(band.value, "y", true), top = band.side === "most" ? y - thick : y;
      ctx.globalAlpha = 0.75;
      ctx.fillStyle = shade(band);
      for (const [begin, end] of band.active) {
        const left = u.valToPos(begin, "x", true), right = u.valToPos(end, "x", true);
        ctx.fillRect(Math.min(left, (left + right - thin) / 2), top, Math.max(right - left, thin), thick);
      }
    }
    ctx.globalAlpha = 1;
  };

  const marks = (panel) => ({ hooks: {
    drawClear: (u) => inside(u, (ctx, bbox, ratio) => {
      forbid(u, panel, ctx, bbox, ratio);
      ctx.fillStyle = page.colour("--band");
      for (const band of bands(u, bbox)) {
        if (band.shaded) ctx.fillRect(band.left, bbox.top, band.right - band.left, bbox.height);
      }
      ctx.strokeStyle = page.colour("--soft");
      ctx.lineWidth = ratio;
      ctx.setLineDash([2 * ratio, 4 * ratio]);
      for (const knot of data.knots) {
        const x = Math.round(u.valToPos(knot, "x", true));
        ctx.beginPath();
        ctx.moveTo(x, bbox.top);
        ctx.lineTo(x, bbox.top + bbox.height);
        ctx.stroke();
      }
    }),
    draw: (u) => inside(u, (ctx, bbox, ratio) => {
      ctx.fillStyle = page.colour("--soft");
      ctx.textAlign = "center";
      ctx.textBaseline = "top";
      for (const { name, left, right } of bands(u, bbox)) {
        if (ctx.measureText(name).width + 8 * ratio > right - left) continue;
        ctx.fillText(name, (left + right) / 2, bbox.top + 4 * ratio);
      }
      touch(u, panel, ctx, ratio);
      ctx.strokeStyle = ctx.fillStyle = page.colour("--bad");
      ctx.lineWidth = 1.5 * ratio;
      ctx.setLineDash([7 * ratio, 4 * ratio]);
      ctx.textAlign = "right";
      for (const [, value] of panel.limits) {
        const y = u.valToPos(value, "y", true);
        ctx.beginPath();
        ctx.moveTo(bbox.left, y);
        ctx.lineTo(bbox.left + bbox.width, y);
        ctx.stroke();
      }
      ctx.setLineDash([]);
      ctx.strokeStyle = page.colour("--card");
      ctx.lineWidth = 4 * ratio;
      ctx.textBaseline = "middle";
      const placed = [];
      for (const [label, value] of panel.limits) {
        // inside of upper and lower bounds, away from the names of the phases, and side by side
        const y = u.valToPos(value, "y", true), above = y > bbox.top + bbox.height / 2;
        const middle = y + (above ? -8 : 8) * ratio;
        let right = bbox.left + bbox.width - 4 * ratio;
        for (const other of placed) {
          if (Math.abs(other.middle - middle) < 13 * ratio) right = Math.min(right, other.left);
        }
        ctx.strokeText(label, right, middle);
        ctx.fillText(label, right, middle);
        placed.push({ middle, left: right - ctx.measureText(label).width - 10 * ratio });
      }
    }),
  } });

  // Time under a pointer, from the left edge of the plotting area.
  const pointed = (u, event) => {
    const box = u.over.getBoundingClientRect();
    return u.posToVal(Math.min(Math.max(event.clientX - box.left, 0), box.width), "x");
  };
  let dragging = false;
  addEventListener("mouseup", () => { dragging = false; });
  const cursor = {
    y: false,
    drag: { x: true, y: false, dist: 5 },
    points: { size: 7 },
    bind: {
      mousedown: (u, target, handler) => (event) => { dragging = true; handler(event); },
      mousemove: (u, target, handler) => (event) => {
        if (dragging) handler(event);
        else if (!page.playing()) page.seek(pointed(u, event));
      },
      // the cursor stays where the animation is
      mouseleave: () => () => {},
      mouseenter: () => () => {},
    },
  };

  let shown = [time[0], time[time.length - 1]];
  const zoom = (low, high) => {
    // uPlot tells of a new scale later, also of those that are set here
    if (low === shown[0] && high === shown[1]) return;
    shown = [low, high];
    for (const plot of plots) plot.setScale("x", { min: low, max: high });
    requestAnimationFrame(() => point(page.time()));
  };

  // Legend and dots are elements: as a variable their colour follows a theme that changes.
  const colourOf = (panel) => (u, i) => (i ? `var(--c${panel.curves[i - 1].colour % 7})` : null);
  const make = (panel, holder) => {
    const axis = { stroke: () => page.colour("--soft"), grid: { stroke: () => page.colour("--grid"), width: 1 },
      ticks: { stroke: () => page.colour("--grid"), width: 1 }, font: "12px system-ui, sans-serif",
      labelFont: "12px system-ui, sans-serif", labelSize: 18, labelGap: 0 };
    const options = {
      width: holder.clientWidth, height: HEIGHT, padding: [8, 8, 0, 0],
      cursor: { ...cursor, points: { ...cursor.points, stroke: colourOf(panel), fill: colourOf(panel) } },
      legend: { live: true, markers: {
        stroke: colourOf(panel),
        dash: (u, i) => (panel.curves[i - 1]?.style === "dashed" ? "dashed" : "solid"),
      } },
      scales: { x: { time: false, range: (u, low, high) => [low, high] }, y: { range: range(panel) } },
      axes: [
        { ...axis, label: "time [s]", size: 30 },
        { ...axis, label: `${panel.axis} [${panel.unit}]`, size: 54 },
      ],
      series: [
        { label: "t [s]", value: (u, value) => (value == null ? "–" : value.toFixed(2)) },
        ...panel.curves.map((curve) => ({
          label: curve.label, stroke: () => page.colour(`--c${curve.colour % 7}`),
          // where a dashed curve covers a solid one, both are seen
          width: curve.style === "faint" ? 4 : curve.style === "dashed" ? 1.5 : 2,
          alpha: curve.style === "faint" ? 0.4 : 1,
          dash: curve.style === "dashed" ? [7, 5] : undefined,
          points: { show: false }, value: (u, value) => number(value),
        })),
      ],
      hooks: { setScale: [(u, key) => {
        if (key === "x" && plots.length === data.panels.length) zoom(u.scales.x.min, u.scales.x.max);
      }] },
      plugins: [marks(panel)],
    };
    const plot = new uPlot(options, [time, ...panel.curves.map(values)], holder);
    plot.ctx.canvas.setAttribute("role", "img");
    plot.ctx.canvas.setAttribute("aria-label", `${panel.title} over time in ${panel.unit}`);
    plot.root.querySelector(".u-legend").setAttribute("aria-label", `${panel.title} at the time of the player`);
    plot.over.addEventListener("click", (event) => page.seek(pointed(plot, event)));
    for (const kind of ["touchstart", "touchmove"]) {
      plot.over.addEventListener(kind, (event) => {
        if (event.touches.length === 1) page.seek(pointed(plot, event.touches[0]));
      }, { passive: true });
    }
    panel.curves.forEach((curve, i) => {
      const label = plot.root.querySelectorAll(".u-legend .u-series")[i + 1];
      if (label && curve.meaning) label.title = curve.meaning;
    });
    plot.panel = panel;
    new ResizeObserver(() => {
      if (holder.clientWidth && holder.clientWidth !== plot.width) {
        plot.setSize({ width: holder.clientWidth, height: HEIGHT });
        point(page.time());
      }
    }).observe(holder);
    return plot;
  };

  const point = (t, which = plots) => {
    const [before, part] = page.locate(time, t), sample = before + Math.round(part);
    for (const plot of which) {
      const { min, max } = plot.scales.x;
      const visible = min != null && t >= min - 1e-9 && t <= max + 1e-9;
      plot.setCursor(visible ? { left: plot.valToPos(t, "x"), top: 0 } : { left: -10, top: -10 }, false);
      // by time and not by pixel, so that all legends tell of the same sample
      plot.setLegend({ idx: sample }, false);
    }
  };

  // New numbers are drawn where they are seen; other plots wait until they are scrolled to.
  const seen = new Set();
  let told = null;
  const drawWaiting = (which = plots.filter((plot) => seen.has(plot.root.parentNode))) => {
    const drawn = which.filter((plot) => plot.waiting);
    for (const plot of drawn) {
      plot.waiting = false;
      plot.setScale("x", { min: shown[0], max: shown[1] });
    }
    if (drawn.length) requestAnimationFrame(() => point(page.time(), drawn));
  };
  const watch = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) if (isIntersecting) seen.add(target); else seen.delete(target);
    drawWaiting();
  });
  addEventListener("beforeprint", () => drawWaiting(plots));

  const build = () => {
    seen.clear();
    watch.disconnect();
    for (const plot of plots.splice(0)) plot.destroy();
    for (const holder of document.querySelectorAll("[data-panel]")) {
      plots.push(make({ ...data.panels[Number(holder.dataset.panel)] }, holder));
      watch.observe(holder);
    }
  };
  build();
  // Another motion: the same curves get new numbers, others get new plots.
  const layout = (panels) => JSON.stringify(panels.map((panel) => [panel.title, panel.axis, panel.unit,
    panel.curves.map((curve) => [curve.label, curve.colour, curve.style])]));
  page.onData(() => {
    const whole = shown[0] === time[0] && shown[1] === time[time.length - 1];
    data = page.data;
    time = data.times ?? page.decode(data.time);
    if (whole) shown = [time[0], time[time.length - 1]];
    if (layout(plots.map((plot) => plot.panel)) !== layout(data.panels)) {
      shown = [time[0], time[time.length - 1]];
      build();
      requestAnimationFrame(() => point(page.time()));
      return;
    }
    plots.forEach((plot, i) => {
      Object.assign(plot.panel, data.panels[i]);
      plot.setData([time, ...data.panels[i].curves.map(values)], false);
      plot.waiting = true;
    });
    drawWaiting();
  });
  page.onTime((t) => { if (t !== told) point(told = t); });
  page.onTheme(() => plots.forEach((plot) => plot.redraw()));

  const span = () => [...shown];
  const whole = () => zoom(time[0], time[time.length - 1]);
  const scale = (factor) => {
    const [low, high] = span(), t = Math.min(Math.max(page.time(), low), high);
    const begin = Math.max(time[0], t - (t - low) * factor);
    const end = Math.min(time[time.length - 1], t + (high - t) * factor);
    if (end - begin > 1e-4 * (data.end - data.begin)) zoom(begin, end);
  };
  document.getElementById("zoom-in").addEventListener("click", () => scale(0.5));
  document.getElementById("zoom-out").addEventListener("click", () => scale(2));
  document.getElementById("zoom-all").addEventListener("click", whole);

  page.cursors = () => plots.map((plot) => plot.posToVal(plot.cursor.left, "x"));
  page.zoom = zoom;
  page.span = span;
  page.plots = plots;
})();
