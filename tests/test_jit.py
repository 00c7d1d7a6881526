"""When kernels are compiled anew: a package of four modules, changed between two processes. Where machine code is kept."""

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numba
import pytest

from tripeaks_env._jit import cache, kernel

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


def settings(*paths: Path, **more: str) -> Mapping[str, str]:
    """The environment of a new process that imports from some folders."""
    return {
        **{name: value for name, value in os.environ.items() if not name.startswith(("NUMBA_", "XDG_"))},
        "PYTHONPATH": os.pathsep.join(map(str, paths)),
        "PYTHONDONTWRITEBYTECODE": "1",  # two changes in a second look alike to Python's own cache
        **more,
    }


def answer(folder: Path, **more: str) -> str:
    """What the outermost kernel returns in a new process, and where its machine code is from."""
    environment = settings(folder, ROOT, **{"NUMBA_CACHE_DIR": str(folder), **more})
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


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder for machine code, and a process that has not warned or tidied yet."""
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path))
    cache._warn.cache_clear()
    cache._tidy.cache_clear()
    return tmp_path / "tripeaks-env"


def twice(number: int) -> int:
    """What the tests compile."""
    return number * 2


def compiled_or_loaded(number: Any = 4) -> str:
    """Call a new kernel, as a new process would, and return where its machine code is from."""
    dispatcher: Any = kernel(twice)
    assert dispatcher(number) == 2 * number
    return "compiled" if dispatcher.stats.cache_misses else "loaded"


def test_machine_code_is_kept_in_the_folder_that_is_named(kept: Path) -> None:
    assert [compiled_or_loaded() for _ in range(2)] == ["compiled", "loaded"]
    assert [file.suffix for file in kept.iterdir()] == [".nbc"]


def test_machine_code_is_kept_in_the_folder_of_the_user(kept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(numba.config, "CACHE_DIR", "")
    monkeypatch.setenv("XDG_CACHE_HOME", str(kept.parent))
    assert [compiled_or_loaded() for _ in range(2)] == ["compiled", "loaded"]
    if sys.platform == "linux":
        assert cache.folder() == kept
    assert cache.folder().is_dir()


@pytest.mark.parametrize("left", [0, 40, -1])
def test_a_damaged_file_is_made_anew(kept: Path, left: int) -> None:
    compiled_or_loaded()
    (file,) = kept.iterdir()
    whole = file.read_bytes()
    file.write_bytes(whole[:left])
    assert [compiled_or_loaded() for _ in range(2)] == ["compiled", "loaded"]
    assert [each.name for each in kept.iterdir()] == [file.name]
    assert len(file.read_bytes()) == len(whole)


def test_where_nothing_can_be_kept_everything_works_with_one_warning(
    kept: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept.write_text("no folder")
    with pytest.warns(RuntimeWarning) as said:
        assert [compiled_or_loaded() for _ in range(2)] == ["compiled", "compiled"]
    assert "cannot be kept on disk" in str(said[0].message)
    assert f"NUMBA_CACHE_DIR, now {kept.parent}, can name a folder" in str(said[0].message)
    assert len(said) == 1
    assert kept.read_text() == "no folder"


def test_a_full_disk(kept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What could be written of a file is removed."""

    def half(path: Path, data: bytes) -> None:
        with path.open("wb") as file:
            file.write(data[:100])
        raise OSError(28, "No space left on device", str(path))

    monkeypatch.setattr(Path, "write_bytes", half)
    with pytest.warns(RuntimeWarning, match="No space left on device"):
        assert compiled_or_loaded() == "compiled"
    assert list(kept.iterdir()) == []


def test_without_a_home(kept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No folder is made in the folder where the process happens to be."""
    kept.parent.mkdir(exist_ok=True)
    monkeypatch.chdir(kept.parent)
    monkeypatch.setattr(numba.config, "CACHE_DIR", "")
    monkeypatch.setenv("XDG_CACHE_HOME", "a/relative/path")
    if sys.platform == "linux":
        with pytest.warns(RuntimeWarning, match="there is no home folder"):
            assert compiled_or_loaded() == "compiled"
    assert list(kept.parent.iterdir()) == []


def test_what_nobody_uses_is_removed(kept: Path) -> None:
    compiled_or_loaded()
    (used,) = kept.iterdir()
    other = kept / "of-another-version.nbc"
    other.touch()
    for file in (used, other):
        os.utime(file, (0, time.time() - cache.KEPT - 100))
    assert compiled_or_loaded() == "loaded"  # which is a use
    cache._tidy.cache_clear()
    assert compiled_or_loaded(2.5) == "compiled"
    assert used.exists()
    assert len(list(kept.iterdir())) == 2


def test_other_machine_code_has_another_name(kept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Types of arguments, versions of Numba, checked bounds: nobody finds what somebody else compiled."""
    compiled_or_loaded()
    monkeypatch.setattr(numba, "__version__", "0.0.1")
    assert compiled_or_loaded() == "compiled"
    monkeypatch.setattr(numba.config, "BOUNDSCHECK", 1)
    assert compiled_or_loaded() == "compiled"
    assert compiled_or_loaded(True) == "compiled"
    assert len(list(kept.iterdir())) == 4


def test_what_a_kernel_has_from_the_function_around_it_is_part_of_it(kept: Path) -> None:
    def times(factor: int) -> Any:
        def product(number: int) -> int:
            return number * factor

        return kernel(product)

    assert [times(factor)(10) for factor in (2, 3, 2)] == [20, 30, 20]
    assert len(list(kept.iterdir())) == 2


def test_who_compiles_at_the_same_time_keeps_its_own(kept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As workers do on an empty folder: one begins and ends while another writes."""
    write = Path.write_bytes

    def slowly(path: Path, data: bytes) -> int:
        monkeypatch.setattr(Path, "write_bytes", write)
        assert [compiled_or_loaded(number) for number in (4, 2.5)] == ["compiled", "compiled"]
        return write(path, data)

    monkeypatch.setattr(Path, "write_bytes", slowly)
    assert compiled_or_loaded() == "compiled"
    assert [compiled_or_loaded(number) for number in (4, 2.5)] == ["loaded", "loaded"]
    assert len(list(kept.iterdir())) == 2


CALLS_A_KERNEL = """
import tripeaks_env
print(tripeaks_env.game.engine.lowest(8))
"""


def test_the_package_writes_nowhere_but_to_the_folder_for_caches(tmp_path: Path) -> None:
    """It runs where it is read-only and nobody has a home, as in containers, and says so once."""
    package = tmp_path / "tripeaks_env"
    shutil.copytree(ROOT / package.name, package, ignore=shutil.ignore_patterns("__pycache__"))
    for folder in (package, *package.glob("*/")):
        (folder / "__pycache__").touch()  # a file: not even root makes a folder of that name
    files = sorted(tmp_path.rglob("*"))
    for home, warned in ((os.devnull, 1), (str(tmp_path / "home"), 0)):
        command, environment = [sys.executable, "-c", CALLS_A_KERNEL], settings(tmp_path, HOME=home)
        done = subprocess.run(
            command, env=environment, cwd=tmp_path, capture_output=True, text=True, check=True, timeout=300
        )
        assert done.stdout == "3\n"
        assert done.stderr.count("NUMBA_CACHE_DIR") == warned, done.stderr
    assert [file for file in sorted(tmp_path.rglob("*")) if (tmp_path / "home") not in (file, *file.parents)] == files
