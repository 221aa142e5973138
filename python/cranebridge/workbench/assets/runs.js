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
const card = (task) => {
  const running = task.status === "running", title = VERBS[task.verb]?.[0] ?? `Deliver`;
  const bad = task.status === "failed" || (task.status === "done" && task.exit_code);
  const word = running ? task.stage : outcome(task);
  const parts = [make("div", { class: "row head" }, make("strong", {}, title), make("span", { class: bad ? "nok" : task.status === "done" ? "ok" : "soft" }, word),
    make("span", { class: "soft" }, running && task.left != null ? `${seconds(task.seconds)}, about ${seconds(task.left)} left` : seconds(task.seconds)),
    running ? button("Cancel", () => cancel(task), { class: "small", "aria-label": `Cancel ${title}` }) : null)];
  if (running) parts.push(make("progress", { max: 1, "aria-label": `Progress of ${title}`, ...(task.fraction == null ? {} : { value: task.fraction }) }));
  if (task.error) parts.push(make("p", { class: "nok" }, task.error));
  if (task.headline) parts.push(make("p", {}, task.headline));
  if (task.status === "done" && store.state && task.revision !== store.state.revision) parts.push(make("p", { class: "soft" }, "The scenario has changed since."));
  if (task.files.length) {
    const shown = task.files.filter((name) => !["page.json", "report.html", "manifest.json"].includes(name));
    parts.push(make("div", { class: "row links" },
      task.files.includes("page.json") ? button("Show its curves", () => show(task), { class: "small" }) : null,
      task.files.includes("report.html") ? link(task, "report.html", "Report", true) : null,
      ...shown.slice(0, 6).map((name) => link(task, name, name)), shown.length > 1 ? link(task, "all.zip", "all files") : null));
  }
  return make("article", { class: `task ${task.status}`, "aria-label": `${title} ${task.number}`, "data-verb": task.verb, "data-number": task.number }, ...parts);
};

const render = () => byId("tasks").replaceChildren(...[...tasks.values()].sort((a, b) => b.number - a.number).map(card));
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
