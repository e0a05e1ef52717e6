"""Ours and the peers side by side: `benches/peers/run --help`.

Ours and a peer take turns, so that both meet the same machine; a ratio is the median of the rounds'
ratios. Of several ways to use a peer, the fastest counts.
"""

import argparse
import datetime
import json
import platform
import statistics
import subprocess
import tempfile
import time
from importlib.metadata import version
from pathlib import Path

import torch
from after_the_fact import explainers
from network import Exported, TorchNetwork, check, onnx_session
from ours import ROOT, Ours, build
from training import LAYOUTS, variants

BATCH = 128
K = 10
PAUSE = 0.1  # seconds between turns, in which the other's idle threads go to sleep
QUIET = 0.1  # share of the machine that others may use without a warning
SQUARE = 1024  # of the matrix product in peer.rs
# Multiply-adds of a direct forward pass: 3×3 convolutions at 28×28, 14×14 and 7×7, two dense layers.
FIRST, SECOND, THIRD = 784 * 1 * 32, 196 * 32 * 64, 49 * 64 * 128
DENSE = 1152 * 128 + 128 * 49
# Forward, and the gradients of weights and inputs; the image itself needs none.
STEP_FLOP = 2 * BATCH * (2 * 9 * FIRST + 3 * (9 * SECOND + 9 * THIRD + DENSE))
# What is left with Winograd's F(2×2, 3×3): 16 instead of 36 for each of 7×7 and 3×3 windows.
OUR_FLOP = 2 * BATCH * (2 * 9 * FIRST + 3 * (16 * 49 * 32 * 64 + 16 * 9 * 64 * 128 + DENSE))


def timed(work, repeats: int) -> list[float]:
    seconds = []
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - start)
    return seconds


class Comparison:
    def __init__(self, arguments, ours: Ours, exported: Exported):
        self.arguments, self.ours, self.exported = arguments, ours, exported
        self.rounds = 3 if arguments.quick else 9
        self.rows, self.raw = [], []

    def race(self, first, second) -> dict:
        """Two functions that give seconds, in turns: medians, and the median ratio second : first."""
        times = []
        for _ in range(self.rounds):
            turn = []
            for side in (first, second):
                time.sleep(PAUSE)
                turn.append(statistics.median(side()))
            times.append(turn)
        medians = [statistics.median(side) for side in zip(*times)]
        ratio = statistics.median(b / a for a, b in times)
        return {"rounds": times, "first": medians[0], "second": medians[1], "ratio": ratio}

    def fastest(self, candidates: dict, repeats: int) -> str:
        """The name of the fastest of some functions, by their lower quartiles: a slow time may be
        somebody else's work, the single best one may be luck."""
        times = {name: [] for name in candidates}
        for _ in range(3):
            for name, work in candidates.items():
                timed(work, 2)
                times[name] += timed(work, repeats)
        quartiles = {name: statistics.quantiles(seconds)[0] for name, seconds in times.items()}
        self.raw.append({"candidates": quartiles})
        return min(quartiles, key=quartiles.get)

    def ask(self, work: str, repeats: int):
        return lambda: self.ours.ask(work, repeats)

    def row(self, work, result, peer, asked, ratio="{:.2f}×", second=None):
        """Adds a line to the table; `second` shows the second side where it is not a time."""
        self.raw.append({"work": work, "peer": peer, **result})
        shown = second or milliseconds(result["second"])
        cells = [work, milliseconds(result["first"]), f"{peer}: {shown}"]
        self.rows.append([*cells, ratio.format(result["ratio"]), asked])
        print(" | ".join(self.rows[-1]), flush=True)

    def train(self):
        ways = variants(self.exported, BATCH, K)
        best = self.fastest({name: way.step for name, way in ways.items()}, 6)
        peer = lambda: timed(ways[best].step, 10)
        result = self.race(self.ask("train", 10), peer)
        self.row("training step", result, f"PyTorch ({best})", "≥ 1.5×")
        if self.arguments.compile:
            ways[best].loss = torch.compile(ways[best].loss)
            timed(ways[best].step, 5)
            result = self.race(self.ask("train", 10), peer)
            self.row("training step", result, f"PyTorch compiled ({best})", "—")

    def explain(self):
        pixels = torch.from_numpy(self.exported.pixels)
        for work, n, repeats, asked in [
            ("explain_batch", BATCH, 20, ("≥ 1.5×", "≥ 0.8×")),
            ("explain_one", 1, 200, ("≥ 2.5×", "≥ 0.8×")),
        ]:
            ours, x = self.ask(work, repeats), {"x": self.exported.x[:n]}
            # One image may be too little work to share.
            counts = sorted({1 if n == 1 else self.arguments.threads, self.arguments.threads})
            peers = {}
            for threads in counts:
                session = onnx_session(self.exported, threads)
                peers[f"threads = {threads}"] = lambda s=session: s.run(None, x)
            best = self.fastest(peers, repeats)
            onnx_result = self.race(ours, lambda: timed(peers[best], repeats))
            onnx_name = f"ONNX Runtime, network alone ({best})"
            with torch.inference_mode():
                peers = {
                    f"{layout}, threads = {threads}": torch_explainer(
                        TorchNetwork(self.exported, memory_format), pixels[:n], threads
                    )
                    for layout, memory_format in LAYOUTS.items()
                    for threads in counts
                }
                best = self.fastest(peers, repeats)
                result = self.race(ours, lambda: timed(peers[best], repeats))
            torch.set_num_threads(self.arguments.threads)
            name = "explain a batch of 128" if n > 1 else "explain one image"
            self.row(name, result, f"PyTorch ({best})", asked[0])
            self.row(name, onnx_result, onnx_name, asked[1])

    def after_the_fact(self):
        cells, labels = self.exported.check["cells"], self.exported.check["labels"]
        methods = explainers(cells, labels, self.arguments.threads)
        samples = iter(range(len(cells)))
        asked = dict.fromkeys(methods, "—")
        results = {}
        for name, method in methods.items():
            peer = lambda: timed(lambda: method(cells[next(samples)]), 2)
            timed(lambda: method(cells[next(samples)]), 1)
            results[name] = self.race(self.ask("explain_one", 200), peer)
        asked[min(results, key=lambda name: results[name]["second"])] = "≥ 300× the fastest"
        for name, result in results.items():
            self.row("explain one image", result, name, asked[name], ratio="{:.0f}×")

    def gate(self):
        result = self.race(self.ask("gate_k1", 400), self.ask("gate_k50", 400))
        self.row("K-hot gate, 10,000 features, K = 1", result, "K = 50", "≤ 1.3×")

    def peak(self):
        result = self.race(self.ask("train", 10), self.ask("gemm", 10))
        rate = 2 * SQUARE**3 / result["second"]
        result["ratio"] *= STEP_FLOP / (2 * SQUARE**3) * 100
        peer = f"gemm {SQUARE}³"
        second = f"{rate / 1e9:.0f} GFLOP/s"
        self.row("training step, nominal share of gemm's rate", result, peer, "≥ 60 %", "{:.0f} %", second)
        result["ratio"] *= OUR_FLOP / STEP_FLOP
        self.row("the same, counting the multiplications performed", result, peer, "—", "{:.0f} %", second)

    def threads(self):
        one = Ours(self.arguments.program, 1)
        result = self.race(self.ask("train", 10), lambda: one.ask("train", 10))
        one.close()
        many = self.arguments.threads
        asked = "≥ 1.7×" if many == 2 else "—"
        self.row(f"training step, {many} threads", result, "1 thread", asked)


WORKS = ["train", "explain", "after_the_fact", "gate", "peak", "threads"]


def torch_explainer(network: TorchNetwork, pixels, threads: int):
    def work():
        # Costs nothing where the number stays.
        if torch.get_num_threads() != threads:
            torch.set_num_threads(threads)
        return network.explain(pixels, K)

    return work


def milliseconds(seconds: float) -> str:
    return f"{seconds * 1e3:.3g} ms"


def busy_elsewhere() -> float | None:
    """The share of the processors that others use, while we sleep a second (Linux only)."""
    stat = Path("/proc/stat")
    if not stat.exists():
        return None
    read = lambda: [int(number) for number in stat.read_text().split("\n")[0].split()[1:]]
    before = read()
    time.sleep(1)
    spent = [b - a for a, b in zip(before, read())]
    return 1 - (spent[3] + spent[4]) / sum(spent)  # idle, and waiting for a disk


def machine(threads: int) -> dict:
    command = ["git", "describe", "--always", "--dirty"]
    commit = subprocess.run(command, cwd=ROOT, capture_output=True, text=True).stdout.strip()
    cpuinfo = Path("/proc/cpuinfo")
    lines = cpuinfo.read_text().splitlines() if cpuinfo.exists() else []
    models = [line.split(":")[1].strip() for line in lines if line.startswith("model name")]
    packages = ["torch", "onnxruntime", "scikit-learn", "lime", "shap"]
    return {
        "cpu": models[0] if models else platform.processor(),
        "threads": threads,
        "versions": {name: version(name) for name in packages},
        "date": datetime.date.today().isoformat(),
        "commit": commit,
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="three rounds instead of nine")
    parser.add_argument("--only", default=",".join(WORKS), help="some of " + ",".join(WORKS))
    parser.add_argument("--threads", type=int, default=2, help="of ours and of each peer")
    parser.add_argument("--compile", action="store_true", help="show torch.compile as well")
    parser.add_argument("--out", type=Path, help="write all numbers to this JSON file")
    arguments = parser.parse_args()
    works = arguments.only.split(",")
    if unknown := set(works) - set(WORKS):
        parser.error(f"--only: no work is called {', '.join(unknown)}; known: {', '.join(WORKS)}")
    torch.set_num_threads(arguments.threads)
    torch.manual_seed(0)
    arguments.program = build()

    with tempfile.TemporaryDirectory() as folder:
        ours = Ours(arguments.program, arguments.threads, Path(folder))
        exported = Exported(Path(folder))
    network = TorchNetwork(exported, torch.contiguous_format)
    differences = check(exported, network, onnx_session(exported, arguments.threads))
    shown = ", ".join(f"{name} {value:.1e}" for name, value in differences.items())
    print(f"the peers compute our function; largest differences on {BATCH} images: {shown}\n")

    comparison = Comparison(arguments, ours, exported)
    busy = [busy_elsewhere()]
    for work in WORKS:
        if work in works:
            getattr(comparison, work)()
            busy.append(busy_elsewhere())
    ours.close()

    about = machine(arguments.threads)
    print("\n| work | ours | peer | ratio | asked for |\n|---|---|---|---|---|")
    for row in comparison.rows:
        print(f"| {' | '.join(row)} |")
    versions = ", ".join(f"{name} {number}" for name, number in about["versions"].items())
    print(
        f"\n{about['cpu']}, {about['threads']} threads; {versions}; {about['date']}, "
        f"commit {about['commit']}; medians of {comparison.rounds} rounds in turns.\n"
        f"The nominal share counts a direct convolution, {STEP_FLOP / 1e9:.1f} GFLOP a step; with "
        f"Winograd's F(2×2, 3×3) {OUR_FLOP / 1e9:.1f} are left."
    )
    if max(share or 0 for share in busy) > QUIET:
        print(
            f"\nNot a quiet machine: others used up to {max(busy):.0%} of it between the works. "
            "Peers that wait for all their threads suffer more from that than ours."
        )
    if arguments.out:
        record = {"machine": about, "busy_elsewhere": busy, "differences": differences, "results": comparison.raw}
        arguments.out.write_text(json.dumps(record, indent=1) + "\n")


if __name__ == "__main__":
    main()
