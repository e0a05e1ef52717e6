// Questions to the server.

async function read(response) {
  const body = await response.json().catch(() => null);
  if (response.ok && body) return body;
  const error = new Error(body?.error ?? `The server answered with status ${response.status}.`);
  // A busy server says when to come back.
  if (response.status === 503) error.retry = Number(response.headers.get("retry-after") ?? 1);
  throw error;
}

async function ask(address, options) {
  let response;
  try {
    response = await fetch(address, options);
  } catch {
    throw new Error("The server does not answer. Is it still running?");
  }
  return read(response);
}

/** All models, in the server's order. */
export async function models() {
  return (await ask("/page/models")).models;
}

function explain({ model, body }) {
  return ask(`/page/models/${encodeURIComponent(model)}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
}

const pause = (seconds) => new Promise((done) => setTimeout(done, 1000 * seconds));

/**
 * Asks about states, at most one at a time: of those that come while an answer is awaited, the
 * latest is asked about next and the others never. States come as functions, since making one of
 * a drawing takes longer than the pen does from point to point; null takes back what is not asked yet.
 */
export function asker(answered, failed) {
  let running = false;
  let next = null;
  async function run() {
    running = true;
    while (next) {
      const state = next();
      next = null;
      try {
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
