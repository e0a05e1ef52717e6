// An image model: draw, drop a file, or start from an example; the chosen cells are shown over the drawing.

import { make, show } from "./elements.js";
import { PEN, RANGE, centred, decode, encode, extent, paint, png, raster, whole } from "./drawing.js";

export const title = "Draw a picture";
export const hint = (examples) => `Draw something${examples ? ", drop an image file, or start from an example" : " or drop an image file"}.`;

/** Pixels of the drawing area's longer side. */
const SIDE = 720;

/** Share of the side that the ink of MNIST's digits fills. */
const BOX = 20 / 28;

async function bitmap(source) {
  const picture = new Image();
  picture.src = source;
  await picture.decode();
  return picture;
}

const address = (base64) => `data:image/png;base64,${base64}`;

function pixels(picture, width, height) {
  const context = new OffscreenCanvas(width, height).getContext("2d", { willReadFrequently: true });
  context.drawImage(picture, 0, 0, width, height);
  return context.getImageData(0, 0, width, height).data;
}

const grey = (data, at) => 0.2126 * data[at] + 0.7152 * data[at + 1] + 0.0722 * data[at + 2];

/** The mean colour of a picture's edge (red, green, blue); transparency shows the background. */
function edgeColour(picture, background) {
  const side = 16;
  const context = new OffscreenCanvas(side, side).getContext("2d", { willReadFrequently: true });
  context.fillStyle = background;
  context.fillRect(0, 0, side, side);
  context.drawImage(picture, 0, 0, side, side);
  const { data } = context.getImageData(0, 0, side, side);
  const places = [...Array(side * side).keys()];
  const edge = places.filter((p) => p % side % (side - 1) === 0 || p < side || p >= side * (side - 1));
  return [0, 1, 2].map((c) => edge.reduce((sum, place) => sum + data[4 * place + c], 0) / edge.length);
}

/** Size, background, pen colour and the share of the side that ink fills, taken from the examples; and their pixels. */
async function lookOf(model) {
  const { width, height, channels } = model.image;
  const levels = [];
  const sides = [];
  const examples = [];
  for (const example of model.examples) {
    const data = pixels(await bitmap(address(example.image)), width, height);
    examples.push(data);
    const at = (x, y) => data[4 * (y * width + x)];
    for (let x = 0; x < width; x += 1) levels.push(at(x, 0), at(x, height - 1));
    const inked = (place) => data[4 * place] > 64;
    const places = [...Array(width * height).keys()].filter(inked);
    const [left, right] = extent(places.map((p) => p % width));
    const [top, bottom] = extent(places.map((p) => Math.floor(p / width)));
    if (places.length) sides.push((Math.max(right - left, bottom - top) + 1) / width);
  }
  const middle = (values, otherwise) => values.sort((a, b) => a - b)[values.length >> 1] ?? otherwise;
  const dark = middle(levels, 0) < 128;
  const ink = dark ? "#ffffff" : "#000000";
  const ground = dark ? "#000000" : "#ffffff";
  const digits = channels === 1 && width === height && dark;
  const { fit, background } = model.image_reading;
  return { width, height, channels, ink, ground, digits, examples, fit, background, box: middle(sides, BOX) };
}

export async function create(model, changed) {
  const look = await lookOf(model);
  let strokes = [];
  let base = null;
  let untouched = false;
  const past = [];
  let erasing = false;
  let centring = look.digits;

  const aspect = look.width / look.height;
  const [wide, high] = aspect > 1 ? [SIDE, Math.round(SIDE / aspect)] : [Math.round(SIDE * aspect), SIDE];
  const canvas = make("canvas", {
    width: wide, height: high, role: "img", id: "canvas",
    "aria-label": "Drawing area for mouse, pen or finger; the examples and image files below work from the keyboard",
  });
  const context = canvas.getContext("2d");
  const overlay = make("div", { class: "over", id: "overlay", "aria-hidden": "true" });
  const invitation = make("p", { class: "invitation", "aria-hidden": "true" }, "draw here");
  const board = make("div", { class: "board" }, canvas, overlay, invitation);
  board.style.aspectRatio = `${wide} / ${high}`;
  board.style.maxWidth = `calc(75vh * ${aspect})`;

  const tool = (name, erases) => {
    const radio = make("input", { type: "radio", name: "tool", checked: !erases, onchange: () => (erasing = erases) });
    return make("label", { class: "tool" }, radio, make("span", {}, name));
  };
  const button = (text, onclick) => make("button", { type: "button", onclick }, text);
  const undo = button("Undo", () => {
    [base, strokes, opened.textContent] = past.pop();
    update();
  });
  const clear = button("Clear", () => set(null));
  [undo.id, clear.id] = ["undo", "clear"];
  const file = make("input", {
    type: "file", accept: "image/*", id: "file", class: "hidden",
    onchange: () => {
      open(file.files[0]);
      // The same file may be opened again.
      file.value = "";
    },
  });
  const choose = make("label", { for: "file", class: "button" }, "Open …");
  const colour = make("input", { type: "color", value: look.ink, "aria-label": "Pen colour" });
  const centre = make("input", {
    type: "checkbox", id: "centre", checked: centring,
    onchange: () => {
      centring = centre.checked;
      update();
    },
  });
  const opened = make("p", { class: "note", role: "status", id: "opened" });
  const problem = make("p", { class: "error", role: "alert", hidden: true });
  const tools = make("div", { class: "tools" },
    make("div", { class: "segments", role: "group", "aria-label": "Tool" }, tool("Pen", false), tool("Eraser", true)),
    ...(look.channels > 1 ? [colour] : []), undo, clear, file, choose);
  const area = make("div", {
    ondragover(event) {
      event.preventDefault();
      area.classList.add("dropping");
    },
    ondragleave: () => area.classList.remove("dropping"),
    ondrop(event) {
      event.preventDefault();
      area.classList.remove("dropping");
      open(event.dataTransfer.files[0]);
    },
  },
    board, tools,
    ...(look.digits ? [make("label", { class: "check" }, centre, "Centre and scale as in the training images")] : []),
    opened, problem);

  const empty = () => !base && strokes.length === 0;
  const frame = () => (centring && !base ? centred(strokes, look) : whole(look));

  function draw() {
    context.fillStyle = look.ground;
    context.fillRect(0, 0, wide, high);
    context.imageSmoothingEnabled = false;
    if (base) context.drawImage(base, 0, 0, wide, high);
    paint(context, strokes, whole({ width: wide, height: high }), 1, 0.8 * PEN * Math.min(wide, high), look);
  }

  function update() {
    draw();
    problem.hidden = true;
    undo.disabled = past.length === 0;
    clear.disabled = empty();
    invitation.hidden = !empty();
    if (empty()) show(overlay, "");
    changed();
  }

  /** Makes the present state one that undo returns to, unless it is the example that the page opened with. */
  function remember() {
    if (untouched) [base, strokes, untouched] = [null, [], false];
    else past.push([base, [...strokes], opened.textContent]);
  }

  function begin(picture, drawn) {
    [base, strokes] = [picture, drawn];
    update();
  }

  /** Another picture, with a note on what was done to it. */
  function set(picture, note = "") {
    remember();
    opened.textContent = note;
    begin(picture, []);
  }

  async function open(image) {
    if (!image) return;
    try {
      const picture = await createImageBitmap(image);
      const [small, changes] = fitted(picture);
      set(small, `${image.name || "The picture"}, ${picture.width}×${picture.height}: ${changes.join(", ")}.`);
    } catch {
      problem.textContent = `${image.name || "The file"} is not an image that this browser can read.`;
      problem.hidden = false;
    }
  }

  /** A picture of the model's size, in grey if the model is, on the model's background; and what was changed for that. */
  function fitted(picture) {
    const small = new OffscreenCanvas(look.width, look.height);
    const pen = small.getContext("2d", { willReadFrequently: true });
    // A browser cannot show the colours under transparency: the background takes their place.
    const background = look.background === "none" ? look.ground : look.background;
    const margin = edgeColour(picture, look.digits ? "#ffffff" : background);
    // Ink on paper becomes light on dark, like the training digits.
    const invert = look.digits && grey(margin, 0) > 128;
    // A digit is always shown whole; a photo as the model does with files.
    const sides = [look.width / picture.width, look.height / picture.height];
    const shown = look.digits ? "pad" : look.fit;
    const scale = shown === "crop" ? Math.max(...sides) : Math.min(...sides);
    const [w, h] = shown === "stretch" ? [look.width, look.height] : [scale * picture.width, scale * picture.height];
    pen.fillStyle = look.digits ? (invert ? "#ffffff" : look.ground) : `rgb(${margin.map(Math.round).join(" ")})`;
    pen.fillRect(0, 0, look.width, look.height);
    const place = [(look.width - w) / 2, (look.height - h) / 2, w, h];
    if (!look.digits) {
      pen.fillStyle = background;
      pen.fillRect(...place);
    }
    pen.imageSmoothingQuality = "high";
    pen.drawImage(picture, ...place);
    const image = pen.getImageData(0, 0, look.width, look.height);
    if (look.channels === 1) {
      for (let at = 0; at < image.data.length; at += 4) {
        const level = grey(image.data, at);
        image.data.fill(invert ? 255 - level : level, at, at + 3);
      }
      pen.putImageData(image, 0, 0);
    }
    const changes = [
      scale === 1 ? "in its own size" : `scaled to ${look.width}×${look.height}`,
      ...(Math.abs(sides[0] / sides[1] - 1) > 0.01 ? [{ pad: "with a margin", crop: "cropped", stretch: "stretched" }[shown]] : []),
      ...(look.channels === 1 ? ["in shades of grey"] : []),
      ...(invert ? ["inverted, because the training images are light on dark"] : []),
    ];
    return [small, changes];
  }

  const place = (event) => {
    const area = canvas.getBoundingClientRect();
    const at = (value, start, length) => Math.min(Math.max(Math.round((RANGE * (value - start)) / length), 0), RANGE);
    return [at(event.clientX, area.left, area.width), at(event.clientY, area.top, area.height)];
  };
  let stroke = null;
  let pointer = null;
  canvas.addEventListener("pointerdown", (event) => {
    // A palm or a second finger does not draw beside the first.
    if (stroke || event.button !== 0) return;
    event.preventDefault();
    pointer = event.pointerId;
    canvas.setPointerCapture(pointer);
    // The example that the page opened with is replaced, not drawn on.
    remember();
    stroke = { erase: erasing, colour: look.channels > 1 ? colour.value : look.ink, points: place(event) };
    strokes.push(stroke);
    update();
  });
  canvas.addEventListener("pointermove", (event) => {
    if (!stroke || event.pointerId !== pointer) return;
    for (const one of event.getCoalescedEvents?.() ?? [event]) {
      const [x, y] = place(one);
      const [lastX, lastY] = stroke.points.slice(-2);
      if (Math.hypot(x - lastX, y - lastY) >= 3 && stroke.points.length < 4000) stroke.points.push(x, y);
    }
    update();
  });
  for (const end of ["pointerup", "pointercancel", "lostpointercapture"]) {
    canvas.addEventListener(end, (event) => {
      if (event.pointerId === pointer) stroke = null;
    });
  }

  /** The known answer of a picture that is one of the examples. */
  const labels = new WeakMap();
  const labelOf = (picture) => {
    if (!labels.has(picture)) {
      const own = pixels(picture, look.width, look.height);
      const at = look.examples.findIndex((data) => data.every((level, i) => level === own[i]));
      labels.set(picture, model.examples[at]?.label);
    }
    return labels.get(picture);
  };
  const take = (example) => bitmap(address(example.image));
  return {
    parts: [area],
    empty,
    ask() {
      const now = frame();
      const image = png(raster(strokes, base, now, look));
      const label = base && strokes.length === 0 ? labelOf(base) : undefined;
      return { sample: { image }, label, context: now };
    },
    mark(score, now) {
      show(overlay, score.overlay);
      const share = (part, whole) => `${(100 * part) / whole}%`;
      overlay.style.left = share(-now.left / now.x, RANGE);
      overlay.style.top = share(-now.top / now.y, RANGE);
      overlay.style.width = share(look.width / now.x, RANGE);
      overlay.style.height = share(look.height / now.y, RANGE);
    },
    save: () => ({
      base: base && png(raster([], base, whole(look), look)),
      strokes: encode(strokes),
      centre: look.digits && !centring ? "no" : null,
    }),
    async restore(entries) {
      if (!entries.has("base") && !entries.has("strokes")) return false;
      centring = look.digits && entries.get("centre") !== "no";
      centre.checked = centring;
      const picture = entries.has("base") ? await bitmap(address(entries.get("base"))).catch(() => null) : null;
      // Somebody may have drawn in the meantime.
      if (empty()) begin(picture, decode(entries.get("strokes") ?? ""));
      return true;
    },
    async start() {
      if (model.examples.length === 0) return begin(null, []);
      const picture = await take(model.examples[0]);
      // Somebody may have drawn in the meantime.
      if (!empty()) return;
      begin(picture, []);
      untouched = true;
    },
    examples: () =>
      model.examples.map((example) =>
        make("button", { type: "button", class: "thumb", title: example.label, "aria-label": `Example of ${example.label}`, onclick: async () => set(await take(example)) },
          make("img", { src: address(example.image), alt: "", class: "pixels" }))),
  };
}
