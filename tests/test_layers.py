"""The order of the house: every contract of import-linter bites, and no room or module is too large to know."""

import shutil
import subprocess
import sys
import tomllib
from itertools import combinations
from pathlib import Path

import grimp
import pytest

ROOT = Path(__file__).parents[1]
PACKAGES = ("tripeaks_env", "agents", "experiments")
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
CONTRACTS = [contract["name"] for contract in PYPROJECT["tool"]["importlinter"]["contracts"]]

PLANTED = {
    "experiments stand on agents, agents on tripeaks_env": ("tripeaks_env/env/splits.py", "import agents"),
    "tripeaks_env, from top to bottom": ("tripeaks_env/game/cards.py", "import tripeaks_env.solver.bounds"),
    "agents, from top to bottom": ("agents/simple.py", "import agents.search.rollout"),
    "experiments, from top to bottom": ("experiments/config.py", "import experiments.runs.folder"),
    "no circles": ("tripeaks_env/game/cards.py", "import tripeaks_env.game.rules"),
    "rooms do not reach for the whole": ("tripeaks_env/env/splits.py", "import tripeaks_env"),
    "the core imports no extra": ("tripeaks_env/env/splits.py", "import scipy"),
}
"""For each contract a module and an import in it that the contract forbids."""

TOP = 14
"""Most entries of the folder ``tripeaks_env``."""
LINES = 450
"""Most lines of a module."""


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a copy of the packages and of the contracts."""
    folder = tmp_path_factory.mktemp("house")
    for package in PACKAGES:
        shutil.copytree(
            ROOT / package, folder / package, ignore=shutil.ignore_patterns("*.csv", "*.safetensors", "__*__")
        )
    shutil.copy(ROOT / "pyproject.toml", folder)
    return folder


def broken(house: Path) -> list[str]:
    """Return the contracts that import-linter finds broken in a folder, none if it is content."""
    program = (
        "import sys; from importlinter.cli import lint_imports; sys.exit(lint_imports(no_cache=True, no_logo=True))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=house, capture_output=True, encoding="utf-8", check=False
    )
    found = [name for name in CONTRACTS if f"\n{name} BROKEN" in done.stdout]
    assert done.returncode == bool(found), done.stdout + done.stderr
    assert found or all(f"\n{name} KEPT" in done.stdout for name in CONTRACTS), done.stdout + done.stderr
    return found


def test_the_house_is_in_order(house: Path) -> None:
    assert broken(house) == []


@pytest.mark.slow
@pytest.mark.parametrize("contract", CONTRACTS)
def test_an_import_upside_down_is_found(house: Path, contract: str) -> None:
    name, line = PLANTED[contract]
    module = house / name
    kept = module.read_text(encoding="utf-8")
    module.write_text(f"{kept}\n{line}\n", encoding="utf-8")
    try:
        assert contract in broken(house)
    finally:
        module.write_text(kept, encoding="utf-8")


def test_no_two_folders_import_each_other() -> None:
    graph = grimp.build_graph(*PACKAGES)
    folders = [module for module in graph.modules if graph.find_children(module)]
    for one, other in combinations(sorted(folders), 2):
        if one.rpartition(".")[0] == other.rpartition(".")[0]:
            ways = [
                graph.direct_import_exists(importer=a, imported=b, as_packages=True)
                for a, b in ((one, other), (other, one))
            ]
            assert not all(ways), f"{one} and {other} import each other"


def test_the_package_has_few_rooms() -> None:
    """Who opens the folder sees at a glance what there is; what is new belongs into one of the rooms."""
    entries = {path.name for path in (ROOT / "tripeaks_env").iterdir()} - {"__pycache__"}
    assert len(entries) <= TOP, f"tripeaks_env/ has {len(entries)} entries: {', '.join(sorted(entries))}"


def test_no_module_is_long() -> None:
    modules = (path for package in PACKAGES for path in (ROOT / package).rglob("*.py"))
    lengths = {str(path.relative_to(ROOT)): len(path.read_text(encoding="utf-8").splitlines()) for path in modules}
    long = {name: length for name, length in lengths.items() if length > LINES}
    assert not long, f"split what has more than {LINES} lines: {long}"
