"""What a result was made by: the command, the versions of the libraries, the machine, and the state of the checkout."""

import os
import platform
import shlex
import subprocess
import sys
from collections.abc import Iterable
from contextlib import suppress
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import Any

VERSIONS = ("tripeaks-env", "gymnasium", "numba", "numpy", "scipy", "stable-baselines3", "sb3-contrib", "torch")
ROOT = Path(__file__).parents[2]


def provenance() -> dict[str, Any]:
    """Return what a result was made by: command, time, versions, machine, and the state of the checkout."""
    return {
        "command": command(),
        "started": datetime.now(UTC).isoformat(timespec="seconds"),
        "versions": {"python": platform.python_version()} | versions(VERSIONS),
        "machine": machine(),
        "git": _git(),
    }


def command() -> str:
    """Return the command line that runs."""
    return shlex.join(["python", "-m", "experiments", *sys.argv[1:]])


def versions(packages: Iterable[str]) -> dict[str, str]:
    """Return the versions of those packages that are installed."""
    found = {}
    for package in packages:
        with suppress(metadata.PackageNotFoundError):
            found[package] = metadata.version(package)
    return found


def machine() -> str:
    """Return the processor and how many cores it has."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text(encoding="utf-8").splitlines() if info.exists() else []
    models = [line.partition(": ")[2] for line in lines if line.startswith("model name")]
    return f"{models[0] if models else platform.machine()}, {os.cpu_count()} cores"


def _git() -> dict[str, Any]:
    """Return the commit of the checkout and whether files differ from it; nothing outside of a checkout."""
    try:
        commit = _git_says("rev-parse", "HEAD")
        return {"commit": commit, "changed": bool(_git_says("status", "--porcelain"))}
    except (OSError, subprocess.CalledProcessError):
        return {}


def _git_says(*arguments: str) -> str:
    done = subprocess.run(["git", "-C", str(ROOT), *arguments], capture_output=True, text=True, check=True)
    return done.stdout.strip()
