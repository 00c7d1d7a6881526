"""Tables and progress bars on a terminal, of whatever width."""

from rich.console import Console
from rich.measure import Measurement
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Column, Table
from rich.text import Text

LEAST = 16
"""Columns that the first cell of a row has at least, if it is so long; it goes on in the next line."""
ANY = 10_000
"""Columns in which everything fits into its line."""


def print_table(table: Table, console: Console) -> None:
    """Print a table with all its names and numbers whole.

    Where the console is too narrow for that, each row becomes a paragraph with a line for each of its cells.

    Args:
        table: its first column has names, which may be wrapped, the others have what must not be.
        console: where to print.
    """
    options = console.options.update(width=ANY)
    name = 0
    for column in table.columns[:1]:
        column.overflow = "fold"
        name = max(Measurement.get(console, options, cell).maximum for cell in (column.header, *column.cells))
    for column in table.columns[1:]:
        column.no_wrap = True
    wide = Measurement.get(console, options, table).maximum
    if wide - max(0, name - LEAST) <= console.width:
        console.print(table)
        return
    if table.title:
        console.print(table.title, markup=False, highlight=False)
    headers = [_plain(column.header) for column in table.columns]
    for row in zip(*(column.cells for column in table.columns), strict=True):
        console.print()
        for header, cell in zip(headers, map(_plain, row), strict=True):
            if cell:
                line = f"{header}: {cell}" if header else cell
                console.print(line, markup=False, highlight=False, overflow="fold")
    if table.caption:
        console.print()
        console.print(table.caption, markup=False, highlight=False)


def progress_bars(console: Console, transient: bool = False) -> Progress:
    """Return progress bars with what is done, how many of how many, and the time left; the bar is what gives way to them.

    Args:
        console: where they are shown.
        transient: whether they vanish in the end.
    """
    columns = (
        TextColumn("{task.description}", table_column=Column(overflow="fold")),
        BarColumn(None, table_column=Column(max_width=40)),
        MofNCompleteColumn(table_column=Column(no_wrap=True)),
        TimeRemainingColumn(table_column=Column(no_wrap=True)),
    )
    return Progress(*columns, console=console, transient=transient)


def _plain(cell: object) -> str:
    """Return what is shown in a cell, in one line."""
    text = cell if isinstance(cell, Text) else Text.from_markup(str(cell))
    return " ".join(text.plain.split())
