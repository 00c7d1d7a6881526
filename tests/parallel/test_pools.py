"""The engines: every task has its result, whatever workers do, and the results are the same for all engines."""

import importlib.util
import math
import os
import signal
import subprocess
import sys
import time
import warnings
from pathlib import Path

import pytest
from gymnasium.utils import colorize

from tests.common import exhaustive, slow
from tripeaks_env.game.arguments import plain_warnings
from tripeaks_env.parallel import make_pool
from tripeaks_env.parallel.pool import RETRIES, Lost, Pool
from tripeaks_env.parallel.processes import LocalPool


def odd_jobs(task: tuple[str, int]) -> int:
    """Do what the task says, then return the square."""
    what, number = task
    if what == "raise":
        raise LookupError(f"no {number}")
    while what == "hang":
        time.sleep(1)
    if what == "leave":
        os._exit(0)
    if what == "crash":
        os.kill(os.getpid(), signal.SIGSEGV)
    return number * number


def fails_once(folder: Path) -> str:
    """Be killed at the first call of all, in whatever process."""
    mark = folder / "was here"
    if not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return "done"


def process(task: int) -> int:
    time.sleep(0.05)
    return os.getpid()


CRASHES = {2: "leave", 4: "crash"}
ALL = CRASHES | {5: "hang"}
"""Of which tasks what fails. One that hangs beside others waits for a limit in which another worker can start."""


def engine(name: str, workers: int = 2) -> Pool:
    if name == "ray" and not importlib.util.find_spec("ray"):
        pytest.skip("Ray is not installed")
    return make_pool(name, workers)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # of Ray, at its end
@pytest.mark.parametrize(
    ("name", "failures"), [*slow(("local", CRASHES), ("ray", CRASHES)), *exhaustive(("local", ALL))]
)
def test_a_task_that_fails_costs_no_other(name: str, failures: dict[int, str], tmp_path: Path) -> None:
    tasks = [(failures.get(i, "square"), i) for i in range(1, 12)]
    with engine(name) as pool:
        began = time.monotonic()
        assert list(pool.run(odd_jobs, [("square", 0)], math.inf)) == [(("square", 0), 0)]
        limit = 5 + round(4 * (time.monotonic() - began))  # starting another worker counts
        found = dict(pool.run(odd_jobs, tasks, limit))
        assert set(found) == set(tasks)
        for task in tasks:
            what, number = task
            if what == "square":
                assert found[task] == number * number
            elif what == "hang":
                assert found[task] == Lost(f"took longer than {limit} s")
            else:
                assert found[task] == Lost(f"ended its worker process {RETRIES + 1} times (crashed, or was killed)")
        assert list(pool.run(odd_jobs, [("hang", 12)], 1)) == [(("hang", 12), Lost("took longer than 1 s"))]
        with pytest.raises(LookupError, match="no 7"):
            list(pool.run(odd_jobs, [("raise", 7)], timeout=60))
        assert list(pool.run(fails_once, [tmp_path], timeout=60)) == [(tmp_path, "done")]
        left_out = {("square", i) for i in range(3)}
        some = dict(pool.run(odd_jobs, [("square", i) for i in range(6)], math.inf, lambda task: task in left_out))
        assert some == {("square", i): i * i for i in range(3, 6)}


@pytest.mark.slow
def test_a_task_that_hangs_is_given_up_and_its_worker_replaced() -> None:
    with LocalPool(1) as pool:
        assert list(pool.run(odd_jobs, [("hang", 1)], 1)) == [(("hang", 1), Lost("took longer than 1 s"))]
        assert list(pool.run(odd_jobs, [("square", 2)], math.inf)) == [(("square", 2), 4)]


@pytest.mark.slow
def test_local_workers_are_processes_that_end_with_the_engine() -> None:
    with LocalPool(2) as pool:
        workers = {pid for _, pid in pool.run(process, range(12), timeout=60) if isinstance(pid, int)}
        assert len(workers) == 2
        assert os.getpid() not in workers
    for worker in workers:
        with pytest.raises(ProcessLookupError):
            os.kill(worker, 0)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="looks for processes in /proc")
def test_local_workers_end_with_the_main_process_however_it_ends(tmp_path: Path) -> None:
    """SIGKILL leaves the main process no time to end them."""
    script = tmp_path / "main.py"
    script.write_text(
        "from tests.parallel.test_pools import odd_jobs, process\n"
        "from tripeaks_env.parallel.processes import LocalPool\n"
        "if __name__ == '__main__':\n"
        "    with LocalPool(2) as pool:\n"
        "        print(*{pid for _, pid in pool.run(process, range(12), 60)}, flush=True)\n"
        "        list(pool.run(odd_jobs, [('hang', 1), ('hang', 2)], 600))\n"
    )
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    with subprocess.Popen([sys.executable, script], stdout=subprocess.PIPE, text=True, env=environment) as main:
        assert main.stdout is not None
        workers = main.stdout.readline().split()
        assert all(Path(f"/proc/{worker}").exists() for worker in workers)
        main.kill()
    deadline = time.monotonic() + 120
    while any(_runs(worker) for worker in workers):
        assert time.monotonic() < deadline
        time.sleep(0.1)
    assert len(workers) == 2


def _runs(pid: str) -> bool:
    """Return whether a process is there and no zombie."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (("slurm",), "engine is 'slurm'; it must be local or ray"),
        (("local", 2, "auto"), "address is 'auto'; only the engine ray takes one"),
    ],
)
def test_engines_that_there_are_not(arguments: tuple[str], named: str) -> None:
    with pytest.raises(ValueError, match=named):
        make_pool(*arguments)


def test_without_ray_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(ValueError, match=r"engine is 'ray', which needs Ray; install it with pip install 'ray"):
        make_pool("ray")


def warn(message: str) -> None:
    warnings.warn(message, UserWarning, stacklevel=1)


def test_a_warning_of_a_command_is_one_line_without_its_source(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(warnings, "formatwarning", warnings.formatwarning)
    plain_warnings()
    shown = warnings.formatwarning("an\nodd \x1b model", UserWarning, "model.py", 3, "load(path)")
    assert shown == "warning: an odd \\x1b model\n"
    shown = warnings.formatwarning(colorize("WARN: nobody sees it", "yellow"), UserWarning, "logger.py", 3)
    assert shown == "warning: nobody sees it\n"


@pytest.mark.slow
def test_a_warning_of_a_worker_is_one_line_without_its_source(capfd: pytest.CaptureFixture[str]) -> None:
    with LocalPool(1) as pool:
        assert len(list(pool.run(warn, ["an odd model"], math.inf))) == 1
    assert capfd.readouterr().err == "warning: an odd model\n"
