// Requests to the server.

/** The largest request body that the server accepts, in bytes. */
const LARGEST = Number(document.documentElement.dataset.largestBody);

/** An error whose message is a sentence for people. */
export class UserError extends Error {}

async function read(response) {
  const body = await response.json().catch(() => null);
  if (response.ok && body) return body;
  const error = new UserError(body?.error ?? `The server answered with status ${response.status}.`);
  // A busy server says when to try again, and so does one that has had enough of us for now.
  if ([429, 503].includes(response.status)) error.retry = Number(response.headers.get("retry-after") ?? 1);
  throw error;
}

async function ask(address, options) {
  let response;
  try {
    response = await fetch(address, options);
  } catch {
    const error = new UserError("The server is not answering. Is it still running?");
    error.retry = 2;
    throw error;
  }
  return read(response);
}

/** All models, in the server's order. */
export async function models() {
  return (await ask("/page/models")).models;
}

async function explain({ model, body }) {
  const sent = new Blob([JSON.stringify(body)]);
  if (sent.size > LARGEST) {
    const [size, most] = [(sent.size / (1 << 20)).toFixed(1), LARGEST / (1 << 20)];
    throw new UserError(`This is too large to send: ${size} MiB, and the server accepts at most ${most} MiB. With less detail it may fit.`);
  }
  return ask(`/page/models/${encodeURIComponent(model)}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: sent,
  });
}

const pause = (seconds) => new Promise((done) => setTimeout(done, 1000 * seconds));

/**
 * Sends states, at most one at a time: of those that arrive while a response is awaited, only the
 * latest is sent next. States are given as functions, because building one from a drawing takes
 * longer than the pen needs from point to point; null withdraws the one that waits. If building
 * one fails, `failed` gets no state.
 */
export function asker(answered, failed) {
  let running = false;
  let next = null;
  async function run() {
    running = true;
    while (next) {
      const make = next;
      next = null;
      let state = null;
      try {
        state = make();
        answered(await explain(state), state);
      } catch (error) {
        failed(error, state);
        if (error.retry) {
          await pause(error.retry);
          next ??= () => state;
        }
      }
    }
    running = false;
  }
  return (make) => {
    next = make;
    if (next && !running) run();
  };
}
