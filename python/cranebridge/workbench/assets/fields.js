// Fields of a form: a number with its unit, a slider beside it, a choice; each is one step of undo.
import { make, nice, number, rounded } from "/assets/dom.js";
import { edit, preview } from "/assets/store.js";

let count = 0;

// A number with label, unit and, where a span is given, a slider.
export const numberField = ({ label, value, unit = "", meaning = "", place, span = null, change = null, whole = false }) => {
  const id = `field-${++count}`, changes = change ?? ((next) => [{ place, value: whole ? Math.round(next) : next, whole }]);
  const name = Array.isArray(label) ? label[0] : label;
  const send = (text, keep) => {
    const next = Number(text);
    if (text === "" || !Number.isFinite(next)) return;
    if (keep) edit(changes(next), `set ${name}`); else preview(changes(next));
  };
  const input = make("input", { type: "number", id, step: whole ? 1 : "any", defaultValue: number(value, 8), title: meaning,
    "aria-label": unit ? `${name} in ${unit}` : null,
    change: () => { input.defaultValue = input.value; send(input.value, true); }, input: () => { if (slider) slider.value = input.value; send(input.value, false); } });
  // round numbers along the slider: about 200 to 400 steps of 1, 2 or 5, all of them multiples
  const step = span && nice((span[1] - span[0]) / 400), [least, most] = (span ?? []).map((end) => Math.max(rounded(end, step), step));
  const slider = span && make("input", { type: "range", min: least, max: most, step, value,
    "aria-label": `${name}${unit ? ` in ${unit}` : ""}`,
    input: () => { input.value = number(slider.value, 4); send(input.value, false); }, change: () => send(input.value, true) });
  return make("div", { class: slider ? "field slid" : "field", title: meaning },
    make("label", { for: id, htmlFor: id }, name), slider, make("span", { class: "with-unit" }, input, make("span", { class: "unit" }, unit)));
};

export const choiceField = ({ label, value, options, place, change = null, meaning = "" }) => {
  const id = `field-${++count}`, changes = change ?? ((next) => [{ place, value: next }]);
  const select = make("select", { id, title: meaning, change: () => edit(changes(select.value), `set ${label}`) },
    ...Object.entries(options).map(([key, text]) => make("option", { value: key, selected: key === value, title: text }, key)));
  return make("div", { class: "field", title: meaning }, make("label", { htmlFor: id }, label), select);
};

export const checkField = ({ label, value, place, meaning = "" }) => {
  const box = make("input", { type: "checkbox", checked: Boolean(value), change: () => edit([{ place, value: box.checked }], `set ${label}`) });
  return make("label", { class: "check", title: meaning }, box, ` ${label}`);
};

export const button = (text, click, more = {}) => make("button", { type: "button", click, ...more }, text);
