"""The table, and the same as JSON."""

from __future__ import annotations

import json
import statistics
from pathlib import Path

from .arguments import Options
from .figures import SECTIONS, Figure
from .results import Results

COLUMNS = ("", "median", "min–max", "runs", "target", "reached")
MISSING = "not measured"
WIDTHS = (48, 16, 21, 4, 9, 7)


def values(figure: Figure, results: Results) -> list[float]:
    """A figure of each round."""
    return results.ratios(figure.key, figure.below) if figure.below else results.of(figure.key)


def number(value: float) -> str:
    """Three digits are as many as a run can tell."""
    if value >= 1000:
        return f"{value:,.0f}"
    return f"{value:.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def cells(figure: Figure, found: list[float], sizes: dict[str, str]) -> tuple[str, ...]:
    """A row."""
    title = figure.title.format(**sizes)
    target, reached = "", ""
    if figure.target:
        target = ("≥ " if figure.target.at_least else "≤ ") + f"{figure.target.value:g}"
    if not found:
        return title, MISSING, "", "", target, ""
    median = statistics.median(found)
    if figure.target:
        reached = "yes" if figure.target.is_reached(median) else "no"
    spread = f"{number(min(found))}–{number(max(found))}" if len(found) > 1 else ""
    return title, f"{number(median)} {figure.unit}".strip(), spread, str(len(found)), target, reached


def line(row: tuple[str, ...]) -> str:
    first, *others = (cell.rjust(width) for cell, width in zip(row, WIDTHS))
    return "  ".join([row[0].ljust(WIDTHS[0]), *others]).rstrip()


def text(results: Results, environment: dict[str, str], sizes: dict[str, str], options: Options) -> str:
    """All of it. A quick run is not judged, and only a complete one says what it has not measured."""
    lines = [f"{name}: {value}" for name, value in environment.items()] + results.notes
    for title, figures in SECTIONS:
        rows = [cells(figure, values(figure, results), sizes) for figure in figures]
        if not options.is_complete:
            rows = [row for row in rows if row[1] != MISSING]
        if not options.is_judged:
            rows = [row[:4] for row in rows]
        if rows:
            lines += ["", line((title.format(**sizes), *COLUMNS[1 : len(rows[0])])), *map(line, rows)]
    return "\n".join(lines)


def write_json(path: Path, results: Results, environment: dict[str, str], sizes: dict[str, str]) -> None:
    """Every figure with all of its values, and where they were measured."""
    figures = {}
    for _, section in SECTIONS:
        for figure in section:
            if found := values(figure, results):
                figures[figure.name] = entry(figure, found, sizes)
    path.parent.mkdir(parents=True, exist_ok=True)
    document = {"environment": environment, "notes": results.notes, "figures": figures}
    path.write_text(json.dumps(document, indent=2, ensure_ascii=False) + "\n")


def entry(figure: Figure, found: list[float], sizes: dict[str, str]) -> dict[str, object]:
    """One figure."""
    members: dict[str, object] = {
        "title": figure.title.format(**sizes), "unit": figure.unit, "median": round(statistics.median(found), 4),
        "values": [round(value, 4) for value in found]}
    if figure.target:
        members["target"] = {"at_least" if figure.target.at_least else "at_most": figure.target.value}
        members["reached"] = figure.target.is_reached(statistics.median(found))
    return members
