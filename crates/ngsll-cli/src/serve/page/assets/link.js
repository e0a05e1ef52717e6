// The state in the address: what stands behind the # never leaves the browser.

/** What the address says: model, k, class, and the input's own entries. */
export const read = () => new URLSearchParams(location.hash.slice(1));

let timer;

/** Puts a state, which is made only then, into the address a moment after the last change: browsers refuse too many. */
export function write(make) {
  clearTimeout(timer);
  timer = setTimeout(() => history.replaceState(null, "", address(make())), 250);
}

/** The address of a state. */
export function address(entries) {
  const known = Object.entries(entries).filter(([, value]) => value != null && value !== "");
  return `${location.pathname}#${new URLSearchParams(known)}`;
}
