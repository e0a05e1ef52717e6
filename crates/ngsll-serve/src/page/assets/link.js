// The state in the address: what follows the # never leaves the browser.

/** What the address holds: model, k, class, and the input's own entries. */
export const read = () => new URLSearchParams(location.hash.slice(1));

/** Characters of an address; browsers refuse much longer ones. */
const LONGEST = 1 << 20;

let timer;

/** Writes a state, built only then, into the address a moment after the last change: browsers limit how often that may happen. */
export function write(make) {
  clearTimeout(timer);
  timer = setTimeout(() => history.replaceState(null, "", address(make()) ?? location.pathname), 250);
}

/** The address of a state; null if the state is too large for one. */
export function address(entries) {
  const known = Object.entries(entries).filter(([, value]) => value != null && value !== "");
  const whole = `${location.pathname}#${new URLSearchParams(known)}`;
  return whole.length <= LONGEST ? whole : null;
}
