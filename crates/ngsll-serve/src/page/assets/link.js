// The state in the address: what stands behind the # never leaves the browser.

/** What the address says: model, k, class, and the input's own entries. */
export const read = () => new URLSearchParams(location.hash.slice(1));

/** Characters of an address; browsers refuse much longer ones. */
const LONGEST = 1 << 20;

let timer;

/** Puts a state, which is made only then, into the address a moment after the last change: browsers refuse too many. */
export function write(make) {
  clearTimeout(timer);
  timer = setTimeout(() => history.replaceState(null, "", address(make()) ?? location.pathname), 250);
}

/** The address of a state; none where that is too large for one. */
export function address(entries) {
  const known = Object.entries(entries).filter(([, value]) => value != null && value !== "");
  const whole = `${location.pathname}#${new URLSearchParams(known)}`;
  return whole.length <= LONGEST ? whole : null;
}
