// What the page knows: the scenario's state, its curves, a pinned variant; and how it is changed.
import { get, post, Gone, Refused } from "/assets/api.js";

const page = window.cranebridge;
export const store = { state: null, live: null, pinned: null, shown: null, stale: false };
export const timings = []; // ms from a pointer's move to its curves, for benchmarks/workbench.py
window.workbench = { store, timings, busy: () => Boolean(busy || waiting || editing) };

const listeners = { state: [], data: [], trouble: [], unplanned: [], gone: [] };
export const on = (what, listener) => listeners[what].push(listener);
const notify = (what, value) => { for (const listener of listeners[what]) listener(value); };

export const trouble = (error) => {
  if (error instanceof Gone) notify("gone", error);
  else notify("trouble", error == null ? "" : error.message);
};

// Curves of another scenario or crane are no curves of this one: they go before anybody reads them.
const nothing = page.data;
let crane = null;
const take = (state) => {
  if (store.state && state.revision < store.state.revision) return;
  const other = store.state && (store.state.name !== state.name || store.state.file !== state.file);
  const known = state.described && JSON.stringify([state.described.crane, state.described.axes]);
  const clear = other || (known && crane && known !== crane);
  crane = known ?? crane;
  store.state = state;
  if (clear) {
    store.pinned = store.shown = store.live = null;
    page.replace(nothing);
    notify("data", null);
  }
  notify("state", state);
};

export const refresh = async () => {
  try {
    take(await get("/api/state"));
    await solve([], true);
  } catch (error) { trouble(error); }
};

// ---- curves

const curvesOf = (data) => data.panels.map((panel) => panel.curves.map((curve) => page.decode(curve.values)));

// The pinned curves beside those of now, over the times of both.
const compared = (data, pinned) => {
  const time = page.decode(data.time), before = page.decode(pinned.time);
  const times = [...time, ...before.filter((t) => t > time[time.length - 1] + 1e-9)];
  const values = curvesOf(data), old = curvesOf(pinned);
  const panels = data.panels.map((panel, i) => {
    const k = pinned.panels.findIndex((other) => other.title === panel.title && other.axis === panel.axis);
    const curves = panel.curves.map((curve, j) => ({
      ...curve, data: times.map((_, n) => (n < time.length ? values[i][j][n] : null)),
    }));
    if (k < 0) return { ...panel, curves };
    const factor = data.panel_keys[i][1] / pinned.panel_keys[k][1];
    pinned.panels[k].curves.forEach((curve, j) => curves.push({
      ...curve, label: `${curve.label} pinned`, style: "dashed",
      data: times.map((t) => {
        if (t > before[before.length - 1] + 1e-9) return null;
        const [n, part] = page.locate(before, t);
        return factor * (old[k][j][n] + part * ((old[k][j][n + 1] ?? old[k][j][n]) - old[k][j][n]));
      }),
    }));
    return { ...panel, curves };
  });
  const ways = pinned.scene?.wanted ? [["pinned", pinned.scene.wanted]] : [];
  return { ...data, times, panels, end: Math.max(data.end, pinned.end),
    scene: data.scene && withWays(data.scene, ways) };
};
// The same scene must be the same object: the animation draws a new one anew.
const drawn = new WeakMap();
const withWays = (scene, ways) => {
  if (!ways.length) return scene;
  const known = drawn.get(scene);
  if (known?.key === ways[0][1]) return known.scene;
  const made = { ...scene, ways };
  drawn.set(scene, { key: ways[0][1], scene: made });
  return made;
};

export const draw = () => {
  const data = store.shown?.data ?? store.live;
  if (!data) return;
  page.replace(store.pinned && store.pinned !== data ? compared(data, store.pinned) : data);
  notify("data", data);
};

const arrived = (data) => {
  store.stale = Boolean(data.unplanned || data.error);
  notify("unplanned", "");
  if (data.error) {
    notify("data", store.live);
    trouble(new Error(data.error));
    return;
  }
  notify("trouble", "");
  if (data.unplanned) {
    notify("unplanned", `${data.unplanned}.${store.live ? " The curves are of the scenario before." : ""}`);
    notify("data", store.live);
    return;
  }
  store.live = data.scene === undefined
    ? { ...data, scene: store.live?.scene ?? null, note: store.live?.note ?? "" } : data;
  store.shown = null;
  draw();
};

const solve = async (changes, scene) => {
  const { revision, waiting, error } = store.state;
  if (waiting.length || error) { store.stale = true; notify("unplanned", ""); notify("trouble", error); return; }
  try {
    const data = await post("live", { revision, changes, scene });
    if (!data.older) arrived(data);
    else if (!editing) await refresh();
  } catch (problem) {
    store.stale = true;
    notify("data", store.live);
    trouble(problem);
  }
};

// Tries changes out: one request at a time, and only the latest of those that wait.
let waiting = null, busy = false, later = 0;
export const preview = (changes, began = performance.now()) => {
  waiting = { changes, began };
  clearTimeout(later);
  pump();
};
const pump = async () => {
  if (busy || editing || !waiting) return; // what is tried out belongs to the revision after the edit
  busy = true;
  const { changes, began } = waiting;
  waiting = null;
  await solve(changes, false);
  await null; // uPlot draws in a microtask
  timings.push(performance.now() - began);
  busy = false;
  if (waiting) pump();
  else later = setTimeout(() => { if (!busy && !editing) solve(changes, true); }, 120);
};

// ---- changes

let editing = 0;
const change = async (name, body) => {
  waiting = null;
  clearTimeout(later);
  editing++;
  try {
    take(await post(name, { revision: store.state.revision, ...body }));
    await solve([], true);
    return true;
  } catch (error) {
    if (error instanceof Refused && error.answer.conflict) await refresh();
    trouble(error);
    if (!(error instanceof Refused && error.answer.conflict)) await solve([], true).then(() => trouble(error));
    return false;
  } finally {
    editing--;
    pump();
  }
};
export const edit = (changes, label) => change("edit", { changes, label });
export const replaceText = (text) => change("text", { text });
export const undo = () => change("undo", {});
export const redo = () => change("redo", {});
export const openSource = (source) => change("open", { source });
export const save = (name = null) => change("save", { name });
export const restore = (discard) => change("restore", { discard });
export const agree = (file) => change("agree", { path: file.path, sha256: file.sha256 });

export const takeEvent = (entry) => {
  if (entry.kind === "revision" && store.state && entry.revision > store.state.revision && !editing) refresh();
};
export const pin = () => {
  store.pinned = store.pinned ? null : (store.shown?.data ?? store.live);
  draw();
};
export const showResult = (result) => { store.shown = result; draw(); };
