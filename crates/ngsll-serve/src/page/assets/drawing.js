// Pen strokes: how they become a picture of the model's size, and part of an address.

/** Coordinates of strokes go from 0 to this, from left to right and from top to bottom. */
export const RANGE = 255;

/** The pen's width in a picture's shorter side: about that of MNIST's digits. */
export const PEN = 0.095;

/** A small drawing is not enlarged beyond this. */
const ENLARGED = 3;

/** The smallest and the largest value; Math.min and Math.max cannot take this many arguments. */
export function extent(values) {
  let [low, high] = [Infinity, -Infinity];
  for (const value of values) [low, high] = [Math.min(low, value), Math.max(high, value)];
  return [low, high];
}

/** The frame in which the drawing fills the picture: picture = left + x · drawing. */
export function whole({ width, height }) {
  return { x: width / RANGE, y: height / RANGE, left: 0, top: 0 };
}

/**
 * The frame that MNIST's own digits were put into: the ink fills a box of the given share of the
 * side, and its centre of mass is in the middle as far as no ink leaves the picture.
 */
export function centred(strokes, look) {
  const { width } = look;
  const ink = strokes.filter((stroke) => !stroke.erase).flatMap((stroke) => stroke.points);
  if (ink.length === 0) return whole(look);
  const [left, right] = extent(ink.filter((_, i) => i % 2 === 0));
  const [top, bottom] = extent(ink.filter((_, i) => i % 2 === 1));
  const pen = PEN * width;
  const side = Math.max(right - left, bottom - top, 1);
  const scale = Math.min((look.box * width - pen) / side, (ENLARGED * width) / RANGE);
  const middle = (a, b) => width / 2 - (scale * (a + b)) / 2;
  const frame = { x: scale, y: scale, left: middle(left, right), top: middle(top, bottom) };
  const mass = centreOfMass(raster(strokes, null, frame, look), look);
  const inside = (offset, shift, low, high) => {
    const least = pen / 2 - (offset + scale * low);
    const most = width - pen / 2 - (offset + scale * high);
    return offset + Math.min(Math.max(shift, least), most);
  };
  frame.left = inside(frame.left, width / 2 - mass.x, left, right);
  frame.top = inside(frame.top, width / 2 - mass.y, top, bottom);
  return frame;
}

function centreOfMass({ width, height, data }, look) {
  const [ground, ink] = [level(look.ground), level(look.ink)];
  let [total, x, y] = [0, 0, 0];
  for (let at = 0; at < width * height; at += 1) {
    const share = (data[4 * at] - ground) / (ink - ground);
    total += share;
    x += share * ((at % width) + 0.5);
    y += share * (Math.floor(at / width) + 0.5);
  }
  return total > 0 ? { x: x / total, y: y / total } : { x: width / 2, y: height / 2 };
}

const level = (colour) => parseInt(colour.slice(1, 3), 16);

/** Draws strokes in a frame that is enlarged by `scale`. */
export function paint(context, strokes, frame, scale, pen, look) {
  context.lineCap = context.lineJoin = "round";
  context.lineWidth = pen;
  for (const { erase, colour, points } of strokes) {
    const place = (i) => [scale * (frame.left + frame.x * points[i]), scale * (frame.top + frame.y * points[i + 1])];
    context.strokeStyle = erase ? look.ground : colour;
    context.beginPath();
    context.moveTo(...place(0));
    for (let i = 2; i + 2 < points.length; i += 2) {
      // Curves from middle to middle, so that no corner is seen.
      const [[x, y], [nextX, nextY]] = [place(i), place(i + 2)];
      context.quadraticCurveTo(x, y, (x + nextX) / 2, (y + nextY) / 2);
    }
    // A line without length is not drawn, but a touch of the pen should leave a dot.
    const [x, y] = place(points.length - 2);
    context.lineTo(points.length === 2 ? x + 0.01 : x, y);
    context.stroke();
  }
}

/** The picture that the model gets: drawn several times as large, then averaged. */
export function raster(strokes, base, frame, look) {
  const { width, height } = look;
  const finer = Math.min(Math.max(Math.round(448 / Math.max(width, height)), 1), 16);
  const canvas = new OffscreenCanvas(width * finer, height * finer);
  const context = canvas.getContext("2d", { willReadFrequently: true });
  context.fillStyle = look.ground;
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.imageSmoothingEnabled = false;
  if (base) context.drawImage(base, 0, 0, canvas.width, canvas.height);
  paint(context, strokes, frame, finer, PEN * Math.min(width, height) * finer, look);
  const fine = context.getImageData(0, 0, canvas.width, canvas.height).data;
  const picture = new ImageData(width, height);
  for (let at = 0; at < 4 * width * height; at += 1) {
    const [channel, pixel] = [at % 4, Math.floor(at / 4)];
    const first = 4 * finer * (canvas.width * Math.floor(pixel / width) + (pixel % width)) + channel;
    let sum = 0;
    for (let y = 0; y < finer; y += 1) {
      for (let x = 0; x < finer; x += 1) sum += fine[first + 4 * (canvas.width * y + x)];
    }
    picture.data[at] = Math.round(sum / (finer * finer));
  }
  return picture;
}

/** A picture as a PNG file in base64. */
export function png(picture) {
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [picture.width, picture.height];
  // Without an alpha channel the file is a quarter smaller.
  canvas.getContext("2d", { alpha: false }).putImageData(picture, 0, 0);
  return canvas.toDataURL("image/png").split(",")[1];
}

/** Strokes as text for an address: for each, whether it erases, its colour, its length and its points. */
export function encode(strokes) {
  const bytes = strokes.flatMap(({ erase, colour, points }) => {
    const rgb = [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16));
    return [Number(erase), ...rgb, points.length >> 8, points.length & 255, ...points];
  });
  const text = btoa(bytes.map((byte) => String.fromCharCode(byte)).join(""));
  return text.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** Strokes from an address; none if it is damaged. */
export function decode(text) {
  const strokes = [];
  try {
    const bytes = [...atob(text.replaceAll("-", "+").replaceAll("_", "/"))].map((c) => c.charCodeAt(0));
    for (let at = 0; at + 6 < bytes.length; ) {
      const length = 256 * bytes[at + 4] + bytes[at + 5];
      const colour = "#" + bytes.slice(at + 1, at + 4).map((v) => v.toString(16).padStart(2, "0")).join("");
      const points = bytes.slice(at + 6, at + 6 + length);
      if (length < 2 || points.length !== length || length % 2) break;
      strokes.push({ erase: bytes[at] === 1, colour, points });
      at += 6 + length;
    }
  } catch {
    // From a truncated link, what is left is drawn.
  }
  return strokes;
}
