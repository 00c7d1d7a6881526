"""Mutation tests: what do the tests of a module not notice, when one place in it is changed? Run by ``make mutants``.

A mutant is a module with one change by an operator of mutmut. It is killed if a test fails, or takes far more processor time
or memory than any should. mutmut itself does not change functions with decorators, and kernels are such, so mutants run
here: with kernels as plain Python, each in a fork of one process that has all other libraries loaded, against the tests that
``mutants.toml`` names for its module. Which were killed is kept in ``.mutants`` until the module changes (delete that folder
where tests got weaker); survivors are tried again. ``mutants.toml`` also lists those that mean the same as the module.
"""

import gc
import importlib
import os
import re
import resource
import sys
import time
import tomllib
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import date
from hashlib import sha256
from importlib.abc import InspectLoader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import spec_from_loader
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).parents[1]
SETTINGS, PAGE, KEPT = ROOT / "tests/mutants.toml", ROOT / "docs/mutants.md", ROOT / ".mutants"
OURS = ("tripeaks_env", "agents", "experiments", "tests")
SECONDS, GIBIBYTES = 8, 4
"""The processor time that a test may take, imports included, and the memory of a process."""
PYTEST = ("-x", "-q", "--assert=plain", "-o", "addopts=", "-m", "not slow and not exhaustive", "-p", "no:cacheprovider")

HEAD = """\
# Mutation tests

How much of the code do its tests pin? In each mutant of a module one place is changed by an operator of
[mutmut](https://mutmut.readthedocs.io): a number, a comparison, an operation, a condition, an argument that is left out. A
mutant that no test notices is a survivor; one that means the same as the module is listed in
[tests/mutants.toml](../tests/mutants.toml) with the reason. The score is the share of the others that is killed, and the raw
share that of all that were tried. Where not all mutants were tried, they are those whose texts have the lowest SHA-256
digests, which is as good as at random and the same ones each time. Tests have been written for survivors of such samples,
so that their scores say little about the mutants that were not tried.

Written by `{command}` on {day}, with Python {python}. The tests run with kernels as plain Python, only those that
`tests/mutants.toml` names for the module; the whole suite may kill more.

| module | mutants | tried | killed | listed | survivors | score | raw |
|---|---:|---:|---:|---:|---:|---:|---:|
{rows}

"""


class Mutant(NamedTuple):
    """A changed module: in which function, the changed lines before and after, the whole text, and its digest."""

    function: str
    before: str
    after: str
    text: str
    digest: str


def mutants(source: str) -> Iterator[Mutant]:
    """Make all mutants of a module, each once.

    Without those that fail wherever they are run (changed texts, ``None`` for a value or argument), and without changes of
    annotations and decorators, which plain kernels do not have.
    """
    import libcst
    from libcst.metadata import MetadataWrapper, PositionProvider
    from mutmut.mutation import mutators

    left_out = (mutators.operator_string, mutators.operator_assignment, mutators.operator_dict_arguments)
    operators = [(kind, operator) for kind, operator in mutators.mutation_operators if operator not in left_out]
    tree = MetadataWrapper(libcst.parse_module(source), unsafe_skip_copy=True)
    places, lines, seen = tree.resolve(PositionProvider), source.splitlines(keepends=True), {source}

    def walk(node: Any) -> Iterator[Any]:
        if not isinstance(node, libcst.Annotation | libcst.Decorator):
            yield node
            for child in node.children:
                yield from walk(child)

    for node in walk(tree.module):
        for operator, new in ((each, new) for kind, each in operators if isinstance(node, kind) for new in each(node)):
            if operator is mutators.operator_arg_removal and len(new.args) == len(node.args):
                continue
            if getattr(node, "lpar", ()):  # parentheses around it stay
                new = new.with_changes(lpar=(), rpar=())
            begin, end = places[node].start, places[node].end
            old = lines[begin.line - 1 : end.line]
            changed = old[0][: begin.column] + tree.module.code_for_node(new).strip() + old[-1][end.column :]
            text = "".join([*lines[: begin.line - 1], changed, *lines[end.line :]])
            if text not in seen:
                seen.add(text)
                functions = re.findall(r"^ *(?:def|class) (\w+)", "".join(lines[: begin.line]), re.MULTILINE)
                before, after = _differing(old, changed.splitlines(keepends=True))
                yield Mutant(functions[-1] if functions else "", before, after, text, sha256(text.encode()).hexdigest())


def _differing(old: list[str], new: list[str]) -> tuple[str, str]:
    """Return the lines that differ, each as one line."""
    while old and new and old[0] == new[0]:
        old, new = old[1:], new[1:]
    while old and new and old[-1] == new[-1]:
        old, new = old[:-1], new[:-1]
    return " ".join("".join(old).split()), " ".join("".join(new).split())


class Changed(MetaPathFinder, InspectLoader):
    """Imports a text in place of a module's file, and keeps tests within their limits."""

    def __init__(self, name: str, text: str) -> None:
        self.name, self.text = name, text

    def find_spec(self, fullname: str, path: object, target: object = None) -> ModuleSpec | None:
        """Find the module."""
        return spec_from_loader(fullname, self) if fullname == self.name else None

    def get_source(self, fullname: str) -> str:
        """Return the text."""
        return self.text

    def pytest_runtest_setup(self) -> None:
        """Give a test its time, as the plug-in of pytest that this is too."""
        resource.setrlimit(resource.RLIMIT_CPU, (int(time.process_time()) + SECONDS, resource.RLIM_INFINITY))


def passes(tests: list[str], compiled: bool, name: str = "", text: str = "", at_end: Callable[[], Any] = int) -> bool:
    """Return whether tests pass with a text in place of a module. They run in a fork, which says nothing."""
    child = os.fork()
    if child:
        return os.waitpid(child, 0)[1] == 0
    status = 1
    with suppress(BaseException):
        silence = os.open(os.devnull, os.O_WRONLY)
        os.dup2(silence, 1), os.dup2(silence, 2)
        resource.setrlimit(resource.RLIMIT_AS, (GIBIBYTES << 30, resource.RLIM_INFINITY))
        importlib.import_module("numba").config.DISABLE_JIT = not compiled
        changed = Changed(name, text)
        changed.pytest_runtest_setup()
        sys.meta_path.insert(0, changed)
        status = importlib.import_module("pytest").main([*PYTEST, *tests], plugins=[changed])
        at_end()
    os._exit(status)


def load_libraries(tests: list[str], compiled: bool) -> None:
    """Load all libraries that tests load, so that forks need not."""
    names = KEPT / "libraries.txt"
    passes(tests, compiled, at_end=lambda: names.write_text("\n".join(sys.modules)))
    for name in names.read_text().split("\n"):
        if name.partition(".")[0] not in OURS:
            with suppress(ImportError):
                importlib.import_module(name)
    gc.freeze()


def survivors(path: str, tests: list[str], compiled: bool, tried: list[Mutant]) -> list[Mutant]:
    """Return the mutants of a module that its tests do not kill.

    Raises:
        SystemExit: the tests fail without any change.
    """
    name, kept, found = path.removesuffix(".py").replace("/", "."), KEPT / path.replace("/", "."), []
    load_libraries(tests, compiled)
    if not passes(tests, compiled, name, (ROOT / path).read_text()):
        raise SystemExit(f"the tests of {path} fail without a mutant, see tests/mutants.toml")
    killed = set(kept.read_text().split()) if kept.exists() else set()
    for mutant in tried:
        if mutant.digest in killed:
            continue
        if passes(tests, compiled, name, mutant.text):
            found.append(mutant)
            print(f"{path}, {mutant.function}:\n  - {mutant.before}\n  + {mutant.after}", flush=True)
        else:
            with kept.open("a") as file:
                file.write(f"{mutant.digest}\n")
    return found


def main(chosen: list[str], sample: int) -> str:
    """Try mutants of the modules that are chosen, or of all: so many of each, those with the lowest digests, or 0 for all.

    Returns:
        The page that tells how it went.
    """
    settings, rows, details = tomllib.loads(SETTINGS.read_text()), list[str](), list[str]()
    known = {tuple(each[key] for key in ("module", "function", "before", "after")) for each in settings["equivalent"]}
    for path, tests in settings["tests"].items():
        if chosen and path not in chosen:
            continue
        every = sorted(mutants((ROOT / path).read_text()), key=lambda mutant: mutant.digest)
        tried = every[: sample or None]
        left = survivors(path, tests, path in settings["compiled"], tried)
        alive = [each for each in left if (path, *each[:3]) not in known]
        listed, killed = len(left) - len(alive), len(tried) - len(left)
        score, raw = 100 * killed / max(1, len(tried) - listed), 100 * killed / len(tried)
        rows.append(
            f"| `{path}` | {len(every)} | {len(tried)} | {killed} | {listed} | {len(alive)} | {score:.1f} % | {raw:.1f} % |"
        )
        details += [f"- `{path}`, `{each.function}`: `{each.before}` → `{each.after}`" for each in alive]
        print(rows[-1], flush=True)
    command = f"make mutants SAMPLE={sample}" if sample else "make mutants"
    page = HEAD.format(command=command, day=date.today(), python=sys.version.split()[0], rows="\n".join(rows))
    return page + ("\n".join(["## Survivors", "", *details, ""]) if details else "")


if __name__ == "__main__":
    KEPT.mkdir(exist_ok=True)
    modules = sys.argv[1:]
    text = main(modules, int(os.environ.get("SAMPLE") or 0))
    if not modules:
        PAGE.write_text(text, encoding="utf-8")
