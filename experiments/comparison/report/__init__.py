"""What a comparison leaves behind: the leaderboard on the terminal, tables, plots and a page with replays."""

import json
from pathlib import Path
from typing import Any

from rich.console import Console

from experiments.comparison.analysis import analyse
from experiments.comparison.compare import Comparison
from experiments.comparison.report.page import render
from experiments.comparison.report.plots import figures, save_png
from experiments.comparison.report.replays import choose_deals, replay_data
from experiments.comparison.report.terminal import leaderboard_table, print_leaderboard, save_picture
from experiments.config import CompareConfig
from tripeaks_env.parallel.files import replacing


def write_comparison(
    folder: Path,
    config: CompareConfig,
    found: Comparison,
    provenance: dict[str, Any],
    console: Console,
) -> None:
    """Write the files of a comparison to ``folder``, each at once, and print the leaderboard when all are there.

    ``results.parquet`` and ``moves.parquet``: the tables. ``summary.json``: the config, all statistics and the versions;
    without it the others are not complete.
    ``leaderboard.svg``: what is printed. ``leaderboard.png``, ``profiles.png``, ``pairs.png``, ``difficulty.png`` and
    ``phases.png``: plots. ``report.html``: a page with all that and replays, which needs nothing else.

    Args:
        folder: where to write; it is made if it is missing.
        config: what was run.
        found: what was found; ``moves`` may be empty.
        provenance: facts on how the results were made, of JSON types only, with ``versions`` by package.
        console: where to print.

    Raises:
        ConfigError: ``replays`` of the config names a deal that was not played.
    """
    analysis = analyse(found.results, found.moves, config.groups)
    board = analysis.leaderboard
    replays = replay_data(choose_deals(config.replayed, found.results, found.moves), found.results, config.rules)
    page = render(config, found, analysis, replays, provenance)
    title = f"TriPeaks {config.name}: {config.rules}, {config.deals.count:,} evaluation deals"
    table = leaderboard_table(board, found, title)
    # It is written last: where it is, all files are of one comparison.
    (folder / "summary.json").unlink(missing_ok=True)
    for name, rows in (("results", found.results), ("moves", found.moves)):
        with replacing(folder / f"{name}.parquet") as path:
            rows.to_parquet(path, index=False)
    for name, make in figures(analysis, title).items():
        with replacing(folder / f"{name}.png") as path:
            save_png(path, make)
    with replacing(folder / "leaderboard.svg") as path:
        save_picture(table, found, path)
    with replacing(folder / "report.html") as path:
        path.write_text(page, encoding="utf-8")
    with replacing(folder / "summary.json") as path:
        tables = analysis._asdict() | {"leaderboard": board.reset_index()}
        summary = {
            "config": config.model_dump(mode="json"),
            **{name: json.loads(each.to_json(orient="records", double_precision=15)) for name, each in tables.items()},
            "failed": found.failed,
            "remarks": found.remarks,
            "milliseconds_per_game": found.milliseconds,
            "versions": provenance.get("versions", {}),
            "provenance": {key: value for key, value in provenance.items() if key != "versions"},
        }
        path.write_text(json.dumps(summary, indent=1) + "\n", encoding="utf-8")
    print_leaderboard(table, found, console)
