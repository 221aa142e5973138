// The sheet of campaigns: what varies, within which range, in how many runs.
import { make, number } from "/assets/dom.js";
import { button, choiceField, numberField } from "/assets/fields.js";
import { edit } from "/assets/store.js";

// What can be varied by the form, with its value now; any other key of the scenario can be in the text.
const candidates = ({ content, described }) => [
  ...described.parameters.map((part) => ({ key: `plant.parameters.${part.name}`, value: content.plant?.parameters?.[part.name] ?? part.value, unit: part.unit, meaning: `${part.meaning}, of the plant alone` })),
  ...described.parameters.map((part) => ({ key: `crane.parameters.${part.name}`, value: part.value, unit: part.unit, meaning: `${part.meaning}, known to the feedforward, too` })),
  ...(typeof content.path.duration === "number" ? [{ key: "path.duration", value: content.path.duration, unit: "s", meaning: "duration of the path" }] : []),
];
const short = (value) => Number(number(value, 4));
const range = (value) => (value ? [0.9 * value, 1.1 * value].sort((a, b) => a - b).map(short) : [-1, 1]);

const entry = (key, given, known, choices) => {
  const place = ["campaign", "vary", key], [name] = Object.keys(given ?? {});
  const form = Array.isArray(given) ? null : choices.distributions[name], values = form && given[name];
  const fields = Array.isArray(values) ? form.parameters.map((label, i) => numberField({
    label, unit: known?.unit === "1" ? "" : known?.unit ?? "", value: values[i], meaning: form.meaning,
    change: (next) => [{ place: [...place, name], value: values.map((old, k) => (k === i ? next : old)) }] })) : null;
  return make("fieldset", {}, make("legend", {}, key),
    make("p", { class: "soft" }, [known?.meaning, fields ? `${name}: ${form.meaning}` : `${JSON.stringify(given)}: changed in the text`].filter(Boolean).join("; ")),
    ...(fields ? [make("div", { class: "numbers" }, ...fields)] : []),
    button("Remove", () => edit([{ place, value: null }], `do not vary ${key}`), { class: "small", "aria-label": `Do not vary ${key}` }));
};

export const campaignSheet = (state) => {
  const { content, choices } = state, table = content.campaign ?? {}, vary = table.vary ?? {}, all = candidates(state);
  if (table.file) return [make("p", {}, `The runs are the lines of ${table.file}; take campaign.file away in the text to choose them here.`)];
  const others = all.filter(({ key }) => !(key in vary));
  const select = make("select", { "aria-label": "What varies", class: "wide" }, ...others.map(({ key, unit, meaning }, i) =>
    make("option", { value: i, title: meaning }, unit && unit !== "1" ? `${key} [${unit}]` : key)));
  const add = () => {
    const one = others[select.value];
    if (one) edit([{ place: ["campaign", "vary", one.key], value: { uniform: range(one.value) } }], `vary ${one.key}`);
  };
  return [
    make("p", { class: "soft" }, "Many verifications on the plant with other values: how often are all limits kept? Started by Campaign under Run."),
    numberField({ label: "Runs", value: table.runs ?? 1000, place: ["campaign", "runs"], whole: true, meaning: "how many; at most, for grid" }),
    choiceField({ label: "Design", value: table.design ?? "sobol", options: choices.designs, place: ["campaign", "design"], meaning: choices.designs[table.design ?? "sobol"] }),
    numberField({ label: "Seed", value: table.seed ?? 1, place: ["campaign", "seed"], whole: true, meaning: "random seed: the same one gives the same runs" }),
    ...Object.entries(vary).map(([key, given]) => entry(key, given, all.find((one) => one.key === key), choices)),
    make("div", { class: "row" }, select, button("Vary it", add)),
  ];
};
