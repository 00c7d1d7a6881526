"""The command line: ``python -m experiments --help``."""

import shlex
import sys
from pathlib import Path
from tempfile import TemporaryFile
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from experiments.config import AgentError, CompareConfig, Config, ConfigError, TrainConfig, load, load_training
from tripeaks_env.files import replacing

app = typer.Typer(
    help="Train agents from configs, and compare them over seeded deals with each other and with the optimum.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
ConfigFile = Annotated[Path, typer.Argument(help="YAML file, such as those in experiments/configs.")]
Output = Annotated[Path | None, typer.Option(help="Folder for the results; by default runs/NAME of the config.")]


@app.command()
def compare(config: ConfigFile, output: Output = None) -> None:
    """Let agents play the same evaluation deals and print a leaderboard against the exact optimum.

    Writes the results of every deal (results.parquet), a summary (summary.json), a plot (leaderboard.png) and the
    table (leaderboard.svg).
    """
    settings = load(config, CompareConfig)
    from experiments.compare import compare as run  # here, as torch and pandas take seconds to import
    from experiments.report import write_comparison

    console = Console()
    folder = _folder(output, settings)
    with _progress() as progress:
        results, milliseconds = run(settings, progress)
    write_comparison(folder, settings, results, milliseconds, console)
    console.print(f"Written to {folder}: results.parquet, summary.json, leaderboard.png, leaderboard.svg")


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
    folder = _folder(output, settings)
    if isinstance(settings, TrainConfig):
        from experiments.training import ppo  # here, as torch takes seconds to import

        ppo.train(settings, folder)
    else:
        from experiments.training import expert_iteration

        try:
            with _progress() as progress:
                expert_iteration.train(settings, folder, progress)
        except KeyboardInterrupt:
            typer.echo("Interrupted; the same command goes on from what is finished.")
            raise
    typer.echo(f"Written to {folder}: {', '.join(sorted(file.name for file in folder.glob('*.*') if file.is_file()))}")


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
    _check_writable(output.parent)
    from experiments.results import write_page  # here, as pandas and matplotlib take seconds to import

    write_page(comparison, training, _command(), output)
    typer.echo(f"Written to {output}")


@app.command()
def optima(
    deals: Annotated[int, typer.Option(min=2, max=1_000_000, help="How many evaluation deals.")] = 10_000,
    seed: Annotated[int, typer.Option(min=0, max=2**32 - 1, help="Of the suite of deals.")] = 0,
    threads: Annotated[int, typer.Option(min=1, help="How many threads share the work.")] = 1,
    output: Annotated[Path | None, typer.Option(help="Markdown page to write the results to, with a picture.")] = None,
) -> None:
    """Solve many deals under every preset: how many can be won, and the best scores.

    Solved presets are kept in runs/optima, so that an interrupted run goes on with the next.
    """
    folder = Path("runs") / "optima"
    for each in (folder, *([output.parent] if output else [])):
        _check_writable(each)
    if output and output.is_dir():
        raise ConfigError(f"{output} is a folder; --output must be a file")
    from experiments import optima as run  # here, as the other commands do not need it

    with _progress() as progress:
        solved = run.solve_presets(deals, seed, threads, folder, progress)
    console = Console()
    console.print(run.table(run.rows(solved), deals))
    if output:
        run.write_page(solved, deals, seed, _command(), output)
        console.print(f"Written to {output} and {output.with_suffix('.svg')}")


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
        _check_writable(output.parent)
        if output.is_dir():
            raise ConfigError(f"{output} is a folder; --output must be a file")
    from experiments.speed import harness, page  # here, as the other commands do not need them
    from experiments.speed.peers import PEERS
    from experiments.speed.rows import SECTIONS

    sections, size = {**SECTIONS, "Other libraries": PEERS}, harness.QUICK if quick else harness.FULL
    with _progress() as progress:
        rows = harness.measure([each for measures in sections.values() for each in measures], size, progress)
    lines = page.report(sections, rows)
    console = Console()
    console.print(page.table(lines, size))
    if output:
        with replacing(output) as part:
            part.write_text(page.page(lines, size, _command()), encoding="utf-8")
        console.print(f"Written to {output}")


def _folder(output: Path | None, settings: Config) -> Path:
    """Return the folder of results, made and tried before any work is done."""
    folder = output or Path("runs") / settings.name
    _check_writable(folder)
    return folder


def _check_writable(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise ConfigError(f"folder {folder} cannot be written to: {error.strerror}") from error


def _command() -> str:
    return shlex.join(["python", "-m", "experiments", *sys.argv[1:]])


def _progress() -> Progress:
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    return Progress(*columns, console=Console(stderr=True))


def main() -> None:
    """Run the command line; wrong input ends with one line and exit code 2."""
    try:
        app()
    except (ConfigError, AgentError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        sys.exit(2)


if __name__ == "__main__":
    main()
