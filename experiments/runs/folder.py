"""The folder of a run: one run at a time, of one kind, with what made it and a log beside its results."""

import json
import logging
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from experiments.config import Config, ConfigError
from experiments.runs.provenance import provenance
from tripeaks_env.parallel.files import replacing


@contextmanager
def opened(folder: Path, kind: str, config: Config, facts: dict[str, Any] | None = None) -> Iterator[logging.Logger]:
    """Keep other runs out of a folder as long as the block runs; yield the log of the run.

    Writes ``run.json``: the kind of run, its config and what it is made by (:mod:`experiments.runs.provenance`); and
    ``log.txt``, with a line for each event of this and earlier runs.

    Args:
        folder: is made if it is missing.
        kind: of run, such as ``"compare"``.
        config: what is run.
        facts: by what it is made, see :func:`experiments.runs.provenance.provenance`; by default found out.

    Raises:
        ConfigError: another run is going on in the folder, it holds a run of another kind or of none that can be read, or
            cannot be written to.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock = FileLock(folder / ".lock", blocking=False)
        lock.acquire()
    except Timeout as error:
        raise ConfigError(f"folder {folder} is in use by another run; wait for it, or give another --output") from error
    except OSError as error:
        raise ConfigError(f"folder {folder} cannot be written to: {error.strerror}") from error
    with lock:
        for part in folder.rglob(".part-*"):  # of a run that was killed while it wrote a file
            part.unlink(missing_ok=True)
        file = folder / "run.json"
        try:
            found = json.loads(file.read_text(encoding="utf-8"))["kind"] if file.exists() else kind
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise ConfigError(f"file {file} cannot be read ({error}); give another --output") from error
        if found != kind:
            raise ConfigError(f"folder {folder} holds a run of {found}; give another --output for {kind}")
        facts = facts or provenance()
        with replacing(file) as path:
            run = {"kind": kind, "config": config.model_dump(mode="json"), **facts}
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
                log.info("ended after %.0f s by %s: %s", time.monotonic() - began, type(error).__name__, error)
                raise
            log.info("finished after %.0f s", time.monotonic() - began)
