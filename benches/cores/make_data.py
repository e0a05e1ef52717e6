"""Writes the made data that benches/cores/run trains on; the same bytes every time.

    python3 make_data.py FOLDER

images.idx3-ubyte.gz, images.idx1-ubyte.gz: one or two strokes on 28x28 pixels, ten directions
texts.tsv: about ten words of 5,000, as frequent as words are; short ones and long ones
table.csv: 30 columns, a third of them levels; small.csv: 8 columns, few rows
"""

import gzip
import math
import random
import struct
import sys
from pathlib import Path

IMAGES, TEXTS, ROWS, FEW_ROWS = 6000, 6000, 12000, 600


def images(folder, rng):
    pixels, labels = bytearray(), bytearray()
    for _ in range(IMAGES):
        image, label = [0] * 784, rng.randrange(10)
        for _ in range(rng.randint(1, 2)):
            angle = math.pi * (label + rng.uniform(-0.2, 0.2)) / 10
            x, y, length = rng.uniform(8, 20), rng.uniform(8, 20), rng.uniform(6, 11)
            for step in range(60):
                t = (step / 30 - 1) * length
                for dx in (-1, 0, 1):
                    for dy in (-1, 0, 1):
                        column = round(x + t * math.cos(angle)) + dx
                        row = round(y + t * math.sin(angle)) + dy
                        if 0 <= column < 28 and 0 <= row < 28:
                            ink = 255 if dx == dy == 0 else 120
                            image[row * 28 + column] = max(image[row * 28 + column], ink)
        pixels += bytes(image)
        labels.append(label)
    write_gz(folder / "images.idx3-ubyte.gz", struct.pack(">IIII", 0x803, IMAGES, 28, 28) + pixels)
    write_gz(folder / "images.idx1-ubyte.gz", struct.pack(">II", 0x801, IMAGES) + labels)


def write_gz(path, data):
    path.write_bytes(gzip.compress(bytes(data), mtime=0))


def texts(folder, rng):
    lines = []
    for _ in range(TEXTS):
        words = [int(5000 ** rng.random()) for _ in range(max(2, round(rng.gauss(10, 4))))]
        score = sum(math.sin(word) for word in words)
        label = "low" if score < -0.5 else "high" if score > 0.5 else "middle"
        lines.append(f"{label}\t{' '.join(f'w{word}' for word in words)}\n")
    (folder / "texts.tsv").write_text("".join(lines))


def table(path, rows, numbers, levels, rng):
    names = [f"n{i}" for i in range(numbers)] + [f"c{i}" for i in range(levels)]
    lines = [",".join([*names, "y"]) + "\n"]
    for _ in range(rows):
        x = [rng.gauss(0, 1) for _ in range(numbers)]
        c = [rng.randrange(3 + 2 * i) for i in range(levels)]
        score = x[0] * x[1] + math.sin(2 * x[2]) + sum(x[3:6]) / 2 + (c[0] == 1) - (c[1] == 2)
        label = "yes" if score + rng.gauss(0, 1) > 0 else "no"
        cells = [f"{v:.3f}" for v in x] + [f"l{v}" for v in c]
        lines.append(",".join([*cells, label]) + "\n")
    path.write_text("".join(lines))


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    rng = random.Random(18)
    images(folder, rng)
    texts(folder, rng)
    table(folder / "table.csv", ROWS, 20, 10, rng)
    table(folder / "small.csv", FEW_ROWS, 5, 3, rng)
