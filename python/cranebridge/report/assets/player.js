// The clock of the page: one time that slider, keys, plots and animation share.
"use strict";
window.cranebridge = (() => {
  let data = JSON.parse(document.getElementById("data").textContent);
  const byId = (id) => document.getElementById(id);

  // Numbers come as little-endian 32-bit floats in base64.
  const decode = (text) => {
    const raw = atob(text);
    const bytes = new Uint8Array(raw.length);
    for (let i = 0; i < raw.length; i++) bytes[i] = raw.charCodeAt(i);
    return new Float32Array(bytes.buffer);
  };
  const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

  // Where `t` is among increasing `times`: index of the sample before it, and how far beyond it.
  const locate = (times, t) => {
    let low = 0, high = times.length - 1;
    if (t <= times[0]) return [0, 0];
    if (t >= times[high]) return [Math.max(high - 1, 0), high > 0 ? 1 : 0];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (times[middle] <= t) low = middle; else high = middle;
    }
    return [low, (t - times[low]) / (times[high] - times[low])];
  };

  // A number as it is read: no minus before zero.
  const number = (value) => {
    if (value == null) return "–";
    const size = Math.abs(value);
    const digits = size >= 1000 ? 1 : size >= 100 ? 2 : size >= 10 ? 3 : 4;
    const text = value.toFixed(digits);
    return Number(text) === 0 ? text.replace("-", "") : text.replace("-", "−");
  };

  const listeners = [], themed = [], renewed = [];
  let time = data.begin, playing = false, speed = 1, last = 0;
  const play = byId("play"), slider = byId("slider"), clock = byId("clock");

  const show = () => {
    slider.value = time;
    const text = `${time.toFixed(2)} s`;
    if (clock.textContent !== text) clock.textContent = text;
    slider.setAttribute("aria-valuetext", text);
    for (const listener of listeners) listener(time);
  };
  const seek = (t) => {
    time = Math.min(Math.max(t, data.begin), data.end);
    show();
  };
  const step = (now) => {
    if (!playing) return;
    // a tab that slept must not jump
    time = Math.min(time + Math.min((now - last) / 1000, 0.1) * speed, data.end);
    last = now;
    show();
    if (time >= data.end) pause(); else requestAnimationFrame(step);
  };
  const start = () => {
    if (playing) return;
    if (time >= data.end) time = data.begin;
    playing = true;
    play.textContent = "Pause";
    requestAnimationFrame((now) => { last = now; step(now); });
  };
  const pause = () => {
    playing = false;
    play.textContent = "Play";
  };
  const toggle = () => (playing ? pause() : start());

  play.addEventListener("click", toggle);
  slider.addEventListener("input", () => seek(Number(slider.value)));
  byId("speed").addEventListener("change", (event) => { speed = Number(event.target.value); });
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const within = event.target.closest ? event.target : document.body;
    const own = within.closest("button, select, summary, textarea, input:not([type=range])");
    if ((event.key === " " || event.key === "k") && !own) {
      event.preventDefault();
      toggle();
    } else if ((event.key === "ArrowLeft" || event.key === "ArrowRight") && !own) {
      event.preventDefault();
      seek(time + (event.key === "ArrowLeft" ? -1 : 1) * (data.end - data.begin) / (event.shiftKey ? 20 : 200));
    }
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
    for (const listener of themed) listener();
  });

  // Another motion in place of this one, which stays at its time as far as that is within it.
  const replace = (next) => {
    page.data = data = next;
    page.end = data.end;
    slider.min = data.begin;
    slider.max = data.end;
    for (const listener of renewed) listener();
    seek(time);
  };

  const phase = (t) => data.phases.find(([, begin, end]) => t >= begin && t < end)?.[0] ?? "";

  const page = {
    data, decode, colour, locate, number, seek, play: start, pause, toggle, phase, replace,
    onTime: (listener) => listeners.push(listener),
    onTheme: (listener) => themed.push(listener),
    onData: (listener) => renewed.push(listener),
    time: () => time,
    playing: () => playing,
    end: data.end,
  };
  return page;
})();
