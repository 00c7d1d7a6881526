"""Work shared out over processes and machines, files that are never half written, intervals of what was counted."""

import os
import sys
from typing import Literal, get_args

from tripeaks_env.parallel.cluster import RayPool
from tripeaks_env.parallel.pool import Pool
from tripeaks_env.parallel.processes import LocalPool

PoolName = Literal["local", "ray"]


def make_pool(name: str = "local", workers: int | None = None, address: str | None = None) -> Pool:
    """Return a pool of workers.

    Args:
        name: ``"local"`` for processes on this machine, ``"ray"`` for Ray.
        workers: how many tasks run at once, at least 1; by default as many as there are cores.
        address: of a running Ray cluster, such as ``"auto"`` or ``"ray://host:10001"``; by default Ray is started here.

    Raises:
        ValueError: there is no such engine, or it cannot be started.
    """
    if name not in get_args(PoolName):
        raise ValueError(f"engine is {name!r}; it must be {' or '.join(get_args(PoolName))}")
    if name == "ray":
        return RayPool(workers, address)
    if address is not None:
        raise ValueError(f"address is {address!r}; only the engine ray takes one")
    cores = len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1
    return LocalPool(workers or cores)
