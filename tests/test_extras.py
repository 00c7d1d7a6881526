"""Each extra alone: installed from the wheel into an environment of its own, it suffices for its example.

With every Python that is there, and with the newest and the oldest versions that pyproject.toml allows. uv installs; where
packages come from is in its settings, such as ``UV_FIND_LINKS`` and ``UV_CONSTRAINT``.
"""

import os
import re
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from tests.test_readme import README, block
from tests.test_wheel import Packed, packed

__all__ = ["packed"]
ROOT = Path(__file__).parents[1]
OFFLINE = (ROOT / "docs" / "offline.md").read_text(encoding="utf-8")
UV = [sys.executable, "-m", "uv"]
VALUES = "import sys; from tripeaks_env.cli import main; sys.argv[1:] = 'values', 'TP1-E-AAAAAAB'; main()"
EXAMPLES = {
    "": block("python", "ansi"),
    "cli": VALUES,
    "offline": re.findall(r"```python\n(.*?)```", OFFLINE, re.DOTALL)[0],
    "ray": """
        from tripeaks_env.parallel import make_pool
        with make_pool("ray", 1, None) as pool:
            assert list(pool.run(abs, [-3], timeout=300)) == [(-3, 3)]
    """,
    "render": """
        import gymnasium, tripeaks_env
        env = gymnasium.make("TriPeaks-v0", render_mode="rgb_array")
        env.reset(seed=0)
        assert env.render().shape == (540, 960, 3)
    """,
    "rllib": f"""
{block("python", "RLModuleSpec(")}
config.env_runners(num_env_runners=0).training(train_batch_size=200, minibatch_size=100, num_epochs=1)
print(config.build_algo().train()["num_env_steps_sampled_lifetime"])
    """,
    "sb3": block("python", "MaskablePPO("),
}
"""Of each extra that is of use without a checkout, and of the package without any; from the pages where they have one."""


@pytest.mark.installs
@pytest.mark.parametrize("resolution", ["highest", "lowest-direct"])
@pytest.mark.parametrize("python", ["3.11", "3.12", "3.13"])
@pytest.mark.parametrize("extra", EXAMPLES, ids=lambda extra: extra or "none")
def test_an_extra_suffices_for_its_example(
    packed: Packed,
    tmp_path: Path,
    extra: str,
    python: str,
    resolution: str,
) -> None:
    there = tmp_path / "venv" / "bin" / "python"
    made = subprocess.run([*UV, "venv", "--quiet", "--no-python-downloads", "--python", python, str(there.parents[1])])
    if made.returncode:
        pytest.skip(f"there is no Python {python}")
    wanted = f"{packed.wheel}[{extra}]" if extra else str(packed.wheel)
    install = [*UV, "pip", "install", "--quiet", "--resolution", resolution, "--python", str(there), wanted]
    subprocess.run(install, check=True)
    settings = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
    if extra == "offline":
        settings["MINARI_DATASETS_PATH"] = str(tmp_path)
        export = [sys.executable, "-m", "experiments", "export", "opener", "--deals", "3"]
        subprocess.run([*export, "--dataset-id", "tripeaks/opener-v0"], cwd=ROOT, env=settings, check=True)
    (tmp_path / "example.py").write_text(textwrap.dedent(EXAMPLES[extra]), encoding="utf-8")
    done = subprocess.run(
        [str(there), "example.py"], cwd=tmp_path, env=settings, capture_output=True, encoding="utf-8", timeout=1800
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_every_extra_is_tried_or_for_a_checkout() -> None:
    """Those for a checkout stand together, below a comment that says so; a page names each of the others."""
    table = (ROOT / "pyproject.toml").read_text(encoding="utf-8").partition("[project.optional-dependencies]\n")[2]
    alone = re.findall(r"^(\w+) = \[", table.partition("# The following are for a checkout")[0], re.MULTILINE)
    assert sorted(["", *alone]) == sorted(EXAMPLES)
    assert [extra for extra in alone if f"'.[{extra}]'" not in README + OFFLINE] == []
