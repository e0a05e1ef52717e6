// Elements: built here from text, or drawn by the server.

/** An element with attributes, listeners (`onclick`) and children; strings become text, never HTML. */
export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value != null) element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
}

export const find = (id) => document.getElementById(id);

const shown = new WeakMap();

/** Shows a fragment drawn by our server, which escapes everything that comes from users. */
export function show(element, fragment) {
  if (shown.get(element) === fragment) return;
  shown.set(element, fragment);
  element.innerHTML = fragment;
}
