// The page itself: header, notices, verdicts, connection.
import { Gone, listen, Refused } from "/assets/api.js";
import { askUser, byId, make } from "/assets/dom.js";
import { agree, on, openSource, pin, redo, refresh, restore, save, showResult, store, trouble, undo } from "/assets/store.js";
import "/assets/views.js";
import "/assets/forms.js";
import { hear, start } from "/assets/runs.js";
import { takeEvent } from "/assets/store.js";

window.workbench.refresh = refresh;

// ---- notices

const notices = new Map();
const notice = (key, text, kind = "wait", ...buttons) => {
  // one that says the same stays as it is: a screen reader would read it again
  const before = notices.get(key), what = `${kind} ${text}`;
  if (text ? before?.what === what : !before) return;
  before?.node.remove();
  notices.delete(key);
  if (!text) return;
  const node = make("div", { class: `notice ${kind}`, "data-notice": key }, make("p", {}, text), ...buttons);
  notices.set(key, { node, what });
  byId("notices").append(node);
};
const act = (text, click) => make("button", { type: "button", click }, text);

// A sentence begins with a capital, a key does not.
const sentence = (text) => (/^[a-z]+[ :]/.test(text) ? `${text[0].toUpperCase()}${text.slice(1)}` : text);
on("trouble", (text) => notice("trouble", sentence(text), "bad"));
on("unplanned", (text) => notice("unplanned", sentence(text), "wait", act("Plan", () => start("plan"))));
on("gone", () => notice("gone", "The workbench has stopped, or was started again. Start it with “cranebridge open” and open the address that it prints; unsaved work is kept and offered there.", "bad"));

// ---- header

on("state", (state) => {
  byId("name").textContent = state.name;
  byId("name").title = `${state.name}: ${state.file ?? "ready scenario"}`;
  document.title = `${state.unsaved ? "• " : ""}${state.name} – cranebridge workbench`;
  byId("about").textContent = [state.unsaved ? "not saved" : "", state.described?.description ?? "", state.file ?? "ready scenario"].filter(Boolean).join(" · ");
  byId("about").title = byId("about").textContent;
  for (const [id, label] of [["undo", state.undo], ["redo", state.redo]]) {
    byId(id).disabled = label == null;
    byId(id).title = label == null ? "" : label;
  }
  notice("recovery", state.recovery ? "Unsaved work on this scenario was found: the workbench ended before it was saved." : "", "wait",
    act("Restore it", () => restore(false)), act("Throw it away", () => restore(true)));
  const [file] = state.waiting;
  notice("agree", file ? `The scenario names ${file.key} = ${file.path}: ${file.why}. It is used only if you agree to its contents (SHA-256 ${file.sha256.slice(0, 16) || "unreadable"}…).` : "", "wait",
    act("I know this file: use it", () => agree(file)));
});
byId("undo").addEventListener("click", undo);
byId("redo").addEventListener("click", redo);
byId("pin").addEventListener("click", pin);
byId("save").addEventListener("click", () => (store.state.file ? save() : saveAs()));
byId("save-as").addEventListener("click", () => saveAs());
byId("open").addEventListener("click", () => openDialog());

const saveAs = async () => {
  const input = make("input", { type: "text", value: `${store.state.name}${store.state.file ? "-2" : ""}.toml`, "aria-label": "File name" });
  const name = await askUser("Save as", [make("p", { class: "soft" }, `In ${store.state.folder}`), input], "Save", () => input.value.trim());
  if (name) save(name.endsWith(".toml") ? name : `${name}.toml`);
};
const openDialog = async () => {
  const { files, scenarios, unsaved } = store.state;
  const select = make("select", { "aria-label": "Scenario", size: 12 },
    make("optgroup", { label: `Files in ${store.state.folder}` }, ...files.map((name) => make("option", { value: name }, name))),
    make("optgroup", { label: "Ready scenarios" }, ...Object.entries(scenarios).map(([name, text]) => make("option", { value: name }, `${name} – ${text}`))));
  const warning = unsaved ? [make("p", { class: "nok" }, "What is not saved stays in the recovery file only.")] : [];
  const source = await askUser("Open", [...warning, select], "Open", () => select.value);
  if (source) openSource(source);
};

document.addEventListener("keydown", (event) => {
  if (!(event.ctrlKey || event.metaKey) || event.altKey) return;
  const key = event.key.toLowerCase(), typing = event.target.matches("textarea, input[type=text]");
  const does = key === "s" ? () => byId("save").click() : typing ? null
    : key === "z" ? (event.shiftKey ? redo : undo) : key === "y" ? redo : null;
  if (!does) return;
  event.preventDefault();
  does();
});

// ---- verdicts

const pinned = (possible) => {
  byId("pin").disabled = !possible;
  byId("pin").setAttribute("aria-pressed", String(Boolean(store.pinned)));
  byId("pin").textContent = store.pinned ? "Unpin" : "Pin";
  byId("pinned-key").hidden = !store.pinned;
};
// Nothing is known of this scenario: neither are the verdicts of the one before.
const forget = () => {
  for (const id of ["verdict", "verdict-of", "headline", "note", "verdict-head", "verdicts"]) byId(id).replaceChildren();
  document.body.classList.remove("stale");
  notice("shown", "");
};
const KINDS = { passed: "ok", failed: "nok", "not judged": "open" };
on("data", (data) => {
  pinned(Boolean(data));
  if (!data) { forget(); return; }
  const live = !store.shown, before = store.pinned && store.pinned !== data ? store.pinned : null;
  document.body.classList.toggle("stale", store.stale && live);
  const bad = data.verdicts.filter((row) => row.status !== "passed");
  const all = data.verdicts.length, verdicts = all === 1 ? "verdict" : "verdicts";
  const text = bad.length ? `${bad.length} of ${all} ${verdicts} did not pass` : all ? `${all} ${verdicts} passed` : "nothing judged";
  const chip = byId("verdict");
  chip.className = `verdict ${store.stale && live ? "wait" : bad.length ? "bad" : "good"}`;
  const shown = store.stale && live ? "not known for this scenario" : text;
  if (chip.textContent !== shown) chip.textContent = shown;
  byId("verdict-of").textContent = live ? "of the solution, live" : `of ${store.shown.name} ${store.shown.number}`;
  byId("headline").textContent = `${data.headline.charAt(0).toUpperCase()}${data.headline.slice(1)}`;
  byId("note").textContent = data.note ?? "";
  const titles = ["Verdict", "Status", "Value", ...(before ? ["Pinned", "Limit"] : ["Limit", "Margin"])];
  byId("verdict-head").replaceChildren(make("tr", {}, ...titles.map((title, i) => make("th", { scope: "col", class: i > 1 ? `number ${title.toLowerCase()}` : "" }, title))));
  byId("verdicts").replaceChildren(...data.verdicts.flatMap((row) => [
    make("tr", {}, make("td", { class: "long" }, row.name), make("td", { class: KINDS[row.status] }, row.status), make("td", { class: "number" }, row.value),
      ...(before ? [make("td", { class: "number soft" }, before.verdicts.find((other) => other.name === row.name)?.value ?? "–")] : []),
      make("td", { class: "number" }, row.limit), ...(before ? [] : [make("td", { class: "number margin" }, row.margin)])),
    ...(row.detail ? [make("tr", { class: "detail" }, make("td", { colSpan: titles.length, class: "soft" }, row.detail))] : [])]));
  const of = store.shown;
  notice("shown", of ? `Shown is what ${of.name} ${of.number} found${of.data.plant ? " on the plant" : ""}${of.revision === store.state.revision ? "" : ", before the latest changes"}.` : "", "wait",
    act("Back to the live solution", () => showResult(null)));
});

// ---- connection

const connect = async () => {
  for (;;) {
    try {
      await listen((entry) => {
        notice("gone", "");
        if (entry.kind === "task") hear(entry.task); else takeEvent(entry);
      });
    } catch (error) {
      if (!(error instanceof Refused) && !(error instanceof Gone)) console.warn(error);
      if (error instanceof Refused) { trouble(new Gone()); return; }
    }
    trouble(new Gone());
    await new Promise((resolve) => setTimeout(resolve, 1500));
  }
};
await refresh();
if (store.state) connect();
else trouble(new Gone());
window.workbench.ready = true;
