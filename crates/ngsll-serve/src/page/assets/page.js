// Puts the page together: a model, its input, and the server's answer.

import { copy } from "./clipboard.js";
import { find, make } from "./elements.js";
import * as image from "./image.js";
import * as link from "./link.js";
import * as result from "./result.js";
import { UserError, asker, models as loadModels } from "./server.js";
import * as table from "./table.js";
import * as text from "./text.js";

const kinds = { image, text, tabular: table };
const slider = find("k");

let models = [];
let model = null;
let input = null;
let chosen = null;
let other = null;
let last = null;
let openings = 0;

const entries = () => ({
  model: models.length > 1 ? model.name : null,
  k: slider.valueAsNumber !== model.k ? slider.value : null,
  class: chosen,
  not: other,
  ...input.save(),
});

const ask = asker(
  (answer, state) => {
    // Another model, or another input, may have taken its place by now.
    if (state.input !== input || input.empty()) return;
    last = { answer, state };
    display();
  },
  (error, state) => (!state || state.input === input) && result.failed(error),
);

function display() {
  const { answer, state } = last;
  const score = result.answered(answer, model, chosen, (name) => {
    // Choosing the predicted class means following the prediction.
    chosen = name === last.answer.scores[0].name ? null : name;
    display();
    link.write(entries);
  });
  result.contrasted(answer, other, (name) => {
    // Choosing the runner-up means following the runner-up.
    other = name === last.answer.scores[1].name ? null : name;
    display();
    link.write(entries);
  });
  input.mark(score, state.context);
}

function changed() {
  if (!input) return;
  link.write(entries);
  if (input.empty()) {
    last = null;
    ask(null);
    return result.empty(kinds[model.task].hint(model.examples.length > 0));
  }
  const [asked, name] = [input, model.name];
  ask(() => {
    const { sample, original, label, context } = asked.ask();
    return { input: asked, model: name, context, body: { sample, original, k: slider.valueAsNumber, label } };
  });
}

function facts() {
  const { classes, target, features, task } = model;
  const answer = target ?? (classes.length <= 8 ? `${classes.slice(0, -1).join(", ")} or ${classes.at(-1)}` : `${classes.length} classes`);
  const chooses = model.evidence === "chosen";
  const choice = { image: "cells", text: "words", tabular: chooses ? "columns" : "features" }[task];
  const few = chooses ? "as few as you like" : `at most ${model.k}`;
  return `${model.name}: ${answer}, from ${few} of ${features.toLocaleString("en")} ${choice}`;
}

/** Opens a model, in the state of a link if there is one; if that fails, the page says so and stays as it is. */
async function open(name, state) {
  openings += 1;
  const opening = openings;
  const known = models.find((one) => one.name === name);
  const next = known ?? models[0];
  try {
    const created = await kinds[next.task].create(next, changed);
    // Another model may have been chosen in the meantime.
    if (opening !== openings) return;
    await enter(next, created, state);
    if (name && !known) find("facts").prepend(`There is no model named ${name} here; showing another one. `);
  } catch (error) {
    if (opening !== openings) return;
    if (!model) find("title").textContent = "The model could not be opened";
    find("model").value = (model ?? next).name;
    result.failed(new UserError(`${next.name} could not be opened: ${error.message}`));
  }
}

/** Switches to a model and its input. */
async function enter(next, created, state) {
  [model, input, last] = [next, created, null];
  const kind = kinds[model.task];
  find("editor").replaceChildren(...input.parts);
  // What is shown now came from the previous model.
  result.empty("");
  find("main").dataset.task = model.task;
  find("model").value = model.name;
  find("title").textContent = kind.title;
  find("facts").textContent = facts();
  document.title = `${model.name} · NGSLL`;
  slider.max = model.most_k;
  slider.value = Number(state.get("k")) || model.k;
  find("k-box").hidden = false;
  slider.hidden = model.most_k === 1;
  showK();
  [chosen, other] = ["class", "not"].map((key) => (model.classes.includes(state.get(key)) ? state.get(key) : null));
  find("result-title").textContent = model.target ? `Predicted ${model.target}` : "Prediction";
  const examples = input.examples();
  find("examples-title").textContent = model.target ? `Start from a row with a known ${model.target}` : "Start from an example";
  find("examples").hidden = examples.length === 0;
  find("example-list").replaceChildren(...examples);
  if (!(await created.restore(state))) await created.start();
}

function showK() {
  find("k-value").textContent = slider.value;
}

slider.addEventListener("input", () => {
  showK();
  changed();
});
find("model").addEventListener("change", (event) => open(event.target.value, new URLSearchParams()));
// A new sample starts with its own prediction and runner-up.
find("example-list").addEventListener("click", ({ target }) => target.closest("button") && (chosen = other = null), true);
find("skip").addEventListener("click", () => find("result").focus());
addEventListener("hashchange", () => open(link.read().get("model"), link.read()));

function notify(sentence) {
  find("copied").textContent = sentence;
  setTimeout(() => (find("copied").textContent = ""), 2500);
}
async function copied(what, content) {
  notify((await copy(content)) ? `${what} copied` : "This browser does not allow the page to copy.");
}
find("copy-link").addEventListener("click", () => {
  const address = link.address(entries());
  if (address) copied("Link", new URL(address, location.href).href);
  else notify("This is too large for a link.");
});
find("copy-json").addEventListener("click", () => {
  const { model, k, explanation } = last.answer;
  copied("JSON", JSON.stringify({ model, k, ...explanation }, null, 2));
});

try {
  models = await loadModels();
  find("models").hidden = models.length < 2;
  find("model").append(...models.map(({ name }) => make("option", { value: name }, name)));
  await open(link.read().get("model"), link.read());
} catch (error) {
  find("title").textContent = "The models could not be loaded";
  result.failed(error);
}
