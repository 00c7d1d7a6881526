"""Data sets of Minari (https://minari.farama.org), which offline RL tools read: they are whole or not there.

Games become observations a chunk at a time while the data set is written, so memory does not grow with their number.
"""

import platform
import shutil
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path

import gymnasium
import h5py
import minari
import numpy as np
from minari.dataset.minari_dataset import DATASET_ID_RE
from minari.dataset.minari_storage import METADATA_FILE_NAME, MinariStorage
from minari.storage import get_dataset_path

from experiments.config import ConfigError
from experiments.offline.export import Export
from experiments.offline.games import Games, Steps, replay
from experiments.runs.provenance import versions
from tripeaks_env.env.splits import LAST_LETTER
from tripeaks_env.game.arguments import counted
from tripeaks_env.game.deals import format_codes

VERSIONS = ("tripeaks-env", "gymnasium", "numpy", "minari")
DATA_FILE = "main_data.hdf5"  # what Minari calls it, see its "Dataset Standards"


def dataset_path(dataset_id: str, root: Path | None = None, overwrite: bool = False) -> Path:
    """Return the folder of a data set that is to be written.

    Args:
        dataset_id: ``name-v0`` or ``folder/name-v0``, with any version.
        root: the folder of all data sets; by default Minari's, ``$MINARI_DATASETS_PATH`` or ``~/.minari/datasets``.
        overwrite: whether a data set that is there already may be replaced.

    Raises:
        ConfigError: this is no id, or there is something already that may not be replaced.
    """
    parts = DATASET_ID_RE.fullmatch(dataset_id)
    if not parts or parts["version"] is None or "//" in dataset_id:
        raise ConfigError(
            f"dataset id is {dataset_id!r}; it must be like tripeaks/opener-v0: letters, digits, _, - and /"
        )
    path = _root(root) / dataset_id
    for folder in path.parents:
        if folder.exists() and not folder.is_dir():
            raise ConfigError(f"{folder} is a file; it must be a folder for the data set {dataset_id}")
        if (folder / "data" / METADATA_FILE_NAME).exists():
            raise ConfigError(f"{folder} is a data set; the data set {dataset_id} cannot be in it")
    if path.exists():
        if not (path / "data" / METADATA_FILE_NAME).exists():
            raise ConfigError(f"{path} is there already and no data set; take another dataset id or remove it")
        if not overwrite:
            raise ConfigError(
                f"data set {dataset_id} is there already, in {path}; take another id, or overwrite it with --overwrite"
            )
    return path


def write_dataset(
    dataset_id: str,
    games: Iterable[Games],
    export: Export,
    *,
    root: Path | None = None,
    overwrite: bool = False,
    finished: Callable[[int], object] = lambda episodes: None,
) -> Path:
    """Write a data set of Minari and return its folder. Without success nothing is there under its id, or the old one is.

    Args:
        dataset_id: see :func:`dataset_path`, as for ``root`` and ``overwrite``.
        games: chunks in the order in which they are written: what :func:`record` returns, or
            ``map(record_games, export.tasks())``. They are taken one by one.
        export: how they were played, for the metadata.
        finished: is told how many more episodes were written, after each chunk.

    Raises:
        ConfigError: the id is wrong or taken, the folder cannot be written to, or there are evaluation deals among the games.
        ValueError: a line of actions is no whole game, or there are not as many games as ``export`` says.
    """
    path = dataset_path(dataset_id, root, overwrite)
    folder = _root(root)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        hidden = Path(tempfile.mkdtemp(prefix=".part-", dir=folder))  # Minari does not list hidden folders
    except OSError as error:
        raise ConfigError(f"{folder} cannot be written to: {error.strerror}") from error
    try:
        new = hidden / "new"
        new.mkdir()
        storage = _new_storage(new / "data", dataset_id, export)
        _write_games(storage, games, export, finished)
        _put(new, path, hidden / "old" if overwrite else None)
    finally:
        shutil.rmtree(hidden)
    return path


def _root(root: Path | None) -> Path:
    try:
        return get_dataset_path() if root is None else root
    except OSError as error:  # Minari makes the folder
        raise ConfigError(f"{error.filename} cannot be written to: {error.strerror}") from error


def _put(new: Path, path: Path, old: Path | None) -> None:
    """Move ``new`` to ``path``; what is there goes to ``old`` first if that is given, and back if the move fails."""
    path.parent.mkdir(parents=True, exist_ok=True)
    moved = old if path.exists() else None
    if moved is not None:
        path.rename(moved)
    try:
        new.rename(path)
    except BaseException as error:
        if moved is not None and not path.exists():
            moved.rename(path)
        if isinstance(error, OSError):
            raise ConfigError(f"{path} cannot be written to: {error.strerror}") from error
        raise


def _new_storage(folder: Path, dataset_id: str, export: Export) -> MinariStorage:
    """Return a new, empty data set with all metadata but the totals."""
    rules = export.rules.to_json()
    env = gymnasium.make("TriPeaks-v0", rules=rules, split="train")
    evaluation = gymnasium.make("TriPeaks-v0", rules=rules, split="evaluation")
    assert env.spec is not None
    assert evaluation.spec is not None
    storage = MinariStorage.new(
        folder, observation_space=env.observation_space, action_space=env.action_space, env_spec=env.spec
    )
    random = f", {100 * export.explore:g} % of the actions random" if export.explore else ""
    storage.update_metadata(
        {
            "dataset_id": dataset_id,
            "minari_version": minari.__version__,
            "eval_env_spec": evaluation.spec.to_json(),
            "algorithm_name": export.agent + random,
            "description": f"TriPeaks solitaire, rules {export.rules}: {counted(export.episodes, 'game')} of the agent "
            f"{export.agent}{random}, on deals of the split 'train'.",
            "tripeaks": {
                "agent": export.agent,
                "options": dict(export.options),
                "seed": export.seed,
                "rules": rules,
                "explore": export.explore,
                "split": "train",
                "versions": {"python": platform.python_version()} | versions(VERSIONS),
            },
        }
    )
    return storage


def _write_games(
    storage: MinariStorage, games: Iterable[Games], export: Export, finished: Callable[[int], object]
) -> None:
    """Write the episodes, in Minari's layout, and the totals.

    Minari's own writer makes every part of an episode growable, which for episodes as short as these takes more than three
    times the space.
    """
    episodes = steps = 0
    # As Minari does, keep the order in which the episodes were written.
    with h5py.File(storage.data_path / DATA_FILE, "w", track_order=True) as file:
        for chunk in games:
            if (chunk.numbers % 26 == LAST_LETTER).any():
                raise ConfigError("there are evaluation deals among the games; a data set of training deals has none")
            played = replay(chunk, export.rules)
            codes = format_codes(chunk.numbers, export.rules)
            for code, episode in zip(codes, _episodes(played), strict=True):
                group = file.create_group(f"episode_{episodes}")
                for name, part in episode.items():
                    group.create_dataset(name, data=part)
                group.attrs["id"] = episodes
                group.attrs["total_steps"] = len(episode["actions"])
                group.attrs["options/deal"] = code
                group.attrs["score"] = episode["infos/score"][-1]
                group.attrs["won"] = not episode["observations/tableau"][-1].any()
                episodes += 1
            steps += len(played.actions)
            finished(len(codes))
    if episodes != export.episodes:
        raise ValueError(f"there are {episodes} games; they must be {export.episodes}, as the export says")
    storage.update_metadata({"total_episodes": episodes, "total_steps": steps})
    storage.update_metadata({"dataset_size": float(storage.get_size())})


def _episodes(played: Steps) -> Iterable[dict[str, np.ndarray]]:
    """Yield the parts of each episode, under Minari's names."""
    ends = np.cumsum(played.lengths).tolist()
    for i, (end, length) in enumerate(zip(ends, played.lengths.tolist(), strict=True)):
        taken = slice(end - length, end)
        seen = slice(end - length + i, end + i + 1)
        yield {
            **{f"observations/{name}": part[seen] for name, part in played.observations.items()},
            "actions": played.actions[taken],
            "rewards": played.rewards[taken],
            "terminations": played.terminations[taken],
            "truncations": np.zeros(length, dtype=np.bool_),
            "infos/score": played.scores[seen],
        }
