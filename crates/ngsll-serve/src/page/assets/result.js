// The prediction and its terms, drawn by the server; tabs choose among the classes.

import { find, make, show } from "./elements.js";
import { UserError } from "./server.js";

const parts = ["peek", "error", "empty", "answer", "verdict", "tabs", "panel", "definition", "seen", "subject", "bars", "sum", "legend", "said", "terms-title", "contrast", "contrast-for", "contrast-not", "differences"];
const on = Object.fromEntries(parts.map((id) => [id, find(id)]));

let timer;

/** Has a prediction read out once it has settled. */
function say(text) {
  clearTimeout(timer);
  timer = setTimeout(() => (on.said.textContent = text), 700);
}

// On a small screen the prediction may be out of sight: a button then shows it and leads there.
new IntersectionObserver(([seen]) => on.peek.classList.toggle("away", !seen.isIntersecting)).observe(on.verdict);
on.peek.addEventListener("click", () => on.verdict.scrollIntoView({ behavior: "smooth", block: "center" }));

/** There is no prediction yet: says what to do. */
export function empty(hint) {
  on.answer.hidden = true;
  on.error.hidden = true;
  on.empty.hidden = false;
  on.empty.textContent = hint;
  on.peek.hidden = true;
  say("");
}

/** Something went wrong: says so above the last answer. */
export function failed(error) {
  on.error.textContent =
    error instanceof UserError ? error.message : `Something went wrong on this page (${error.message}). Reloading it may help.`;
  on.error.hidden = false;
  on.answer.classList.add("stale");
}

function titleOf(model, score, rank) {
  if (model.target) return `What makes the ${model.target}`;
  // Another class may have been chosen before the prediction changed.
  return `What supports ${score.name}${rank > 0 ? ", which is not predicted" : ""}`;
}

function tab(score, rank, selected, choose) {
  const role = ["predicted", "runner-up"][rank];
  const element = make("button", {
    type: "button", role: "tab", id: `tab-${rank}`, "aria-selected": String(selected), "aria-controls": "panel",
    tabindex: selected ? 0 : -1, onclick: () => choose(score.name),
  },
    make("span", { class: "class" }, score.name),
    make("span", { class: "percent" }, score.percent ?? ""),
    ...(role ? [make("span", { class: "role" }, role)] : []));
  element.style.setProperty("--p", score.probability ?? 0);
  return element;
}

/** Shows an answer with the terms of one class (the predicted one unless another was chosen); returns that score. */
export function answered(answer, model, chosen, choose) {
  on.error.hidden = on.empty.hidden = true;
  on.answer.hidden = false;
  on.answer.classList.remove("stale");
  show(on.verdict, answer.verdict);
  show(on.legend, answer.legend);
  show(on.definition, answer.definition);
  say(answer.said);
  on.peek.textContent = answer.said;
  on.peek.hidden = false;
  const at = Math.max(answer.scores.findIndex((score) => score.name === chosen), 0);
  const score = answer.scores[at];
  const several = answer.scores.length > 1;
  on.tabs.hidden = !several;
  // The focus stays with the class while the order of the tabs changes.
  const focused = on.tabs.contains(document.activeElement);
  on.tabs.replaceChildren(...(several ? answer.scores.map((s, rank) => tab(s, rank, rank === at, choose)) : []));
  if (focused) on.tabs.children[at].focus();
  const panel = { role: "tabpanel", "aria-labelledby": `tab-${at}`, tabindex: "0" };
  for (const [name, value] of Object.entries(panel)) {
    if (several) on.panel.setAttribute(name, value);
    else on.panel.removeAttribute(name);
  }
  on["terms-title"].textContent = titleOf(model, score, at);
  on.seen.hidden = !answer.definition;
  if (answer.definition) show(on.subject, score.subject);
  show(on.bars, score.bars);
  show(on.sum, score.sum);
  return score;
}

/** Shows why the predicted class rather than another one (the runner-up unless another was chosen), if the answer says so. */
export function contrasted(answer, other, choose) {
  const rivals = answer.scores.filter((score) => score.contrast);
  on.contrast.hidden = rivals.length === 0;
  if (on.contrast.hidden) return;
  const rival = rivals.find((score) => score.name === other) ?? rivals[0];
  on["contrast-for"].textContent = answer.scores[0].name;
  const options = rivals.map(({ name, percent }) => make("option", { value: name }, `${name} (${percent})`));
  on["contrast-not"].replaceChildren(...options);
  on["contrast-not"].value = rival.name;
  on["contrast-not"].onchange = () => choose(on["contrast-not"].value);
  show(on.differences, rival.contrast);
}

/** Arrow keys, Home and End move between tabs, as usual. */
on.tabs.addEventListener("keydown", (event) => {
  const tabs = [...on.tabs.children];
  const at = tabs.indexOf(document.activeElement);
  const to = {
    ArrowRight: at + 1, ArrowDown: at + 1, ArrowLeft: at - 1, ArrowUp: at - 1, Home: 0, End: -1,
  }[event.key];
  if (to === undefined || at < 0) return;
  event.preventDefault();
  tabs.at(to % tabs.length).click();
});
