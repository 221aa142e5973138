// The sheets of the editor: path, obstacles, limits, crane, plant, and the text itself.
import { byId, make, number } from "/assets/dom.js";
import { button, checkField, choiceField, numberField } from "/assets/fields.js";
import { campaignSheet } from "/assets/campaign_form.js";
import { edit, on, replaceText, store } from "/assets/store.js";

const page = window.cranebridge;
const some = (condition, ...parts) => (condition ? parts : []);
const pairOf = (value) => (Array.isArray(value) ? value : null);
const group = (title, ...parts) => make("fieldset", {}, make("legend", {}, title), ...parts);

// ---- path

const outputs = () => store.state.described.outputs;
const CYLINDER = [{ name: "radius", unit: "m" }, { name: "angle", unit: "rad" }, { name: "height", unit: "m" }];
const pointFields = (title, place, values, extra = [], signals = outputs()) => group(title, make("div", { class: "numbers" },
  ...values.map((value, i) => numberField({
    label: signals[i]?.name ?? `${i + 1}`, unit: signals[i]?.unit ?? "", meaning: signals[i]?.meaning, value,
    change: (next) => [{ place, value: values.map((old, k) => (k === i ? next : old)) }],
  }))), ...extra);
const SHAPE = ["duration", "profile", "ramp", "smoothness", "speed", "acceleration", "jerk", "higher"];
const without = (path, keys) => keys.filter((key) => key in path).map((key) => ({ place: ["path", key], value: null }));
const between = (a, b) => a.map((value, i) => Number(((value + b[i]) / 2).toPrecision(6)));

// Another kind of path through the same points.
const converted = (path, kind) => {
  const points = path.points ?? [path.start, ...(path.via ?? []), path.goal].filter(Boolean);
  const [start, goal] = [points[0], points[points.length - 1]], set = (key, value) => ({ place: ["path", key], value });
  const timed = "duration" in path || (path.profile === "s-curve" && kind === "line") ? [] : [set("duration", Number(number(store.live?.end ?? 10, 3)))];
  if (kind === "optimal") return [set("kind", kind), set("start", start), set("goal", goal), set("objective", "time"),
    ...some(points.length > 2, set("via", points.slice(1, -1))), ...without(path, ["points", "times", "stop", ...SHAPE])];
  const plain = without(path, ["objective", "effort", "via", "times", "overshoot", "method", "accuracy", "stop"]);
  if (kind === "line") return [set("kind", kind), set("start", start), set("goal", goal), ...timed, ...plain, ...without(path, ["points"])];
  const all = points.length > 2 ? points : [start, between(start, goal), goal];
  // a path that does not stop at its points is a spline, and has no profile
  return [set("kind", kind), set("points", all), ...timed, ...plain,
    ...without(path, ["start", "goal", "profile", "ramp", "speed", "acceleration", "jerk", "higher"])];
};
const CONVERTIBLE = ["line", "waypoints", "optimal"];
const addPoint = (path) => {
  if (path.kind === "line") return converted(path, "waypoints");
  if (path.kind === "optimal") return [{ place: ["path", "via"], value: [...(path.via ?? []), between(path.via?.at(-1) ?? path.start, path.goal)] }];
  const { points } = path;
  return [{ place: ["path", "points"], value: [...points.slice(0, -1), between(points.at(-2), points.at(-1)), points.at(-1)] },
    ...without(path, ["times"])];
};
const removePoint = (path, i) => {
  if (path.kind === "optimal") return [{ place: ["path", "via"], value: path.via.length > 1 ? path.via.filter((_, k) => k !== i) : null }];
  return [{ place: ["path", "points"], value: path.points.filter((_, k) => k !== i) }, ...without(path, ["times"])];
};
const remove = (path, i) => [button("Remove", () => edit(removePoint(path, i), "remove way point"), { class: "small" })];

// Start and goal, or the place of a hold, of a path or of a part of it.
const endFields = (path, at, signals, of = "") => [["start", path.kind === "figure-eight" ? "Centre" : "Start"], ["goal", "Goal"], ["value", "Place"], ["size", "Size"]]
  .filter(([key]) => Array.isArray(path[key]))
  .map(([key, title]) => pointFields(`${title}${of}`, [...at, key], path[key], [], path.kind === "cylindrical" ? CYLINDER : signals));

const pathSheet = ({ content: { path }, choices }) => {
  const kinds = choices.path_kinds, keys = choices.path_keys, parts = [];
  const known = CONVERTIBLE.includes(path.kind) && (path.start || path.points) && (path.goal || path.points);
  const offered = Object.fromEntries((known ? CONVERTIBLE : [path.kind]).map((kind) => [kind, kinds[kind]?.meaning ?? ""]));
  parts.push(choiceField({ label: "Kind", value: path.kind, options: offered, meaning: kinds[path.kind]?.meaning, change: (kind) => converted(path, kind) }),
    make("p", { class: "soft" }, kinds[path.kind]?.meaning ?? ""));
  const length = path.duration;
  if (typeof length === "number") parts.push(numberField({ label: "Duration", unit: "s", value: length, span: [Number(number(length / 4, 2)), Number(number(length * 2.5, 2))], place: ["path", "duration"], meaning: keys.duration }));
  if (typeof path.ramp === "number") parts.push(numberField({ label: "Ramp", unit: "s", value: path.ramp, span: [Number(number((length ?? 10) / 100, 2)), (length ?? 10) / 2], place: ["path", "ramp"], meaning: keys.ramp }));
  if (known && (path.kind === "line" || path.stop)) parts.push(choiceField({ label: "Profile", value: path.profile ?? "polynomial", options: choices.profiles, meaning: keys.profile,
    change: (profile) => [{ place: ["path", "profile"], value: profile },
      ...(profile === "three-phase" ? [] : without(path, ["ramp"])), ...(profile === "s-curve" ? [] : without(path, ["speed", "acceleration", "jerk", "higher"])),
      ...some(profile === "three-phase" && !("ramp" in path), { place: ["path", "ramp"], value: Number(number((length ?? 8) / 4, 3)) }),
      ...(profile === "s-curve" ? [...without(path, ["duration"]), ...some(!("speed" in path), { place: ["path", "speed"], value: 1.0 }, { place: ["path", "acceleration"], value: 0.5 }, { place: ["path", "jerk"], value: 0.5 })]
        : some(!("duration" in path), { place: ["path", "duration"], value: Number(number(store.live?.end ?? 10, 3)) }))] }));
  for (const [key, unit] of [["speed", "m/s"], ["acceleration", "m/s²"], ["jerk", "m/s³"], ["effort", "s"], ["accuracy", ""], ["angle", "rad"]]) {
    if (typeof path[key] === "number") parts.push(numberField({ label: `${key[0].toUpperCase()}${key.slice(1)}`, unit, value: path[key], place: ["path", key], meaning: keys[key] }));
  }
  if (typeof path.smoothness === "number") parts.push(numberField({ label: "Smoothness", value: path.smoothness, place: ["path", "smoothness"], whole: true, meaning: keys.smoothness }));
  if (path.kind === "optimal") parts.push(choiceField({ label: "Objective", value: path.objective ?? "time", options: { time: "fastest", effort: "least effort in the duration", weighted: "time and effort" }, meaning: keys.objective,
    change: (next) => [{ place: ["path", "objective"], value: next }, ...some(next === "effort" && !path.duration, { place: ["path", "duration"], value: Number(number(store.live?.end ?? 10, 3)) }),
      ...(next === "effort" ? [] : without(path, ["duration"])), ...(next === "weighted" ? some(!path.effort, { place: ["path", "effort"], value: 0.1 }) : without(path, ["effort"]))] }));
  parts.push(...endFields(path, ["path"], outputs()));
  (path.parts ?? []).forEach((part, i) => {
    const signals = part.outputs.map((name) => outputs().find((one) => one.name === name) ?? { name });
    parts.push(...endFields(part, ["path", "parts", i], signals, ` of ${part.outputs.join(", ")} (${part.kind})`));
  });
  (path.via ?? []).forEach((values, i) => parts.push(pointFields(`Way point ${i + 1}`, ["path", "via", i], values, remove(path, i))));
  (path.points ?? []).forEach((values, i, all) => parts.push(pointFields(i === 0 ? "Start" : i === all.length - 1 ? "Goal" : `Way point ${i}`,
    ["path", "points", i], values, i > 0 && i < all.length - 1 && all.length > 2 ? remove(path, i) : [])));
  if (known) parts.push(button("Add way point", () => edit(addPoint(path), "add way point")));
  if (!known) parts.push(make("p", { class: "soft" }, "Other keys of this kind of path can be changed in the text."));
  return parts;
};

// ---- obstacles

const extent = () => {
  const { axes } = store.state.described, column = (axis) => (axis in axes && store.live ? page.decode(store.live.outputs[axes[axis]]) : [0]);
  return Object.fromEntries(["x", "y", "z"].map((axis) => [axis, [Math.min(...column(axis)), Math.max(...column(axis))]]));
};
const newObstacle = (kind) => {
  const at = extent(), planar = !("y" in store.state.described.axes);
  const size = Math.max(...Object.values(at).map(([a, b]) => b - a), 1), round = (v) => Number(v.toPrecision(3));
  const middle = (axis) => (at[axis][0] + at[axis][1]) / 2, low = at.z[0] - 0.1 * size;
  if (kind === "cylinder") return { kind, center: [round(middle("x")), round(middle("y"))], radius: round(0.08 * size), clearance: round(0.02 * size) };
  if (kind === "stack") return { kind, x: [round(middle("x") - 0.1 * size), round(middle("x") + 0.1 * size)], height: [round(low + 0.12 * size)], clearance: round(0.02 * size) };
  const corner = (sign) => [round(middle("x") + sign * 0.08 * size), ...some(!planar, round(middle("y") + sign * 0.08 * size)), round(sign < 0 ? low : low + 0.25 * size)];
  return { kind, low: corner(-1), high: corner(1), clearance: round(0.02 * size) };
};
const obstacleSheet = ({ content, choices, described }) => {
  if (!described.axes) return [make("p", {}, "The outputs of this crane are no position: it has no obstacles.")];
  const list = content.obstacles ?? [], planar = !("y" in described.axes), meaning = choices.obstacle_keys;
  const parts = list.map((one, i) => {
    const axes = { center: ["x", "y"], low: planar ? ["x", "z"] : ["x", "y", "z"], high: planar ? ["x", "z"] : ["x", "y", "z"] };
    const fields = Object.keys(meaning).filter((key) => key in one && !["kind", "clearance", "rope"].includes(key)).flatMap((key) =>
      (pairOf(one[key]) ?? [one[key]]).map((value, k) => numberField({
        label: pairOf(one[key]) ? `${key} ${axes[key]?.[k] ?? k + 1}` : key, unit: "m", value, meaning: meaning[key],
        change: (next) => [{ place: ["obstacles", i, key], value: pairOf(one[key]) ? one[key].map((old, n) => (n === k ? next : old)) : next }] })));
    return group(`Obstacle ${i + 1}: ${one.kind}`, make("div", { class: "numbers" }, ...fields,
      numberField({ label: "clearance", unit: "m", value: one.clearance ?? 0, place: ["obstacles", i, "clearance"], meaning: meaning.clearance })),
    checkField({ label: "ropes, too", value: one.rope, place: ["obstacles", i, "rope"], meaning: meaning.rope }),
    button("Remove", () => edit([{ place: list.length > 1 ? ["obstacles", i] : ["obstacles"], value: null }], "remove obstacle"), { class: "small" }));
  });
  const kinds = planar ? ["box", "stack"] : ["cylinder", "box", "stack"];
  const add = (kind) => edit([{ place: ["obstacles", list.length], value: newObstacle(kind) }], `add ${kind}`);
  return [...parts, make("div", { class: "row" }, ...kinds.map((kind) => button(`Add ${kind}`, () => add(kind), { title: choices.obstacle_kinds[kind] })))];
};

// ---- limits

const peak = (signal) => {
  const data = store.live, found = (data?.panels ?? []).flatMap((panel, i) => panel.curves
    .filter((curve) => curve.signal === `${signal.group}.${signal.name}`)
    .map((curve) => [page.decode(curve.values), data.panel_keys[i][1]]))[0];
  return found ? found[0].reduce((most, value) => Math.max(most, Math.abs(value)), 0) / found[1] : null;
};
const limitRow = (signal, value) => {
  const place = ["limits", signal.group, signal.name], label = `${signal.group}.${signal.name}`, pair = pairOf(value);
  const most = Math.max(2 * (peak(signal) ?? 0), 2 * Math.abs(pair ? pair[1] : value)) || 1;
  const fields = pair
    ? ["least", "most"].map((word, k) => numberField({ label: word, unit: signal.unit, value: pair[k], meaning: signal.meaning, change: (next) => [{ place, value: pair.map((old, n) => (n === k ? next : old)) }] }))
    : [numberField({ label: signal.group === "rope" ? "least" : "most ±", unit: signal.unit, value, meaning: signal.meaning, place, span: [Number(number(most / 200, 2)), Number(number(most, 2))] })];
  return group(label, make("p", { class: "soft" }, signal.meaning), ...fields,
    button("Remove", () => edit([{ place, value: null }], `remove limit of ${label}`), { class: "small" }));
};
const limitSheet = ({ content, described, choices }) => {
  const table = content.limits ?? {}, given = described.signals.filter(({ group: g, name }) => table[g] && typeof table[g] === "object" && !Array.isArray(table[g]) && name in table[g]);
  const others = described.signals.filter((signal) => !given.includes(signal));
  const select = make("select", { "aria-label": "Signal to limit" }, ...others.map((signal, i) => make("option", { value: i, title: signal.meaning }, `${signal.group}.${signal.name} [${signal.unit}]`)));
  const add = () => {
    const signal = others[select.value], most = peak(signal);
    if (signal) edit([{ place: ["limits", signal.group, signal.name], value: Number(number(signal.group === "rope" ? 0 : most ? 1.1 * most : 1, 3)) }], `limit ${signal.group}.${signal.name}`);
  };
  return [
    choiceField({ label: "Ropes", value: table.ropes ?? "pull", options: { pull: "a rope that pushes is a failed verdict", ignore: "not judged" }, place: ["limits", "ropes"] }),
    numberField({ label: "Tracking", unit: "m, rad", value: table.tracking ?? 1e-3, place: ["limits", "tracking"], meaning: "largest error of an output that passes" }),
    ...given.map((signal) => limitRow(signal, table[signal.group][signal.name])),
    make("div", { class: "row" }, select, button("Add limit", add)),
    make("p", { class: "soft" }, `u ${choices.groups.u}, q ${choices.groups.q}, v speed, a acceleration, rope least force.`),
  ];
};

// ---- crane, plant, text

const parameterRow = (part, given, table) => make("div", { class: `parameter${part.name in given ? " own" : ""}` },
  numberField({ label: part.name, unit: part.unit === "1" ? "" : part.unit, value: part.value, meaning: part.meaning, place: [...table, part.name] }),
  make("span", { class: "soft" }, part.meaning),
  part.name in given ? button("Default", () => edit([{ place: [...table, part.name], value: null }], `default ${part.name}`), { class: "small", title: `back to ${number(part.default)}` }) : null);
const craneSheet = ({ described, content }) => [
  make("p", { class: "soft" }, described.description),
  ...described.parameters.map((part) => parameterRow(part, content.crane.parameters ?? {}, ["crane", "parameters"])),
];
const plantSheet = ({ described, content }) => {
  const plant = content.plant ?? {}, own = plant.parameters ?? {};
  const name = make("input", { type: "text", "aria-label": "Name of a plant parameter", placeholder: "name, such as m", list: null });
  const value = make("input", { type: "number", step: "any", "aria-label": "Value of the plant parameter", placeholder: "value" });
  return [
    make("p", { class: "soft" }, plant.fmu ? `FMU ${plant.fmu}` : plant.model ? `Modelica model ${plant.model}` : "No plant: add plant.model or plant.fmu in the text."),
    choiceField({ label: "Interface", value: plant.interface ?? "me", options: { me: "Model Exchange", cs: "Co-Simulation" }, place: ["plant", "interface"] }),
    numberField({ label: "Tolerance", value: plant.tolerance ?? 1e-10, place: ["plant", "tolerance"], meaning: "relative tolerance of the integrator" }),
    numberField({ label: "Settle", unit: "s", value: plant.settle ?? 2, place: ["plant", "settle"], meaning: "watched after the end" }),
    group("Parameters that differ from the twin's",
      ...Object.entries(own).map(([key, number_]) => parameterRow({ name: key, unit: described.parameters.find((part) => part.name === key)?.unit ?? "", meaning: described.parameters.find((part) => part.name === key)?.meaning ?? "", value: number_, default: "the twin's" }, own, ["plant", "parameters"])),
      make("div", { class: "row" }, name, value, button("Add", () => { if (name.value && value.value !== "") edit([{ place: ["plant", "parameters", name.value], value: Number(value.value) }], `plant ${name.value}`); }))),
  ];
};
const textSheet = ({ text }) => {
  const area = make("textarea", { spellcheck: false, value: text, rows: 26, "aria-label": "The scenario's TOML text" });
  const apply = () => replaceText(area.value);
  area.addEventListener("keydown", (event) => { if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) { event.preventDefault(); apply(); } });
  return [make("p", { class: "soft" }, "This is the file: what the page changes stands here, and the command line reads it."), area, make("div", { class: "row" }, button("Apply", apply, { class: "main", title: "Ctrl+Enter" }))];
};

// ---- the editor

const SHEETS = { Path: pathSheet, Obstacles: obstacleSheet, Limits: limitSheet, Crane: craneSheet, Plant: plantSheet, Campaign: campaignSheet, Text: textSheet };
let chosen = "Path", last = null;
const choose = (name, focus) => {
  chosen = name;
  render();
  if (focus) byId(`tab-${name}`).focus();
};
const tabs = () => byId("tabs").replaceChildren(...Object.keys(SHEETS).map((name, i, all) => make("button", {
  type: "button", role: "tab", id: `tab-${name}`, "aria-selected": String(name === chosen), "aria-controls": "sheet", tabIndex: name === chosen ? 0 : -1,
  click: () => choose(name), keydown: (event) => {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (by) { event.preventDefault(); event.stopPropagation(); choose(all[(i + by + all.length) % all.length], true); }
  } }, name)));
const render = () => {
  const { state } = store, sheet = byId("sheet");
  if (!state) return;
  tabs();
  sheet.setAttribute("aria-labelledby", `tab-${chosen}`);
  const usable = chosen === "Text" || state.described;
  const FIELDS = "input, select, button, textarea", field = document.activeElement;
  const focus = [...sheet.querySelectorAll(FIELDS)].indexOf(field), scroll = sheet.scrollTop;
  // what is being typed into the next field while the last one's change arrives stays
  const typed = field.matches("input[type=number], input[type=text]") && field.value !== field.defaultValue ? field.value : null;
  sheet.replaceChildren(...(usable ? SHEETS[chosen](state) : [make("p", {}, state.waiting.length ? "The scenario waits for your agreement to a file: see above." : "There is an error in the scenario; mend it in the text.")]));
  const again = sheet.querySelectorAll(FIELDS)[focus];
  again?.focus({ preventScroll: true });
  if (again && typed !== null && again.type === field.type && again.ariaLabel === field.ariaLabel) again.value = typed;
  sheet.scrollTop = scroll;
};
on("state", (state) => {
  const key = `${state.revision} ${Boolean(state.described)}`;
  if (key !== last) { last = key; render(); }
});
window.workbench.sheet = choose;
