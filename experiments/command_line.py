"""The command line: ``python -m experiments --help``."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from tempfile import TemporaryFile
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape
from rich.progress import Progress
from rich.text import Text

from experiments.config import KEPT, SUITES, CompareConfig, ConfigError, TrainConfig, load, load_training, parse_yaml
from experiments.runs.folder import opened
from experiments.runs.provenance import command, provenance
from tripeaks_env import cli
from tripeaks_env.env.agent import AgentError
from tripeaks_env.env.splits import suite
from tripeaks_env.game.arguments import one_line
from tripeaks_env.game.rules import PRESETS, Rules
from tripeaks_env.parallel import PoolName, make_pool
from tripeaks_env.parallel.files import replacing
from tripeaks_env.parallel.pool import Pool
from tripeaks_env.pictures.tables import print_table, progress_bars

app = typer.Typer(
    help="Train agents from configs, and compare them over seeded deals with each other and with the optimum.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
ConfigFile = Annotated[Path, typer.Argument(help="YAML file, such as those in experiments/configs.")]
Output = Annotated[Path | None, typer.Option(help="Folder for the results; by default runs/NAME of the config.")]
PoolOption = Annotated[PoolName, typer.Option("--engine", help="Processes on this machine, or Ray.")]
Workers = Annotated[
    int | None, typer.Option(min=1, help="How many work at once; by default as many as there are cores.")
]
AgentName = Annotated[
    str, typer.Argument(help="A name, module:Class, module:function, or the zip file of a Stable-Baselines3 model.")
]
RulesName = Annotated[str, typer.Option(help=f"One of {', '.join(PRESETS)}.")]
Options = Annotated[
    list[str],
    typer.Option(metavar="KEY=VALUE", help="Of the agent, such as simulations=100; may be given several times."),
]
SeedOption = Annotated[int, typer.Option(min=0, max=2**32 - 1, help="Of deals and random choices.")]
Trust = Annotated[
    bool, typer.Option("--trust", help="Load a zip file, which can run any code that is in it: one that you trained.")
]
Address = Annotated[
    str | None, typer.Option(help="Of a running Ray cluster, such as auto; by default Ray is started on this machine.")
]


@app.command()
def compare(
    config: ConfigFile,
    output: Output = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace results of other deals or rules.")] = False,
    engine: PoolOption = "local",
    workers: Workers = None,
    address: Address = None,
) -> None:
    """Let agents play the same evaluation deals, and report how they compare with each other and with the optimum.

    Writes a page with everything (report.html), the results of every deal and of every move (results.parquet,
    moves.parquet), a summary (summary.json), plots, and the table (leaderboard.svg). An interrupted comparison goes on where
    it was, and agents that have changed play anew; a folder of other deals or rules is refused. Ends with exit code 1 if an
    agent failed, which has no results then.
    """
    settings = load(config, CompareConfig)
    folder = output or Path("runs") / settings.name
    facts = provenance()
    with opened(folder, "compare", settings, facts, () if overwrite else ("rules", "deals")) as log:
        from experiments.comparison.compare import compare as run  # here, as these take seconds to import
        from experiments.comparison.report import write_comparison

        console = Console()
        with _resumable():
            with _pool(engine, workers, address) as pool, _progress() as progress:
                found = run(settings, folder, pool, progress, log)
            with console.status("analysing the results"):
                write_comparison(folder, settings, found, facts, console)
    typer.echo(f"Written to {folder}: report.html, results.parquet, moves.parquet, summary.json and pictures")
    if found.failed:
        raise typer.Exit(1)


@app.command()
def train(
    config: ConfigFile,
    output: Output = None,
    seed: Annotated[int | None, typer.Option(min=0, max=2**32 - 1, help="Instead of the config's.")] = None,
) -> None:
    """Train an agent by PPO or expert iteration, or go on with a training that was interrupted.

    Writes the agent (agent.safetensors; or value.safetensors and policy.safetensors), its learning curve (curve.csv), a
    checkpoint to go on from, and TensorBoard logs.
    """
    settings = load_training(config)
    if seed is not None:
        settings = settings.model_copy(update={"seed": seed})
        output = output or Path("runs") / f"{settings.name}-seed{seed}"
    folder = output or Path("runs") / settings.name
    with opened(folder, "train", settings):
        if isinstance(settings, TrainConfig):
            from experiments.training import ppo  # here, as torch takes seconds to import

            ppo.train(settings, folder)
        else:
            from experiments.training import expert_iteration

            with _resumable(), _progress() as progress:
                expert_iteration.train(settings, folder, progress)
    typer.echo(f"Written to {folder}: {', '.join(sorted(file.name for file in folder.glob('*.*') if file.is_file()))}")


@app.command()
def validate(
    agent: AgentName,
    rules: RulesName = "easy",
    option: Options = [],  # noqa: B006
    seed: SeedOption = 0,
    trust: Trust = False,
) -> None:
    """Check an agent before it is compared: that it can be made, plays legally, repeats itself, and sees nothing hidden.

    Plays training deals, in a process of its own. RULES may be all. Ends with exit code 1 if a check fails.
    """
    if rules != "all":
        _rules(rules)
    from experiments.validate import Check  # here, as it takes long to import
    from experiments.validate import validate as run

    console = Console()
    marks = {True: "[green]passed[/]", False: "[red]FAILED[/]", None: "[dim]-     [/]"}

    def show(check: Check) -> None:
        line = f"{marks[check.passed]} {check.name:<20} {escape(one_line(check.message))}"
        console.print(line, highlight=False, soft_wrap=not console.is_terminal)

    checks = run(agent, rules, _options(option), seed, checked=show, trust=trust)
    if any(check.passed is False for check in checks):
        raise typer.Exit(1)


@app.command()
def export(
    agent: AgentName,
    dataset_id: Annotated[str, typer.Option(help="Of the data set, such as tripeaks/opener-v0.")],
    deals: Annotated[int, typer.Option(min=1, max=10_000_000, help="How many games.")] = 1000,
    rules: RulesName = "easy",
    option: Options = [],  # noqa: B006
    seed: SeedOption = 0,
    trust: Trust = False,
    explore: Annotated[float, typer.Option(min=0, max=1, help="How probably a move is a random one.")] = 0.0,
    output: Annotated[Path | None, typer.Option(help="Folder of all data sets; by default Minari's.")] = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace a data set of this id.")] = False,
    engine: PoolOption = "local",
    workers: Workers = None,
    address: Address = None,
) -> None:
    """Let an agent, or the solver (oracle), play training deals, and write the games as a Minari data set."""
    try:
        from experiments.offline import data_sets  # here, as it is an extra
    except ImportError as error:
        raise ConfigError(
            f"exporting needs Minari ({error}); install the extra offline: pip install '.[offline]'"
        ) from error
    from experiments.offline.export import Export
    from experiments.offline.games import record

    wanted = Export(agent, deals, _options(option), seed, _rules(rules), explore, trust)
    data_sets.dataset_path(dataset_id, output, overwrite)
    with _progress() as progress:
        playing = progress.add_task(escape(one_line(f"{agent} plays", 60)), total=deals)
        writing = progress.add_task("writing", total=deals)
        with _pool(engine, workers, address) as pool:
            games = record(wanted, pool, finished=partial(progress.advance, playing))
        path = data_sets.write_dataset(
            dataset_id, games, wanted, root=output, overwrite=overwrite, finished=partial(progress.advance, writing)
        )
    typer.echo(f"Written to {path}")


@app.command()
def results(
    output: Annotated[Path, typer.Option(help="Markdown page to write; its pictures lie beside it.")],
    comparison: Annotated[list[Path], typer.Option(help="Folder of a comparison; may be given several times.")] = [],  # noqa: B006
    training: Annotated[
        list[Path],
        typer.Option(help="Folder of a training; may be given several times. NAME-seed0, NAME-seed1 are one curve."),
    ] = [],  # noqa: B006
) -> None:
    """Write a page of leaderboards, strength against time, and learning curves, from what compare and train have written."""
    if not comparison and not training:
        raise ConfigError("the page would be empty; results needs --comparison FOLDER or --training FOLDER")
    _check_page(output)
    from experiments.pages.results import write_page  # here, as pandas and matplotlib take seconds to import

    write_page(comparison, training, command(), output)
    typer.echo(f"Written to {output}")


@app.command()
def optima(
    deals: Annotated[int, typer.Option(min=2, max=1_000_000, help="How many evaluation deals.")] = 10_000,
    seed: Annotated[int, typer.Option(min=0, max=2**32 - 1, help="Of the suite of deals.")] = 0,
    output: Annotated[Path | None, typer.Option(help="Markdown page to write the results to, with a picture.")] = None,
    engine: PoolOption = "local",
    workers: Workers = None,
    address: Address = None,
) -> None:
    """Solve many deals under every preset: how many can be won, and the best scores.

    What is finished is kept in runs/optima, so that an interrupted run goes on.
    """
    folder = Path("runs") / "optima"
    _check_writable(folder)
    if output:
        _check_page(output)
    from experiments.pages import optima as run  # here, as the other commands do not need it
    from experiments.runs.store import Store

    with _resumable(), _pool(engine, workers, address) as pool, _progress() as progress:
        solved = run.solve_presets(deals, seed, Store(folder), pool, progress)
    print_table(run.table(run.rows(solved), deals), Console())
    if output:
        run.write_page(solved, deals, seed, command(), output)
        typer.echo(f"Written to {output} and {output.with_suffix('.svg')}")


@app.command()
def suites(
    rules: Annotated[list[str], typer.Option(help="Of which rules; may be given several times.")] = list(KEPT),  # noqa: B006
    engine: PoolOption = "local",
    workers: Workers = None,
    address: Address = None,
) -> None:
    """Find out about the deals of the named suites, and write the files that comparisons take it from.

    Writes experiments/suites/RULES.csv. What is finished is kept in runs/suites, so that an interrupted run goes on.
    """
    for name in rules:
        if name not in KEPT:
            raise ConfigError(f"rules are {name!r}; they must be {', '.join(KEPT)}")
    from experiments import suites as run  # here, as the other commands do not need it
    from experiments.runs.store import Store

    numbers, store = suite(SUITES["full"]), Store(Path("runs") / "suites")
    with _resumable(), _pool(engine, workers, address) as pool, _progress() as progress:
        for name in rules:
            bar = progress.add_task(f"solving the deals, {name}", total=len(numbers))
            found = run.find_out(0, numbers, PRESETS[name], store, pool, partial(progress.advance, bar))
            with replacing(run.kept_file(PRESETS[name])) as path:
                found.to_csv(path, index=False, lineterminator="\n")
            progress.console.print(Text(f"Written to {run.kept_file(PRESETS[name])}"), soft_wrap=True)


@app.command()
def speed(
    output: Annotated[Path | None, typer.Option(help="Markdown page to write the results to.")] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="Only see that every row can be measured; its numbers mean nothing.")
    ] = False,
) -> None:
    """Measure how fast import, environments, solvers and agents are on this machine, and other libraries beside them.

    Other libraries are measured where they are installed.
    """
    if output:
        _check_page(output)
    from experiments.pages.speed import harness, page  # here, as the other commands do not need them
    from experiments.pages.speed.rows import SECTIONS

    size = harness.QUICK if quick else harness.FULL
    with _progress() as progress:
        rows = harness.measure([each for measures in SECTIONS.values() for each in measures], size, progress)
    lines = page.report(SECTIONS, rows)
    print_table(page.table(lines, size), Console())
    if output:
        with replacing(output) as part:
            part.write_text(page.page(lines, size, command()), encoding="utf-8")
        typer.echo(f"Written to {output}")


def _check_page(path: Path) -> None:
    _check_writable(path.parent)
    if path.is_dir():
        raise ConfigError(f"{path} is a folder; --output must be a file")


def _check_writable(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise ConfigError(f"folder {folder} cannot be written to: {error.strerror}") from error


def _rules(name: str) -> Rules:
    if name not in PRESETS:
        raise ConfigError(f"--rules is {name!r}; it must be one of {', '.join(PRESETS)}")
    return PRESETS[name]


def _options(texts: list[str]) -> dict[str, Any]:
    """Return what KEY=VALUE texts say; values are read as YAML, so that numbers are numbers."""
    options = {}
    for text in texts:
        key, equals, value = text.partition("=")
        if not (key and equals):
            raise ConfigError(f"option is {text!r}; it must be KEY=VALUE")
        try:
            options[key] = parse_yaml(value)
        except ValueError as error:
            raise ConfigError(f"option {key} is {value!r}, which is not right YAML: {error}") from error
    return options


@contextmanager
def _resumable() -> Iterator[None]:
    try:
        yield
    except KeyboardInterrupt:
        typer.echo("Interrupted; the same command goes on from what is finished.", err=True)
        raise


def _pool(name: str, workers: int | None, address: str | None) -> Pool:
    try:
        return make_pool(name, workers, address)
    except ValueError as error:
        raise ConfigError(str(error)) from error


def _progress() -> Progress:
    return progress_bars(Console(stderr=True))


def main() -> None:
    """Run the command line; wrong input ends with one line and exit code 2, an interrupt (Ctrl-C) with 130."""
    try:
        sys.exit(cli.run(app, sys.argv[1:] or ["--help"], "python -m experiments"))
    except MemoryError as error:
        fault = f"not enough memory: {error}"
    except (cli.UsageError, ConfigError, AgentError, OSError) as error:
        fault = str(error)
    print(f"error: {one_line(fault)}", file=sys.stderr)
    sys.exit(2)
