"""The folder of a run: one run at a time, of one kind, with what made it and a log beside its results."""

import json
import logging
import time
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from experiments.config import Config, ConfigError
from experiments.runs.provenance import provenance
from tripeaks_env.game.arguments import one_line
from tripeaks_env.parallel.files import replacing


@contextmanager
def opened(
    folder: Path, kind: str, config: Config, facts: dict[str, Any] | None = None, fixed: Iterable[str] = ()
) -> Iterator[logging.Logger]:
    """Keep other runs out of a folder as long as the block runs; yield the log of the run.

    Writes ``run.json``: the kind of run, its config and what it is made by (:mod:`experiments.runs.provenance`); and
    ``log.txt``, with a line for each event of this and earlier runs.

    Args:
        folder: is made if it is missing.
        kind: of run, such as ``"compare"``.
        config: what is run.
        facts: by what it is made, see :func:`experiments.runs.provenance.provenance`; by default found out.
        fixed: keys of the config that must be as those of the run before, whose results would be lost else.

    Raises:
        ConfigError: another run is going on in the folder, it holds a run of another kind, of none that can be read or with
            other ``fixed`` keys, it cannot be written to, or is not there any more when the block ends.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock = FileLock(folder / ".lock", blocking=False).acquire()
    except Timeout as error:
        raise ConfigError(f"folder {folder} is in use by another run; wait for it, or give another --output") from error
    except OSError as error:
        raise ConfigError(f"folder {folder} cannot be written to: {error.strerror}") from error
    with lock:
        for part in folder.rglob(".part-*"):  # of a run that was killed while it wrote a file
            part.unlink(missing_ok=True)
        before, settings = _kept(folder / "run.json"), config.model_dump(mode="json")
        if before and before["kind"] != kind:
            raise ConfigError(f"folder {folder} holds a run of {before['kind']}; give another --output for {kind}")
        for key in fixed:
            if before and before["config"].get(key) != settings[key]:
                raise ConfigError(
                    f"folder {folder} holds results with {key} {json.dumps(before['config'].get(key))}, the config has "
                    f"{json.dumps(settings[key])}; give another --output, or --overwrite to replace them"
                )
        facts = facts or provenance()
        with replacing(folder / "run.json") as path:
            run = {"kind": kind, "config": settings, **facts}
            path.write_text(json.dumps(run, indent=1) + "\n", encoding="utf-8")
        with closing(logging.FileHandler(folder / "log.txt", encoding="utf-8")) as handler:
            handler.setFormatter(logging.Formatter("%(asctime)s %(message)s"))
            log = logging.Logger(str(folder))
            log.addHandler(handler)
            log.info("started: %s (%s)", facts["command"], json.dumps(facts["versions"] | facts["git"]))
            began = time.monotonic()
            try:
                yield log
            except BaseException as error:
                log.info(
                    "ended after %.0f s by %s: %s", time.monotonic() - began, type(error).__name__, one_line(error)
                )
                raise
            if not (folder / "run.json").exists():
                raise ConfigError(
                    f"folder {folder} was deleted or moved while it was in use; run the same command again"
                )
            log.info("finished after %.0f s", time.monotonic() - began)


def _kept(path: Path) -> dict[str, Any]:
    """Return what is in a ``run.json``, with ``kind`` and ``config`` at least; nothing if there is none, or it is empty.

    After a power cut a file of an earlier version can be empty, or zeros.

    Raises:
        ConfigError: it cannot be read.
    """
    try:
        text = path.read_text(encoding="utf-8").strip("\0 \n") if path.exists() else ""
        run = json.loads(text) if text else {}
        return run and {**run, "kind": str(run["kind"]), "config": dict(run["config"])}
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise ConfigError(f"file {path} cannot be read ({error}); give another --output") from error
