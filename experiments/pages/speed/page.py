"""The results as a table, and as a page that says what they mean."""

import platform
import statistics
from collections.abc import Mapping, Sequence
from datetime import date

from rich import box
from rich.markup import escape
from rich.table import Table

from experiments.pages import markdown
from experiments.pages.speed.harness import QUICK, Measure, Row, Size
from experiments.runs.provenance import machine, versions

VERSIONS = ("tripeaks-env", "gymnasium", "numba", "numpy", "torch", "jax")
NOISE = (
    "Machines are shared and vary: the range tells by how much. Compare steps by × CartPole, the median of the ratios within "
    "a round, in which all rows are measured one after the other; it is not the quotient of two medians."
)
COLUMNS = ("what", "median", "range, %", "× CartPole")


def report(sections: Mapping[str, Sequence[Measure]], rows: Sequence[Row]) -> dict[str, list[tuple[str, ...]]]:
    """Return by heading the lines of its table, a text for each of :data:`COLUMNS`."""
    found = {row.measure: row for row in rows}
    yardsticks = {row.measure.games: row for row in rows if row.measure.yardstick}
    return {
        heading: [_line(found[each], yardsticks.get(each.games)) for each in measures]
        for heading, measures in sections.items()
        if measures
    }


def _line(row: Row, yardstick: Row | None) -> tuple[str, ...]:
    name, package = row.measure.name, row.measure.package
    if package:
        name += f" ({package} {versions([package]).get(package, '')}".rstrip() + ")"
    if not row.samples:
        return name, row.reason, "", ""
    median = statistics.median(row.samples)
    low, high = (100 * (limit / median - 1) for limit in (min(row.samples), max(row.samples)))
    ratio = ""
    if yardstick and yardstick.samples:
        pairs = zip(row.samples, yardstick.samples, strict=True)
        ratio = _figure(statistics.median(sample / other for sample, other in pairs))
    return name, _quantity(median, row.measure.unit), f"{low:+.0f} to {high:+.0f}", ratio


def _quantity(value: float, unit: str) -> str:
    if unit == "s" and value < 1:
        value, unit = (1e3 * value, "ms") if value >= 1e-3 else (1e6 * value, "µs")
    return f"{_figure(value)} {unit}"


def _figure(value: float) -> str:
    """Return a number with three significant digits."""
    rounded = float(f"{value:.3g}")
    decimals = next((digits for digits, limit in ((3, 1), (2, 10), (1, 100)) if rounded < limit), 0)
    return f"{rounded:,.{decimals}f}"


def notes(size: Size) -> list[str]:
    """Return what the reader of a table of this size has to know, a text for each point."""
    return [
        f"Rounds: {size.rounds}, after {size.uncounted} for compiling. A round measures every row once, and rows that are "
        "compared one after the other; shown are the median, and how far the lowest and the highest are from it. On Linux "
        "the process, all its threads and the processes that it starts keep to one core.",
        "Start: a new process each time. First calls are those of an environment, a vector environment, solve and "
        "solve_many, without the import; with an empty cache they compile, with a filled one they load machine code.",
        "Steps: random legal actions; a game that is over starts anew. Engine and Game.play replay games, so that neither "
        "choosing nor starting counts. One environment: both count. Vector environment: starting counts, choosing "
        "(sample_actions) where the row says so, and arrays are new in each step unless copy=False.",
        "× CartPole: how many times as fast as Gymnasium's own CartPole with as many environments; the median, over the "
        "rounds, of the ratio within a round. One CartPole includes choosing, the others do not.",
        f"Pictures: one environment, {size.pictures} random legal actions, a picture after each; 960 x 540 is the default.",
        f"Solvers: the median of {size.deals:,} deals, of {size.slow_deals} for streaks and values of actions, and "
        f"{size.many_deals:,} deals in one call. Agents: easy rules, the time to choose divided by the "
        f"moves, {size.games:,} games at once or one; the oracle's is that of the solver.",
        "Training: MaskablePPO with the config of the shipped agent, one thread of torch; most of it goes into updating "
        "the network. A decision is a choice between several actions; moves without one are played by the environment.",
        "Other libraries play other games: a row says what a step costs there, not who is faster at the same work. Blackjack "
        "of Gymnasium is in a SyncVectorEnv. EnvPool has one thread, which shares the core with its caller; with a core of "
        "its own it is faster. Kuhn poker chooses, steps and starts anew in one compiled loop. Klondike makes no "
        "observation, and its dealer's moves take time but do not count.",
        "Limits: one machine, and whatever else ran on it, which the range shows. Use of more cores is not measured.",
    ]


def _made_on() -> str:
    libraries = ", ".join(f"{package} {version}" for package, version in versions(VERSIONS).items())
    return f"{machine()}, one at work; Python {platform.python_version()}, {libraries}"


def table(lines: Mapping[str, Sequence[Sequence[str]]], size: Size) -> Table:
    """Return the results as a table for the terminal."""
    caption = "\n".join([f"{_made_on()}.", *notes(size)])
    title = "Speed" if size != QUICK else "A quick run, to see that all can be measured: the numbers mean nothing"
    found = Table(title=title, caption=caption, caption_justify="left", box=box.SIMPLE, padding=(0, 1, 0, 0))
    for column in COLUMNS:
        found.add_column(column, justify="left" if column == "what" else "right")
    for heading, section in lines.items():
        found.add_row(f"[bold]{heading}[/]")
        for line in section:
            found.add_row(*map(escape, line))
        found.add_section()
    return found


def page(lines: Mapping[str, Sequence[Sequence[str]]], size: Size, command: str) -> str:
    """Return the results as a page of Markdown that says how they came about."""
    parts = ["# Speed", f"`{command}` wrote this page on {date.today().isoformat()}.", f"{_made_on()}.", NOISE]
    if size == QUICK:
        parts.append("**A quick run, to see that all can be measured: the numbers mean nothing.**")
    for heading, section in lines.items():
        parts += [f"## {heading}", markdown.table(COLUMNS, "| --- | ---: | ---: | ---: |", section)]
    parts += ["## What the numbers mean", "\n".join(f"- {note}" for note in notes(size))]
    return "\n\n".join(parts) + "\n"
