"""A pool on Ray, which runs on this machine or on many."""

import importlib
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tripeaks_env.parallel.pool import Died, Pool, Result, Task


class RayPool(Pool):
    """Tasks on Ray, which is started on this machine, or runs already on one or many.

    The other machines of a cluster need this checkout and its virtual environment at the same path, as on a shared disk.

    Args:
        workers: how many tasks run at once; by default as many as Ray has cores.
        address: of a running cluster.

    Raises:
        ValueError: Ray is not installed, or there is no cluster at the address.
    """

    def __init__(self, workers: int | None, address: str | None) -> None:
        try:
            ray: Any = importlib.import_module("ray")  # here, as it is an extra and takes seconds to import
        except ImportError as error:
            raise ValueError("engine is 'ray', which needs Ray; install it with pip install 'ray>=2.40'") from error
        self.ray = ray
        self._environment = {"PYTHONPATH": os.pathsep.join(sys.path)}
        try:
            ray.init(
                address or "local",
                num_cpus=None if address else workers,
                include_dashboard=None if address else False,
                runtime_env={"env_vars": self._environment},
                logging_level="error",
                log_to_driver=False,
            )
        except (ConnectionError, ValueError, RuntimeError) as error:
            where = f"no Ray cluster answers at address {address!r}" if address else "Ray cannot be started"
            raise ValueError(f"{where}: {' '.join(str(error).split())}") from error
        self.workers = workers or int(ray.cluster_resources().get("CPU", 1))
        self._remote = ray.remote(_run_there)

    def __exit__(self, *error: object) -> None:
        self.ray.shutdown()

    def _start(self, function: Callable[[Task], Result], task: Task, kind: str) -> Any:
        # Ray has other processes for other environments.
        environment = {"env_vars": {**self._environment, "TRIPEAKS_WORKER": kind}}
        return self._remote.options(max_retries=0, runtime_env=environment).remote(function, task, str(Path.cwd()))

    def _wait(self, handles: list[Any], seconds: float) -> list[Any]:
        return self.ray.wait(handles, num_returns=1, timeout=seconds)[0]

    def _outcome(self, handle: Any) -> Any:
        try:
            return self.ray.get(handle)
        except self.ray.exceptions.RayTaskError as error:  # raised by the task itself
            raise error.cause or RuntimeError(str(error)) from error
        except self.ray.exceptions.RayError as error:
            raise Died from error

    def _give_up(self, handle: Any) -> None:
        self.ray.cancel(handle, force=True)


def _run_there(function: Callable[[Task], Result], task: Task, folder: str) -> Result:
    """Run a task on another machine, in the folder that relative paths are meant from."""
    os.chdir(folder)
    return function(task)
