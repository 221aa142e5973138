// Small helpers: elements whose texts are texts, numbers as a reader wants them.
export const byId = (id) => document.getElementById(id);

// An element; properties that are functions listen, `class`, `aria-…`, `data-…`, `for` are attributes.
export const make = (tag, properties = {}, ...children) => {
  const element = document.createElement(tag);
  for (const [key, value] of Object.entries(properties)) {
    if (value == null || value === false) continue;
    if (typeof value === "function") element.addEventListener(key, value);
    else if (key in element && !key.startsWith("aria") && key !== "list") element[key] = value;
    else element.setAttribute(key === "className" ? "class" : key, value === true ? "" : value);
  }
  element.append(...children.filter((child) => child != null));
  return element;
};

export const number = (value, digits = 5) => String(Number(Number(value).toPrecision(digits)));

// 1, 2 or 5 times a power of ten, not less than `value`.
export const nice = (value) => {
  const power = 10 ** Math.floor(Math.log10(value));
  return [1, 2, 5, 10].map((n) => n * power).find((n) => n >= value * (1 - 1e-9));
};

export const rounded = (value, step) => Number((Math.round(value / step) * step).toPrecision(12));

// A dialog; returns what `read` gives, or null.
export const askUser = (title, body, yes = "OK", read = () => true) => new Promise((resolve) => {
  const dialog = byId("dialog"), form = dialog.querySelector("form");
  byId("dialog-title").textContent = title;
  byId("dialog-body").replaceChildren(...body);
  byId("dialog-yes").textContent = yes;
  const end = (value) => {
    form.onsubmit = dialog.oncancel = byId("dialog-no").onclick = null;
    if (dialog.open) dialog.close();
    resolve(value);
  };
  form.onsubmit = (event) => { event.preventDefault(); end(read()); };
  dialog.oncancel = () => end(null);
  byId("dialog-no").onclick = () => end(null);
  dialog.showModal();
  byId("dialog-body").querySelector("input, select, button")?.focus();
});
