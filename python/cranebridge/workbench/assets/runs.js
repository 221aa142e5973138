// Tasks: buttons, progress with time left, cancel, and what came of them.
import { get, pass, post } from "/assets/api.js";
import { byId, make } from "/assets/dom.js";
import { button } from "/assets/fields.js";
import { on, showResult, store, trouble } from "/assets/store.js";

const VERBS = {
  check: ["Check", "Structure, smoothness, initial state and limits"],
  plan: ["Plan", "Find the path: fastest within the limits, around the obstacles"],
  solve: ["Solve", "The feedforward as the command line writes it, with a report"],
  verify: ["Verify", "Certify the plant, drive it with the controls, and report"],
  campaign: ["Campaign", "Many verifications with varied values"],
};
const tasks = new Map(), saved = new Set();
let first = true;

export const start = async (verb, more = {}) => {
  try { hear(await post("start", { verb, revision: store.state.revision, ...more })); } catch (error) { trouble(error); }
};
const cancel = (task) => post("cancel", { key: task.key }).then(hear, trouble);
const seconds = (value) => (value >= 90 ? `${Math.round(value / 60)} min` : `${Math.round(value)} s`);
const address = (task, name) => `/results/${task.key}/${encodeURIComponent(name)}?pass=${pass}`;
const link = (task, name, text, tab = false) => make("a", { href: address(task, name), ...(tab ? { target: "_blank", rel: "noopener" } : { download: name }) }, text);

const show = async (task) => {
  try {
    const data = await get(address(task, "page.json"));
    showResult({ data, name: task.verb, number: task.number, revision: task.revision });
  } catch (error) { trouble(error); }
};

const outcome = (task) => (task.status === "done" && task.exit_code ? "done, a verdict did not pass" : task.status);
const older = (task) => task.status === "done" && task.revision !== store.state?.revision;
const card = (task) => {
  const running = task.status === "running", title = VERBS[task.verb]?.[0] ?? `Deliver`;
  const bad = task.status === "failed" || (task.status === "done" && task.exit_code);
  const word = make("span", { class: bad ? "nok" : task.status === "done" ? "ok" : "soft" }), times = make("span", { class: "soft" });
  const bar = running ? make("progress", { max: 1, "aria-label": `Progress of ${title}` }) : null;
  const parts = [make("div", { class: "row head" }, make("strong", {}, title), word, times,
    running ? button("Cancel", () => cancel(task), { class: "small", "aria-label": `Cancel ${title}` }) : null), bar];
  const update = (now) => {
    word.textContent = running ? now.stage : outcome(now);
    times.textContent = running && now.left != null ? `${seconds(now.seconds)}, about ${seconds(now.left)} left` : seconds(now.seconds);
    if (bar && now.fraction == null) bar.removeAttribute("value");
    else if (bar) bar.value = now.fraction;
  };
  update(task);
  if (task.error) parts.push(make("p", { class: "nok" }, task.error));
  if (task.headline) parts.push(make("p", {}, task.headline));
  if (older(task)) parts.push(make("p", { class: "soft" }, "The scenario has changed since."));
  if (task.files.length) {
    const shown = task.files.filter((name) => !["page.json", "report.html", "manifest.json"].includes(name));
    parts.push(make("div", { class: "row links" },
      task.files.includes("page.json") ? button("Show its curves", () => show(task), { class: "small" }) : null,
      task.files.includes("report.html") ? link(task, "report.html", "Report", true) : null,
      ...shown.slice(0, 6).map((name) => link(task, name, name)), shown.length > 1 ? link(task, "all.zip", "all files") : null));
  }
  const node = make("article", { class: `task ${task.status}`, "aria-label": `${title} ${task.number}`, "data-verb": task.verb, "data-number": task.number }, ...parts);
  return { node, update };
};

// A card is made anew only when a task ends or grows old: a button that goes away with each step of
// the progress loses the focus, and a click whose two halves meet different buttons is none.
const cards = new Map();
const render = () => {
  const all = [...tasks.values()].sort((a, b) => b.number - a.number), nodes = all.map((task) => {
    const known = cards.get(task.number), key = `${task.status} ${older(task)}`;
    if (known?.key === key) { known.update(task); return known.node; }
    const made = { key, ...card(task) };
    cards.set(task.number, made);
    return made.node;
  });
  // those that stay are not touched, and the focus of one that ended goes on to what came of it
  const holder = byId("tasks"), focused = document.activeElement?.closest("#tasks > *");
  for (const node of [...holder.children]) if (!nodes.includes(node)) node.remove();
  nodes.forEach((node, i) => { if (holder.children[i] !== node) holder.insertBefore(node, holder.children[i] ?? null); });
  if (!focused || focused.isConnected) return;
  const next = nodes.find((node) => node.dataset.number === focused.dataset.number);
  (next?.querySelector("button, a") ?? byId("runs")).focus({ preventScroll: true });
};
// What a screen reader is told of a task: its begin and its end, not each step of its progress.
const announce = (task) => {
  const title = VERBS[task.verb]?.[0] ?? "Deliver", end = task.status === "running" ? "started" : outcome(task);
  byId("announced").textContent = [`${title}: ${end}`, task.error, task.headline].filter(Boolean).join(". ");
};
export const hear = (task) => {
  const before = tasks.get(task.number);
  tasks.set(task.number, task);
  render();
  if (before?.status !== task.status) announce(task);
  if (task.status !== "done" || before?.status === "done" || !before) return;
  if (task.verb === "deliver" && !saved.has(task.key)) {
    saved.add(task.key);
    const files = task.files;
    const anchor = files.length === 1 ? link(task, files[0], "") : link(task, "all.zip", "");
    document.body.append(anchor);
    anchor.click();
    anchor.remove();
  }
  if (task.verb === "plan") window.workbench.refresh();
  else if (task.verb === "verify" && task.revision === store.state.revision) show(task);
};

on("state", (state) => {
  for (const task of first ? state.tasks : []) tasks.set(task.number, task);
  if (first) {
    byId("format").replaceChildren(...Object.entries(state.choices.formats).map(([name, text]) => make("option", { value: name, title: text }, name)));
    byId("verbs").replaceChildren(...Object.entries(VERBS).map(([verb, [text, meaning]]) => button(text, () => start(verb), { id: `verb-${verb}`, title: meaning })));
    byId("deliver").addEventListener("click", () => start("deliver", { format: byId("format").value, allow_violations: byId("allow").checked }));
  }
  first = false;
  const none = (verb, reason) => {
    const node = byId(`verb-${verb}`);
    node.disabled = Boolean(reason);
    node.title = reason || VERBS[verb][1];
  };
  none("plan", state.content?.path?.kind === "optimal" ? "" : "The path has a kind of its own: choose kind optimal to have one found");
  none("campaign", state.described?.campaign ? "" : "Nothing varies yet: say what does in the sheet Campaign");
  render();
});
on("data", () => {
  const missing = store.stale && store.state.content?.path?.kind === "optimal";
  byId("verb-plan").classList.toggle("main", missing);
});
