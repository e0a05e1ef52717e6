// A table model: a form made from its columns, with the original beside each changed value.

import { make } from "./elements.js";

export const title = "Fill in a row";
export const hint = () => "Fill in the form.";

/** 1, 2 or 5 times a power of ten, about 1/200 of the range. */
function stepOf({ min, max, whole }) {
  const rough = (max - min) / 200;
  if (!(rough > 0)) return 1;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].find((factor) => factor * power >= rough) * power;
  return whole ? Math.max(1, Math.round(step)) : step;
}

const text = (value) => (value === null ? "missing" : String(value));

/** A number with a slider; an empty field is a missing value. */
function numeric(column, id, changed) {
  const step = stepOf(column);
  const field = make("input", {
    type: "number", id, step: column.whole ? 1 : "any", placeholder: "missing", inputmode: "decimal",
    oninput: () => {
      sync();
      changed();
    },
  });
  const slider = make("input", {
    type: "range", min: column.min, max: column.max, step: "any", tabindex: -1, "aria-hidden": "true",
    oninput: () => {
      const value = Math.round(slider.valueAsNumber / step) * step;
      // Without the digits that binary fractions leave after the last decimal.
      field.value = Number(Math.min(Math.max(value, column.min), column.max).toPrecision(12));
      sync();
      changed();
    },
  });
  const note = make("small", { class: "note", role: "status" });
  const { min, max } = column;
  const sync = () => {
    const value = field.valueAsNumber;
    slider.classList.toggle("missing", Number.isNaN(value));
    if (!Number.isNaN(value)) slider.value = value;
    field.title = field.value;
    if (field.validity.badInput) note.textContent = "not a number, treated as missing";
    else note.textContent = value < min || value > max ? `training had ${min} to ${max}` : "";
  };
  return {
    parts: [field, slider, note],
    initial: column.median,
    get: () => (Number.isNaN(field.valueAsNumber) ? null : field.valueAsNumber),
    set(value) {
      field.value = value ?? "";
      sync();
    },
  };
}

/** A choice among the levels seen in training. */
function categorical(column, id, changed) {
  const field = make("select", { id, onchange: changed },
    ...column.levels.map((level) => make("option", { value: `=${level}` }, level)),
    make("option", { value: "" }, "missing"));
  return {
    parts: [field],
    initial: column.levels[0] ?? null,
    get: () => (field.value ? field.value.slice(1) : null),
    set(value) {
      field.value = value === null ? "" : `=${value}`;
      // A level that training never saw counts as missing.
      if (field.selectedIndex < 0) field.value = "";
    },
  };
}

/** A date, with a time where training had times; an empty field is a missing value. */
function date(column, id, changed) {
  const note = make("small", { class: "note", role: "status" });
  const field = make("input", {
    type: column.hours ? "datetime-local" : "date", id, step: column.hours ? 1 : undefined,
    oninput: () => {
      sync();
      changed();
    },
  });
  const { min, max } = column;
  const sync = () => {
    // Dates written in this form sort as text.
    const outside = min && field.value && (field.value < min || field.value.slice(0, 10) > max.slice(0, 10));
    note.textContent = outside ? `training had ${min} to ${max}` : "";
  };
  const full = (value) => (column.hours && value && value.length === 10 ? `${value}T00:00` : value);
  return {
    parts: [field, note],
    initial: column.median,
    get: () => field.value || null,
    set(value) {
      field.value = full(value) ?? "";
      sync();
    },
  };
}

const kinds = { numeric, categorical, date };

export function create(model, changed) {
  let original = {};
  const update = () => {
    const row = read();
    for (const { name, box, hint, was, reset, complete, has_effect } of fields) {
      if (has_effect) hint.textContent = complete && row[name] === null ? "never missing in training: not used" : "";
      const differs = row[name] !== original[name];
      box.classList.toggle("changed", differs);
      was.textContent = differs ? `was ${text(original[name])}` : "";
      reset.hidden = !differs;
      reset.setAttribute("aria-label", `Reset ${name} to ${text(original[name])}`);
    }
    const same = fields.every(({ name }) => row[name] === original[name]);
    for (const button of [pin, resetAll]) button.disabled = same;
    changed();
  };
  const fields = model.columns.map((column, i) => {
    const id = `field-${i}`;
    const field = kinds[column.kind](column, id, () => update());
    const hint = make("small", { class: "note" }, column.has_effect ? "" : "has no effect in this model");
    const was = make("small", {});
    const reset = make("button", { type: "button", class: "reset", title: "Reset", hidden: true }, "↺");
    const box = make("div", { class: `field ${column.kind}` },
      make("div", { class: "name" }, make("label", { for: id }, column.name), was, reset),
      make("div", { class: "value" }, ...field.parts, hint));
    reset.addEventListener("click", () => {
      field.set(original[column.name]);
      update();
      field.parts[0].focus();
    });
    return { ...column, box, hint, was, reset, ...field };
  });
  const read = () => Object.fromEntries(fields.map(({ name, get }) => [name, get()]));
  const fill = (row) => fields.forEach(({ name, set }) => set(row[name] ?? null));
  const begin = (row) => {
    fill(row);
    original = read();
    update();
  };
  const button = (name, onclick) => make("button", { type: "button", onclick }, name);
  const resetAll = button("Reset all", () => begin(original));
  const pin = button("Make this the original", () => begin(read()));
  const form = make("form", { class: "form", onsubmit: (event) => event.preventDefault() }, ...fields.map(({ box }) => box));

  // A row of the training data if the model keeps one, otherwise the median of each column.
  const kept = model.examples.find((example) => example.typical);
  const typical = kept?.row ?? Object.fromEntries(fields.map(({ name, initial }) => [name, initial]));
  const equal = (a, b) => fields.every(({ name }) => (a[name] ?? null) === (b[name] ?? null));
  const parse = (json) => {
    try {
      const value = JSON.parse(json);
      return typeof value === "object" ? value : null;
    } catch {
      return null;
    }
  };
  return {
    parts: [form, make("div", { class: "tools" }, resetAll, pin)],
    empty: () => false,
    ask() {
      const row = read();
      const label = model.examples.find((example) => equal(example.row, row))?.label;
      return { sample: { row }, original: equal(row, original) ? undefined : { row: original }, label };
    },
    mark() {},
    save() {
      const row = read();
      const before = equal(row, original) ? null : JSON.stringify(original);
      return { row: JSON.stringify(row), original: before };
    },
    restore(entries) {
      const row = parse(entries.get("row"));
      if (!row) return false;
      fill(parse(entries.get("original")) ?? row);
      original = read();
      fill(row);
      update();
      return true;
    },
    start: () => begin(typical),
    examples: () => [
      make("button", { type: "button", class: "chip", onclick: () => begin(typical) }, kept ? "a typical row" : "median values"),
      ...model.examples.filter((example) => example !== kept).map((example) =>
        make("button", { type: "button", class: "chip", onclick: () => begin(example.row) }, example.label)),
    ],
  };
}
