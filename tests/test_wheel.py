"""What is installed: the package, whole, and nothing else; it runs without the checkout, and says which extra it misses."""

import os
import re
import site
import subprocess
import sys
import tarfile
import venv
import zipfile
from importlib import metadata
from pathlib import Path, PurePosixPath
from typing import NamedTuple

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).parents[1]
CORE = ("gymnasium", "numba", "numpy")
"""What pyproject.toml requires without extras."""
EXTRAS = "cli|render|sb3"
IMPORT_ALL = """
import importlib, os, pkgutil
from tripeaks_env.cli import EXTRAS
import tripeaks_env
assert tripeaks_env.__file__.startswith(os.getcwd()), tripeaks_env.__file__
for module in pkgutil.walk_packages(tripeaks_env.__path__, "tripeaks_env."):
    if module.name.endswith("__main__"):
        continue
    try:
        importlib.import_module(module.name)
    except ModuleNotFoundError as error:
        known = "tripeaks-env[sb3]" in str(error) or error.name in EXTRAS
        print(module.name, EXTRAS.get(error.name, "sb3") if known else f"FAILED: {error!r}")
    else:
        print(module.name, "imported")
"""

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not (ROOT / ".git").exists(), reason="what is packed is what git knows"),
]


class Packed(NamedTuple):
    """The distributions, and the names of the files that git has."""

    wheel: Path
    sdist: Path
    files: set[str]


@pytest.fixture(scope="module")
def packed(tmp_path_factory: pytest.TempPathFactory) -> Packed:
    """The source distribution of a clean checkout, and the wheel that is built from it."""
    folder = tmp_path_factory.mktemp("packed")
    checkout, out = folder / "checkout", folder / "out"
    archive = folder / "archive.tar"
    subprocess.run(["git", "-C", str(ROOT), "archive", "--output", str(archive), "HEAD"], check=True)
    with tarfile.open(archive) as tar:
        files = {member.name for member in tar if member.isfile()}
        tar.extractall(checkout, filter="data")
    program = "import sys; from setuptools import build_meta; build_meta.build_sdist(sys.argv[1])"
    subprocess.run([sys.executable, "-c", program, str(out)], cwd=checkout, check=True, capture_output=True)
    (sdist,) = out.glob("*.tar.gz")
    pip = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", "--no-index"]
    subprocess.run([*pip, "--wheel-dir", str(out), str(sdist)], cwd=folder, check=True, capture_output=True)
    (wheel,) = out.glob("*.whl")
    return Packed(wheel, sdist, files)


class Installed:
    """An environment of its own, outside of the checkout, in which the wheel is installed.

    Args:
        folder: for it.
        wheel: what is installed.
        extras: whether it has all that this one has, or only what the package requires.
    """

    def __init__(self, folder: Path, wheel: Path, extras: bool) -> None:
        self.folder = folder
        venv.create(folder / "venv", with_pip=False)
        (packages,) = (folder / "venv").glob("lib/python*/site-packages")
        self.python = folder / "venv" / "bin" / "python"
        if extras:  # a path in a .pth file adds no editable installs of that path
            (packages / "all.pth").write_text("\n".join(site.getsitepackages()), encoding="utf-8")
        else:
            for top in core():
                (packages / top.name).symlink_to(top)
        pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", "--target", str(packages)]
        subprocess.run([*pip, str(wheel)], cwd=folder, check=True, capture_output=True)

    def run(self, *arguments: str, code: int = 0) -> str:
        """Run Python there, expect an exit code, and return what it prints."""
        kept = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
        command = [str(self.python), *arguments]
        done = subprocess.run(command, cwd=self.folder, env=kept, capture_output=True, encoding="utf-8", check=False)
        assert done.returncode == code, done.stdout + done.stderr
        return done.stdout + done.stderr


def core() -> set[Path]:
    """Return the files and folders of the packages that the package requires, and that those require."""
    wanted, found, tops = list(CORE), set[str](), set[Path]()
    while wanted:
        name = wanted.pop()
        if name in found:
            continue
        found.add(name)
        package = metadata.distribution(name)
        tops |= {Path(str(package.locate_file(file.parts[0]))) for file in package.files or () if file.parts[0] != ".."}
        needs = map(Requirement, package.requires or ())
        wanted += [need.name for need in needs if not need.marker or need.marker.evaluate({"extra": ""})]
    return tops


@pytest.fixture(scope="module")
def plain(packed: Packed, tmp_path_factory: pytest.TempPathFactory) -> Installed:
    """Without extras."""
    return Installed(tmp_path_factory.mktemp("plain"), packed.wheel, extras=False)


@pytest.fixture(scope="module")
def whole(packed: Packed, tmp_path_factory: pytest.TempPathFactory) -> Installed:
    """With all extras."""
    return Installed(tmp_path_factory.mktemp("whole"), packed.wheel, extras=True)


def test_the_wheel_holds_the_package_and_nothing_else(packed: Packed) -> None:
    with zipfile.ZipFile(packed.wheel) as wheel:
        names = {name for name in wheel.namelist() if not name.endswith("/")}
    about = {name for name in names if PurePosixPath(name).parts[0].endswith(".dist-info")}
    assert names - about == {name for name in packed.files if name.startswith("tripeaks_env/")}
    assert "tripeaks_env/py.typed" in names
    assert {PurePosixPath(name).name for name in about} >= {"METADATA", "LICENSE", "entry_points.txt"}


def test_the_source_distribution_holds_the_package_and_no_tests(packed: Packed) -> None:
    with tarfile.open(packed.sdist) as sdist:
        names = {member.name.partition("/")[2] for member in sdist if member.isfile()}
    package = {name for name in packed.files if name.startswith("tripeaks_env/")}
    assert names >= {*package, "LICENSE", "README.md", "pyproject.toml"}
    assert not {name for name in names if name.startswith(("tests/", "agents/", "experiments/"))}


def test_the_first_example_of_the_readme_runs_on_the_bare_package(plain: Installed) -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    example = re.findall(r"```python\n(.*?)```", readme, re.DOTALL)[0]
    (plain.folder / "example.py").write_text(example, encoding="utf-8")
    assert re.search(r"(won|blocked) \d+ of at most \d+\n$", plain.run("-W", "error", "example.py"))


def test_every_module_is_imported_or_its_extra_is_named(plain: Installed, whole: Installed) -> None:
    bare = dict(line.split(" ", 1) for line in plain.run("-c", IMPORT_ALL).splitlines())
    assert {name: what for name, what in bare.items() if not re.fullmatch(f"imported|{EXTRAS}", what)} == {}
    assert set(bare.values()) == {"imported", *EXTRAS.split("|")}
    rich = dict(
        line.split(" ", 1) for line in whole.run("-c", IMPORT_ALL).splitlines() if line.startswith("tripeaks_env.")
    )
    assert set(rich.values()) == {"imported"}
    assert bare.keys() <= rich.keys()  # without an extra, what is in a folder that needs it is not found


def test_the_command_runs_or_names_its_extra(plain: Installed, whole: Installed) -> None:
    assert "pip install 'tripeaks-env[cli]'" in plain.run("-m", "tripeaks_env", "--help", code=2)
    help = whole.run("-m", "tripeaks_env", "--help")
    assert "Example: tripeaks random --deals 100 --json | tripeaks solve -" in help
    assert "waste A♣" in whole.run("-X", "utf8", "-m", "tripeaks_env", "deal", "TP1-E-AAAAAAB")
