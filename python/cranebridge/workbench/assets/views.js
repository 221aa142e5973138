// Plan and side view: the path from above and from the side, with points and obstacles to move.
import { byId, make, nice, number, rounded } from "/assets/dom.js";
import { pathPoints, whyFixed } from "/assets/path_points.js";
import { edit, on, preview, store } from "/assets/store.js";

const page = window.cranebridge, SVG = "http://www.w3.org/2000/svg", MARGIN = 34;
const svg = (tag, attributes = {}, ...children) => {
  const element = document.createElementNS(SVG, tag);
  for (const [key, value] of Object.entries(attributes)) if (value != null) element.setAttribute(key, value);
  element.append(...children);
  return element;
};

// ---- what can be moved: where it is by axis, and what a new place changes

const obstacleHandles = (obstacles, planar) => obstacles.flatMap((one, i) => {
  const label = `Obstacle ${i + 1}, ${one.kind}`, at = ["obstacles", i];
  if (one.kind === "cylinder") {
    const [x, y] = one.center;
    return [{ id: "obstacle", kind: "obstacle", label, where: { x, y },
      moved: (to) => [{ place: [...at, "center"], value: [to.x, to.y] }] }];
  }
  if (one.kind === "box") {
    const axes = planar ? ["x", "z"] : ["x", "y", "z"];
    const low = Object.fromEntries(axes.map((axis, k) => [axis, one.low[k]]));
    const high = Object.fromEntries(axes.map((axis, k) => [axis, one.high[k]]));
    const middle = Object.fromEntries(axes.map((axis) => [axis, (low[axis] + high[axis]) / 2]));
    return [
      { id: "obstacle", kind: "obstacle", label, where: middle, moved: (to) => {
        const by = (corner) => axes.map((axis) => rounded(corner[axis] + to[axis] - middle[axis], 1e-6));
        return [{ place: [...at, "low"], value: by(low) }, { place: [...at, "high"], value: by(high) }];
      } },
      { id: "corner", kind: "corner", label: `${label}, upper corner`, where: high, moved: (to) =>
        [{ place: [...at, "high"], value: axes.map((axis) => Math.max(to[axis], low[axis] + 1e-3)) }] },
    ];
  }
  if (one.kind !== "stack") return [];
  const middle = (one.x[0] + one.x[one.x.length - 1]) / 2, top = Math.max(...one.height);
  return [{ id: "obstacle", kind: "obstacle", label, where: { x: middle, z: top }, moved: (to) => [
    { place: [...at, "x"], value: one.x.map((x) => rounded(x + to.x - middle, 1e-6)) },
    { place: [...at, "height"], value: one.height.map((z) => rounded(z + to.z - top, 1e-6)) },
  ] }];
});
export const handles = () => {
  const { content, described } = store.state;
  if (!content || !described?.axes) return [];
  return [...obstacleHandles(content.obstacles ?? [], !("y" in described.axes)), ...pathPoints(content.path, described.axes, described.outputs)];
};

// ---- a view

class View {
  constructor(title, across, up) {
    Object.assign(this, { title, across, up, box: null, dragging: null });
    this.root = svg("svg", { class: "flat", role: "group", "aria-label": `${title}: ${across} to the right, ${up} up, in m` });
    this.layers = ["grid", "bodies", "ways", "handles"].map((name) => svg("g", { class: name }));
    this.dot = svg("circle", { r: 5, class: "load", visibility: "hidden" });
    this.root.append(...this.layers.slice(0, 3), this.dot, this.layers[3]);
    this.figure = make("figure", { class: "flat-view" }, make("figcaption", {}, title, make("small", {}, ` ${across} and ${up} in m`)), this.root);
    // the size is kept: to ask the page for it while curves are drawn would lay it out once more
    new ResizeObserver(([entry]) => {
      Object.assign(this, { width: entry.contentRect.width, height: entry.contentRect.height });
      this.render();
    }).observe(this.root);
    this.root.addEventListener("pointermove", (event) => this.move(event));
    for (const kind of ["pointerup", "pointercancel"]) this.root.addEventListener(kind, (event) => this.drop(event));
  }

  // All that is to be seen.
  fit() {
    const seen = [], put = (a, b) => { if (Number.isFinite(a) && Number.isFinite(b)) seen.push([a, b]); };
    for (const one of this.shapes()) for (const [a, b] of one) put(a, b);
    for (const handle of this.handles) put(handle.where[this.across], handle.where[this.up]);
    for (const way of this.ways) for (let i = 0; i < way.points.length; i += 10) put(...way.points[i]);
    if (!seen.length) return;
    const [low, high] = [0, 1].map((k) => seen.map((p) => p[k])).reduce((both, column) => [
      [...both[0], Math.min(...column)], [...both[1], Math.max(...column)]], [[], []]);
    const size = Math.max(high[0] - low[0], high[1] - low[1], 0.5);
    const pad = [0, 1].map((k) => 0.12 * size + Math.max(0, 0.35 * size - (high[k] - low[k])) / 2);
    this.box = { low: low.map((v, k) => v - pad[k]), high: high.map((v, k) => v + pad[k]) };
  }

  // New curves; while something is moved, the view stands still and what is moved stays there.
  update() {
    const { axes } = store.state.described ?? {}, moving = views.some((view) => view.dragging || view.keyed);
    if (!moving) this.handles = handles().filter((one) => this.across in one.where || this.up in one.where);
    this.still = moving && this.box;
    this.ways = [];
    const add = (data, kind) => {
      if (!data?.outputs || !axes) return;
      const [a, b] = [this.across, this.up].map((axis) => page.decode(data.outputs[axes[axis]]));
      this.ways.push({ kind, points: Array.from(a, (value, i) => [value, b[i]]) });
    };
    if (store.pinned) add(store.pinned, "pinned");
    add(store.live, store.stale ? "stale" : "wanted");
    if (!this.still) this.fit();
    this.render();
  }

  // Outlines of the obstacles in this view.
  shapes() {
    const { content, described } = store.state, planar = !("y" in (described?.axes ?? {}));
    return (content?.obstacles ?? []).flatMap((one) => {
      const rectangle = (low, high) => [[low[0], low[1]], [high[0], low[1]], [high[0], high[1]], [low[0], high[1]]];
      if (one.kind === "box") {
        const order = planar ? ["x", "z"] : ["x", "y", "z"], k = [this.across, this.up].map((axis) => order.indexOf(axis));
        return k.includes(-1) ? [] : [rectangle(k.map((i) => one.low[i]), k.map((i) => one.high[i]))];
      }
      if (one.kind === "stack") {
        if (this.up !== "z") return [];
        const foot = Math.min(...one.height) - 0.5 * Math.max(1, Math.max(...one.height) - Math.min(...one.height));
        return one.height.map((top, i) => rectangle([one.x[i], foot], [one.x[i + 1], top]));
      }
      if (one.kind !== "cylinder") return [];
      const [x, y] = one.center, r = one.radius;
      if (this.up === "z") {
        const values = store.live?.outputs && described.axes ? page.decode(store.live.outputs[described.axes.z]) : [0];
        return [rectangle([x - r, one.bottom ?? Math.min(...values) - r], [x + r, one.top ?? Math.max(...values) + r])];
      }
      return [Array.from({ length: 32 }, (_, i) => [x + r * Math.cos(i * Math.PI / 16), y + r * Math.sin(i * Math.PI / 16)])];
    });
  }

  render() {
    const { width, height } = this;
    if (!this.box || !width || !height || !this.handles) return;
    if (!this.still) this.frame(width, height);
    this.drawWays();
    this.handleLayer();
    this.now(page.time());
  }

  // What stands still while something is moved: scale, grid and obstacles.
  frame(width, height) {
    const { low, high } = this.box, middle = [0, 1].map((k) => (low[k] + high[k]) / 2);
    const scale = Math.min((width - 1.6 * MARGIN) / (high[0] - low[0]), (height - 1.6 * MARGIN) / (high[1] - low[1]));
    this.scale = scale;
    const px = (a) => width / 2 + 0.3 * MARGIN + scale * (a - middle[0]), py = (b) => height / 2 - 0.3 * MARGIN - scale * (b - middle[1]);
    Object.assign(this, { px, py });
    this.root.setAttribute("viewBox", `0 0 ${width} ${height}`);
    this.grid(width, height);
    this.layers[1].replaceChildren(...this.shapes().map((shape) => svg("polygon", { points: this.line(shape), class: "body" })));
  }

  // Points as SVG wants them; those nearer to the one before than a pixel are left out.
  line(points) {
    const parts = [], end = points.length - 1;
    let x = Infinity, y = Infinity;
    points.forEach(([a, b], i) => {
      const nextX = this.px(a), nextY = this.py(b);
      if (i < end && Math.abs(nextX - x) < 1 && Math.abs(nextY - y) < 1) return;
      [x, y] = [nextX, nextY];
      parts.push(`${x.toFixed(1)},${y.toFixed(1)}`);
    });
    return parts.join(" ");
  }

  drawWays() {
    const layer = this.layers[2];
    while (layer.children.length > this.ways.length) layer.lastChild.remove();
    while (layer.children.length < this.ways.length) layer.append(svg("polyline"));
    this.ways.forEach((way, i) => {
      layer.children[i].setAttribute("points", this.line(way.points));
      layer.children[i].setAttribute("class", `way ${way.kind}`);
    });
    this.dot.setAttribute("visibility", this.ways.length ? "visible" : "hidden");
  }

  grid(width, height) {
    const cell = nice(60 / this.scale), parts = [];
    const inverse = (x, y) => [(x - this.px(0)) / this.scale, (this.py(0) - y) / this.scale];
    const [left, bottom] = inverse(0, height), [right, top] = inverse(width, 0);
    for (let i = Math.ceil(left / cell); i * cell <= right; i++) {
      const x = this.px(i * cell);
      parts.push(svg("line", { x1: x, x2: x, y1: 0, y2: height, class: i ? "" : "zero" }),
        svg("text", { x: x + 3, y: height - 4 }, number(i * cell)));
    }
    for (let i = Math.ceil(bottom / cell); i * cell <= top; i++) {
      const y = this.py(i * cell);
      parts.push(svg("line", { x1: 0, x2: width, y1: y, y2: y, class: i ? "" : "zero" }));
      if (y > 14 && y < height - 18) parts.push(svg("text", { x: 3, y: y - 3 }, number(i * cell)));
    }
    this.layers[0].replaceChildren(...parts);
  }

  handleLayer() {
    const layer = this.layers[3], old = new Map([...layer.children].map((node) => [node.dataset.name, node]));
    const wanted = this.handles.map((handle, i) => {
      const node = old.get(handle.label) ?? this.handleNode(handle.label);
      old.delete(handle.label);
      const fallback = (axis) => (axis in handle.where ? handle.where[axis] : this.middleOf(axis));
      const x = this.px(fallback(this.across)), y = this.py(fallback(this.up));
      node.setAttribute("transform", `translate(${x.toFixed(1)} ${y.toFixed(1)})`);
      node.setAttribute("class", `handle ${handle.kind}`);
      const places = Object.entries(handle.where).map(([axis, value]) => `${axis} ${number(value)} m`).join(", ");
      node.setAttribute("aria-label", `${handle.label}, ${places}`);
      node.querySelector("title").textContent = `${handle.label}: ${places}`;
      node.querySelector("text").textContent = handle.kind === "corner" ? "" : handle.label.replace("Obstacle ", "").replace(/, .*/, "").replace("Way point ", "");
      const inward = x > 0.6 * this.width;
      node.querySelector("text").setAttribute("x", inward ? -12 : 12);
      node.querySelector("text").setAttribute("text-anchor", inward ? "end" : "start");
      node.dataset.index = i;
      return node;
    });
    for (const node of old.values()) node.remove();
    wanted.forEach((node) => { if (node.parentNode !== layer) layer.append(node); });
  }

  middleOf(axis) {
    const { axes } = store.state.described;
    if (!store.live?.outputs || !(axis in axes)) return 0;
    const values = page.decode(store.live.outputs[axes[axis]]);
    return (Math.min(...values) + Math.max(...values)) / 2;
  }

  handleNode(name) {
    const node = svg("g", { tabindex: 0, role: "button", "aria-roledescription": "movable point" },
      svg("title"), svg("circle", { r: 18, class: "reach" }), svg("circle", { r: 8, class: "mark" }), svg("text", { x: 12, y: -9 }));
    node.dataset.name = name;
    node.addEventListener("pointerdown", (event) => {
      event.preventDefault();
      node.focus();
      this.root.setPointerCapture(event.pointerId);
      const handle = this.handles[node.dataset.index];
      this.dragging = { handle, pointer: event.pointerId, from: [event.clientX, event.clientY], changes: null };
    });
    node.addEventListener("keydown", (event) => this.key(event, node));
    return node;
  }

  target(handle, da, db) {
    const step = Number(byId("snap").value), where = { ...handle.where };
    const shift = (axis, by) => { if (axis in where && by) where[axis] = step ? rounded(where[axis] + by, step) : rounded(where[axis] + by, 1e-4); };
    shift(this.across, da);
    shift(this.up, db);
    return where;
  }

  move(event) {
    const drag = this.dragging;
    if (!drag || event.pointerId !== drag.pointer) return;
    const began = performance.now();
    const where = this.target(drag.handle, (event.clientX - drag.from[0]) / this.scale, -(event.clientY - drag.from[1]) / this.scale);
    if (JSON.stringify(where) === drag.last) return;
    drag.last = JSON.stringify(where);
    drag.changes = drag.handle.moved(where);
    this.place(drag.handle, where);
    preview(drag.changes, began);
  }

  place(handle, where) {
    for (const view of views) {
      const k = view.handles?.findIndex((one) => one.label === handle.label) ?? -1;
      if (k < 0) continue;
      view.handles[k] = { ...view.handles[k], where };
      view.handleLayer();
    }
  }

  drop(event) {
    const drag = this.dragging;
    if (!drag || event.pointerId !== drag.pointer) return;
    this.dragging = null;
    if (drag.changes && event.type === "pointerup") edit(drag.changes, `move ${drag.handle.label}`);
    else if (drag.changes) update();
  }

  // Arrow keys: a step, with Shift ten, with Alt a tenth; kept when no key follows for a moment.
  key(event, node) {
    const to = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowDown: [0, -1], ArrowUp: [0, 1] }[event.key];
    if (!to || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    event.stopPropagation();
    const step = (Number(byId("snap").value) || 0.01) * (event.shiftKey ? 10 : event.altKey ? 0.1 : 1);
    const now = this.handles[node.dataset.index], first = this.keyed?.handle.label === now.label ? this.keyed.handle : now;
    const where = { ...now.where };
    [this.across, this.up].forEach((axis, k) => { if (axis in where) where[axis] = rounded(where[axis] + to[k] * step, 1e-6); });
    const changes = first.moved(where);
    this.place(now, where);
    preview(changes);
    clearTimeout(this.keyed?.timer);
    this.keyed = { handle: first, timer: setTimeout(() => { this.keyed = null; edit(changes, `move ${first.label}`); }, 450) };
  }

  now(t) {
    const way = this.ways?.find(({ kind }) => kind !== "pinned"), data = store.live;
    if (!way || !data || !this.px) return;
    this.time = data === this.timeOf ? this.time : page.decode(data.time);
    this.timeOf = data;
    const [i, part] = page.locate(this.time, t), a = way.points[i], b = way.points[i + 1] ?? a;
    if (!a) return;
    this.dot.setAttribute("cx", this.px(a[0] + part * (b[0] - a[0])));
    this.dot.setAttribute("cy", this.py(a[1] + part * (b[1] - a[1])));
  }
}

// ---- both

let views = [], built = "";
const build = () => {
  const axes = store.state.described?.axes, key = axes ? Object.keys(axes).join() : "";
  if (key === built) return;
  built = key;
  views = !axes ? [] : [...("y" in axes ? [new View("Plan", "x", "y")] : []), new View("Side", "x", "z")];
  byId("flats").replaceChildren(...views.map((view) => view.figure));
};
let scenario = "";
const snaps = () => {
  const { name, file } = store.state, box = views[0]?.box, key = `${name} ${file}`;
  if (!box || key === scenario) return;
  scenario = key;
  const size = Math.max(box.high[0] - box.low[0], box.high[1] - box.low[1]), chosen = nice(size / 200);
  const steps = [chosen / 10, chosen / 5, chosen / 2, chosen, chosen * 2, chosen * 5, chosen * 10].map((v) => Number(v.toPrecision(2)));
  byId("snap").replaceChildren(make("option", { value: 0 }, "off"), ...steps.map((step) => make("option", { value: step, selected: step === Number(chosen.toPrecision(2)) }, `${step} m`)));
};
const HINT = byId("flat-hint").textContent;
const hint = () => {
  const { content, described } = store.state;
  if (!content?.path || !described) return;
  const fixed = whyFixed(content.path, described.axes, described.outputs), text = fixed || HINT;
  if (byId("flat-hint").textContent !== text) byId("flat-hint").textContent = text;
};
const update = () => {
  if (!store.state) return;
  build();
  hint();
  for (const view of views) view.update();
  snaps();
};
on("state", update);
on("data", update);
page.onTime((t) => { for (const view of views) view.now(t); });
window.workbench.views = () => views;
