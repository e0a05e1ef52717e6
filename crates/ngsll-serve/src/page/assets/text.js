// A text model: a field, with the same words coloured below it.

import { make, show } from "./elements.js";

export const title = "Write a text";
export const hint = (examples) => (examples ? "Write something, or start from an example." : "Write something.");

export function create(model, changed) {
  const label = make("label", { for: "text", class: "hidden" }, "Text");
  const field = make("textarea", {
    id: "text", rows: 2, spellcheck: "false", placeholder: "Type here …", maxlength: 20000,
    oninput: () => changed(),
  });
  const marked = make("div", { class: "marked", id: "marked" });

  const set = (text) => {
    field.value = text;
    changed();
  };
  return {
    parts: [label, make("div", { class: "writing" }, field, marked)],
    empty() {
      const nothing = !field.value.trim();
      if (nothing) show(marked, "");
      return nothing;
    },
    ask() {
      const text = field.value;
      return { sample: { text }, label: model.examples.find((e) => e.text === text)?.label };
    },
    mark: (score) => show(marked, score.subject),
    save: () => ({ text: field.value }),
    restore: (entries) => entries.has("text") && (set(entries.get("text")), true),
    start: () => set(model.examples[0]?.text ?? ""),
    examples: () =>
      model.examples.map((example) =>
        make("button", { type: "button", class: "line", onclick: () => set(example.text) },
          make("span", {}, example.text), make("small", {}, example.label))),
  };
}
