"""When kernels are compiled anew: a package of four modules, changed between two processes."""

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[1]

MODULES = {
    "constants": """
        import enum, typing
        import numpy as np
        FACTOR, UNUSED = 2, 5
        PLACES = np.array([10, 20])
        SHAPE = np.dtype([("low", np.int64), ("high", np.int64)], align=True)
        class Kind(enum.IntEnum):
            FIRST, SECOND = 100, 200
        class Pair(typing.NamedTuple):
            left: int
            right: int
    """,
    "callee": """
        from tripeaks_env._jit import kernel
        from package.constants import FACTOR
        @kernel
        def innermost(number):
            return number * FACTOR
        @kernel
        def unused(number):
            return number + 7
    """,
    "between": """
        from tripeaks_env._jit import kernel
        from package import callee
        @kernel(fastmath=False)
        def inner(number):
            return callee.innermost(number)
    """,
    "caller": """
        import numpy as np
        from tripeaks_env._jit import kernel
        from package import between, constants
        from package.constants import SHAPE, Kind, Pair
        @kernel
        def outer(pair: Pair) -> int:
            def plus(number):
                return number + constants.PLACES[1]
            memory = np.zeros(1, dtype=SHAPE)
            memory[0].low = plus(between.inner(pair.left)) + LATER
            return memory[0].low + Kind.SECOND.value
        LATER = 1000  # defined when the decorator has run
    """,
}
SAYS = """
from package.caller import outer
from package.constants import Pair
answer = outer(Pair(1, 3))
print(answer, "compiled" if outer.stats.cache_misses else "loaded")
"""


def answer(folder: Path, **settings: str) -> str:
    """What the outermost kernel returns in a new process, and where its machine code is from."""
    environment: Mapping[str, str] = {
        **{name: value for name, value in os.environ.items() if not name.startswith("NUMBA_")},
        "PYTHONPATH": f"{folder}{os.pathsep}{ROOT}",
        "PYTHONDONTWRITEBYTECODE": "1",  # two changes in a second look alike to Python's own cache
        **settings,
    }
    command = [sys.executable, "-c", SAYS]
    done = subprocess.run(command, env=environment, cwd=folder, capture_output=True, text=True, timeout=300)
    assert done.stderr == ""
    return done.stdout.strip()


def change(folder: Path, module: str, old: str, new: str) -> None:
    """Change the text of a module of the package in a folder."""
    file = folder / "package" / f"{module}.py"
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new))


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The package, with the machine code of one process beside it."""
    folder = tmp_path_factory.mktemp("kernels")
    (folder / "package").mkdir()
    for name, text in MODULES.items():
        lines = [line.removeprefix(" " * 8) for line in text.strip("\n").splitlines()]
        (folder / "package" / f"{name}.py").write_text("\n".join(lines) + "\n")
    assert answer(folder) == "1222 compiled"
    return folder


@pytest.mark.parametrize(
    ("module", "old", "new", "expected"),
    [
        ("constants", "FACTOR, UNUSED = 2", "FACTOR, UNUSED = 3", "1223 compiled"),  # of a callee's callee
        ("constants", "[10, 20]", "[10, 30]", "1232 compiled"),  # in a module, in a nested function
        ("constants", "100, 200", "100, 300", "1322 compiled"),
        ("constants", '"low", np.int64', '"low", np.int8', "198 compiled"),  # 1022 in eight bits is -2
        ("constants", "    left: int\n    right: int", "    right: int\n    left: int", "1226 compiled"),
        ("callee", "number * FACTOR", "number * FACTOR + 1", "1223 compiled"),
        ("between", "callee.innermost(number)", "callee.unused(number)", "1228 compiled"),
        ("between", "fastmath=False", "fastmath=True", "1222 compiled"),
        ("caller", "LATER = 1000", "LATER = 2000", "2222 compiled"),
    ],
)
def test_compiled_anew_when_what_it_is_made_of_has_changed(
    compiled: Path, tmp_path: Path, module: str, old: str, new: str, expected: str
) -> None:
    folder = tmp_path / "changed"
    shutil.copytree(compiled, folder)
    change(folder, module, old, new)
    assert answer(folder) == expected


def test_not_compiled_anew_when_anything_else_has_changed(compiled: Path, tmp_path: Path) -> None:
    folder = tmp_path / "changed"
    shutil.copytree(compiled, folder)
    change(folder, "constants", "UNUSED = 2, 5", "UNUSED = 2, 6")
    change(folder, "callee", "number + 7", "number + 8")
    change(folder, "callee", "number * FACTOR", "number * FACTOR  # a comment")
    (folder / "package" / "between.py").touch()
    assert answer(folder) == "1222 loaded"


def test_another_folder_for_machine_code(compiled: Path, tmp_path: Path) -> None:
    elsewhere = {"NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    assert [answer(compiled, **elsewhere) for _ in range(2)] == ["1222 compiled", "1222 loaded"]
    assert list((tmp_path / "cache").rglob("*outer*.nbc"))
