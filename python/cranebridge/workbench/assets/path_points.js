// Points of a path that can be moved: where they are by axis, and what a new place changes.
import { rounded } from "/assets/dom.js";

// A point whose values are places along the axes.
const straight = (values, axes) => ({
  where: Object.fromEntries(Object.entries(axes).map(([axis, i]) => [axis, values[i]])),
  values: (where) => values.map((value, k) => {
    const axis = Object.keys(axes).find((name) => axes[name] === k);
    return axis ? where[axis] : value;
  }),
});
// A point as radius, angle and height; its angle goes on turning instead of jumping by a whole turn.
const cylindrical = ([radius, angle, height]) => {
  const x = radius * Math.cos(angle), y = radius * Math.sin(angle);
  return {
    where: { x, y, z: height },
    values: (to) => {
      if (to.x === x && to.y === y) return [radius, angle, to.z];
      const turned = Math.atan2(to.y, to.x) - angle, turn = 2 * Math.PI;
      return [rounded(Math.hypot(to.x, to.y), 1e-6), rounded(angle + turned - turn * Math.round(turned / turn), 1e-6), to.z];
    },
  };
};
const STRAIGHT = { line: ["start", "goal"], optimal: ["start", "goal"], "figure-eight": ["start"], hold: ["value"] };
const LABELS = { start: "Start", goal: "Goal", value: "Place" };

// Points of one path, or of a part of one that stands at `at` and moves some of the axes.
const ofOne = (path, axes, at, of) => {
  const found = [], add = (id, label, place, values, shape) => {
    if (!Array.isArray(values)) return;
    const { where, values: next } = shape(values, axes);
    found.push({ id, kind: id, label: `${label}${of}`, where, moved: (to) => [{ place: [...at, ...place], value: next(to) }] });
  };
  for (const key of STRAIGHT[path.kind] ?? []) {
    add(key === "goal" ? "goal" : "start", path.kind === "figure-eight" ? "Centre" : LABELS[key], [key], path[key], straight);
  }
  if (path.kind === "cylindrical" && axes.x === 0 && axes.y === 1 && axes.z === 2) {
    for (const key of ["start", "goal"]) add(key, LABELS[key], [key], path[key], cylindrical);
  }
  (path.kind === "optimal" ? path.via ?? [] : []).forEach((values, i) => add("via", `Way point ${i + 1}`, ["via", i], values, straight));
  const points = path.kind === "waypoints" ? path.points ?? [] : [];
  points.forEach((values, i) => {
    const id = i === 0 ? "start" : i === points.length - 1 ? "goal" : "via";
    add(id, id === "via" ? `Way point ${i}` : LABELS[id], ["points", i], values, straight);
  });
  return found;
};

export const pathPoints = (path, axes, outputs) => {
  if (path.kind !== "combined") return ofOne(path, axes, ["path"], "");
  const parts = (path.parts ?? []).map((part, i) => {
    const own = Object.entries(axes).map(([axis, k]) => [axis, part.outputs.indexOf(outputs[k].name)]);
    return { part, at: ["path", "parts", i], axes: Object.fromEntries(own.filter(([, k]) => k >= 0)) };
  }).filter((one) => Object.keys(one.axes).length);
  return parts.flatMap((one) => ofOne(one.part, one.axes, one.at, parts.length > 1 ? ` of ${Object.keys(one.axes).join(", ")}` : ""));
};

// Why nothing of a path can be moved; empty where something can.
export const whyFixed = (path, axes, outputs) => {
  if (!axes) return "The outputs of this crane are no position of the load: its path is changed in the sheet Path.";
  if (pathPoints(path, axes, outputs).length) return "";
  if (path.kind === "rotation") return "A rotation turns the load and moves no point: its angles stand in the sheet Path.";
  if (["spline", "pieces"].includes(path.kind)) return "The numbers of this path are coefficients, not points that the load passes: they are changed in the text.";
  return "This path has no start or goal in the outputs: it is changed in the sheets Path and Text.";
};
