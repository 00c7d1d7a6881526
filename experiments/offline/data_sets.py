"""Offline data: the games of an agent as a data set of Minari (https://minari.farama.org), which offline RL tools read.

Games are kept as deals and lines of actions. They become observations a chunk at a time while the data set is written, so
memory does not grow with their number.
"""

import platform
import shutil
import tempfile
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import gymnasium
import h5py
import minari
import numpy as np
from minari.dataset.minari_dataset import DATASET_ID_RE
from minari.dataset.minari_storage import METADATA_FILE_NAME, MinariStorage
from minari.storage import get_dataset_path

import agents
from agents import Agent, OracleAgent
from experiments.config import ConfigError, check_options
from experiments.games.lines import Lines
from experiments.games.play import play
from experiments.runs.provenance import versions
from tripeaks_env.env.agent import AgentError
from tripeaks_env.env.splits import LAST_LETTER, Split, check_split, random_numbers
from tripeaks_env.game.deals import format_code, format_codes, number_slots
from tripeaks_env.game.engine import MAX_LINE, new_games, play_actions
from tripeaks_env.game.observation import Observation, new_observation, observe, part_sizes
from tripeaks_env.game.rules import Rules, as_rules
from tripeaks_env.game.sampling import sample_actions
from tripeaks_env.parallel.pool import Lost, Pool

CHUNK = 200
"""Games that are played together, and whose observations are in memory together."""
VERSIONS = ("tripeaks-env", "gymnasium", "numpy", "minari")
DATA_FILE = "main_data.hdf5"  # what Minari calls it, see its "Dataset Standards"
MAX_EPISODES = 10_000_000


class Task(NamedTuple):
    """A chunk of games to play, made of plain values so that it can be sent to another process.

    Attributes:
        agent: a name out of :data:`agents.AGENTS`, or ``module:Class``.
        options: its keyword arguments.
        seed: of its random choices and of those instead of its own.
        rules: as :meth:`tripeaks_env.Rules.to_json` returns them.
        explore: the probability of a random action instead of the agent's, see :class:`Export`.
        first: the index of the first of these games among all.
        numbers: int64 (N,): the deals.
    """

    agent: str
    options: Mapping[str, Any]
    seed: int
    rules: str | dict[str, Any]
    explore: float
    first: int
    numbers: np.ndarray


class Games(NamedTuple):
    """N games that were played to their end.

    Attributes:
        numbers: int64 (N,): deal numbers.
        lines: what was played.
    """

    numbers: np.ndarray
    lines: Lines


class Steps(NamedTuple):
    """The steps of N games, game after game: S in all, and S + N observations, as each game has a last one.

    Attributes:
        observations: the parts of :func:`tripeaks_env.game.observation.observation_space`, int8 (S + N, size).
        scores: int64 (S + N,): the score when each observation is made.
        actions: int64 (S,).
        rewards: float64 (S,): the changes of the score.
        terminations: bool (S,): true in the last step of a game.
        lengths: int64 (N,): steps of each game.
    """

    observations: Observation
    scores: np.ndarray
    actions: np.ndarray
    rewards: np.ndarray
    terminations: np.ndarray
    lengths: np.ndarray


@dataclass(frozen=True)
class Export:
    """Which games a data set has.

    Attributes:
        agent: a name out of :data:`agents.AGENTS`, or ``module:Class``.
        episodes: how many games, 1 to 10,000,000.
        options: the agent's keyword arguments, of JSON types.
        seed: fixes the deals, the agent's choices and the random ones; 0 to 2**32 - 1.
        rules: the rules to play by.
        explore: the probability, in each move, of a uniformly random legal action instead of the agent's.
        split: where the deals come from. Data sets are for training, so this is for special purposes.

    Raises:
        ConfigError: an attribute is out of range.
    """

    agent: str
    episodes: int
    options: Mapping[str, Any] = field(default_factory=dict)
    seed: int = 0
    rules: Rules = Rules.easy
    explore: float = 0.0
    split: Split = "train"

    def __post_init__(self) -> None:
        if type(self.episodes) is not int or not 1 <= self.episodes <= MAX_EPISODES:
            raise ConfigError(f"episodes is {self.episodes!r}; it must be 1 to {MAX_EPISODES}")
        if type(self.seed) is not int or not 0 <= self.seed < 2**32:
            raise ConfigError(f"seed is {self.seed!r}; it must be 0 to {2**32 - 1}")
        if not 0 <= self.explore <= 1:
            raise ConfigError(f"explore is {self.explore!r}; it must be a probability, 0 to 1")
        try:
            check_split(self.split)
            check_options(self.options)
        except ValueError as error:
            raise ConfigError(str(error)) from error

    def tasks(self) -> list[Task]:
        """Return the games in chunks, each with a seed of its own, so that it does not matter who plays which in what order.

        The deals are drawn as resets of the environment draw them: uniformly, with replacement.
        """
        numbers = random_numbers(np.random.default_rng([self.seed, 0]), self.split, self.episodes)
        firsts = range(0, self.episodes, CHUNK)
        seeds = np.random.SeedSequence([self.seed, 1]).generate_state(len(firsts)).tolist()
        return [
            Task(
                self.agent,
                self.options,
                seed,
                self.rules.to_json(),
                self.explore,
                first,
                numbers[first : first + CHUNK],
            )
            for first, seed in zip(firsts, seeds, strict=True)
        ]


class Exploring:
    """An agent that now and then takes a uniformly random legal action instead of its own."""

    def __init__(self, agent: Agent, explore: float, seed: int) -> None:
        self.agent = agent
        self.explore = explore
        self.rng = np.random.default_rng([seed, 2])

    def act(self, observation: Observation, action_mask: np.ndarray) -> np.ndarray:
        """Return N actions; see :meth:`tripeaks_env.env.agent.Agent.act`."""
        other = self.rng.random(len(action_mask)) < self.explore
        others = sample_actions(action_mask, self.rng)
        actions = np.array(self.agent.act(observation, action_mask))
        actions[other] = others[other]
        return actions


class ExploringOracle(Exploring):
    """The same for an agent that sees all cards."""

    agent: OracleAgent

    def reveal(self, games: np.ndarray, rules: Rules) -> None:
        """Show the agent the games; see :meth:`tripeaks_env.env.agent.OracleAgent.reveal`."""
        self.agent.reveal(games, rules)


def record_games(task: Task) -> Games:
    """Play a chunk of games to their end; the same task gives the same games in any process.

    Raises:
        ConfigError: the agent cannot be made or does not play by these rules.
        AgentError: it chose an illegal action; the message names the agent.
    """
    rules = as_rules(task.rules)
    try:
        agent = agents.make(task.agent, rules, task.seed, **task.options)
    except ValueError as error:
        raise ConfigError(str(error)) from error
    if task.explore:
        kind = ExploringOracle if isinstance(agent, OracleAgent) else Exploring
        agent = kind(agent, task.explore, task.seed)
    try:
        games = play(agent, task.numbers.tolist(), rules).games
    except AgentError as error:
        raise AgentError(f"agent {task.agent!r}: {error}") from error
    return Games(task.numbers, Lines.of(games))


def record(
    export: Export,
    pool: Pool,
    timeout: float = 1800.0,
    finished: Callable[[int], object] = lambda episodes: None,
) -> list[Games]:
    """Return all games of an export, in chunks; they do not depend on the pool.

    Args:
        export: what to play.
        pool: where to play it.
        timeout: seconds after which an agent that plays a chunk is given up.
        finished: is told how many more games have been played, after each chunk.

    Raises:
        ConfigError: see :func:`record_games`.
        AgentError: likewise; or the agent took too long or ended its process.
    """
    found: dict[int, Games] = {}
    for task, games in pool.run(record_games, export.tasks(), timeout):
        if isinstance(games, Lost):
            raise AgentError(f"agent {export.agent!r}: {games.reason}")
        found[task.first] = games
        finished(len(games.numbers))
    return [found[first] for first in sorted(found)]


def replay(games: Games, rules: Rules) -> Steps:
    """Return what :class:`tripeaks_env.TriPeaksEnv` would have returned in these games, all replayed side by side.

    Raises:
        ValueError: a line has an illegal action, goes on after the end of its game or stops before it.
    """
    records = new_games(number_slots(games.numbers, rules), rules)
    lengths = games.lines.lengths.astype(np.int64)
    steps = int(lengths.sum())
    first_step = np.cumsum(lengths) - lengths
    first_observation = first_step + np.arange(len(lengths))
    observations = new_observation(steps + len(lengths), part_sizes(rules))
    scores = np.empty(steps + len(lengths), dtype=np.int64)
    rewards = np.empty(steps)
    terminations = np.empty(steps, dtype=np.bool_)

    def see(which: np.ndarray, move: int) -> None:
        seen = first_observation[which] + move
        for name, part in observe(records[which], rules).items():
            observations[name][seen] = part
        scores[seen] = records["score"][which]

    see(np.arange(len(lengths)), 0)
    for move in range(lengths.max(initial=0)):
        playing = np.flatnonzero(lengths > move)
        current = records[playing]
        stepped = play_actions(current, games.lines.actions[playing, move].astype(np.int64), rules)
        records[playing] = current
        rewards[first_step[playing] + move] = stepped.points
        terminations[first_step[playing] + move] = stepped.over
        wrong = (stepped.rejections != 0) | (stepped.over != (lengths[playing] == move + 1))
        if wrong.any():
            deal = format_code(int(games.numbers[playing[wrong][0]]), rules)
            raise ValueError(
                f"the line of deal {deal} is no whole game: action {move} is illegal or wrongly the last one"
            )
        see(playing, move + 1)
    actions = games.lines.actions[np.arange(MAX_LINE) < lengths[:, None]].astype(np.int64)
    return Steps(observations, scores, actions, rewards, terminations, lengths)


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
    author: str = "",
    code_permalink: str = "",
    finished: Callable[[int], object] = lambda episodes: None,
) -> Path:
    """Write a data set of Minari and return its folder. Without success nothing is there under its id, or the old one is.

    Args:
        dataset_id: see :func:`dataset_path`, as for ``root`` and ``overwrite``.
        games: chunks in the order in which they are written: what :func:`record` returns, or
            ``map(record_games, export.tasks())``. They are taken one by one.
        export: how they were played, for the metadata.
        author: who made it.
        code_permalink: where the code is that made it.
        finished: is told how many more episodes were written, after each chunk.

    Raises:
        ConfigError: the id is wrong or taken, the folder cannot be written to, or there are evaluation deals among the games
            although ``export.split`` is ``"train"``.
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
        storage = _new_storage(new / "data", dataset_id, export, author, code_permalink)
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


def _new_storage(folder: Path, dataset_id: str, export: Export, author: str, code_permalink: str) -> MinariStorage:
    """Return a new, empty data set with all metadata but the totals."""
    rules = export.rules.to_json()
    env = gymnasium.make("TriPeaks-v0", rules=rules, split=export.split)
    evaluation = gymnasium.make("TriPeaks-v0", rules=rules, split="evaluation")
    assert env.spec is not None
    assert evaluation.spec is not None
    storage = MinariStorage.new(
        folder, observation_space=env.observation_space, action_space=env.action_space, env_spec=env.spec
    )
    random = f", {100 * export.explore:g} % of the actions random" if export.explore else ""
    given = {"author": {author} if author else None, "code_permalink": code_permalink or None}
    storage.update_metadata(
        {
            "dataset_id": dataset_id,
            "minari_version": minari.__version__,
            "eval_env_spec": evaluation.spec.to_json(),
            "algorithm_name": export.agent + random,
            "description": f"TriPeaks solitaire, rules {export.rules}: {export.episodes} games of the agent "
            f"{export.agent}{random}, on deals of the split {export.split!r}.",
            "tripeaks": {
                "agent": export.agent,
                "options": dict(export.options),
                "seed": export.seed,
                "rules": rules,
                "explore": export.explore,
                "split": export.split,
                "versions": {"python": platform.python_version()} | versions(VERSIONS),
            },
            **{key: value for key, value in given.items() if value is not None},
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
            if export.split == "train" and (chunk.numbers % 26 == LAST_LETTER).any():
                raise ConfigError("there are evaluation deals among the games; a data set of training deals has none")
            played = replay(chunk, export.rules)
            codes = format_codes(chunk.numbers, export.rules)
            for code, episode in zip(codes, _episodes(played), strict=True):
                group = file.create_group(f"episode_{episodes}")
                _write_parts(group, episode)
                group.attrs["id"] = episodes
                group.attrs["total_steps"] = len(episode["actions"])
                group.attrs["options/deal"] = code
                group.attrs["score"] = episode["infos"]["score"][-1]
                group.attrs["won"] = not episode["observations"]["tableau"][-1].any()
                episodes += 1
            steps += len(played.actions)
            finished(len(codes))
    if episodes != export.episodes:
        raise ValueError(f"there are {episodes} games; they must be {export.episodes}, as the export says")
    storage.update_metadata({"total_episodes": episodes, "total_steps": steps})
    storage.update_metadata({"dataset_size": float(storage.get_size())})


def _episodes(played: Steps) -> Iterable[dict[str, Any]]:
    """Yield the parts of each episode, under Minari's names."""
    ends = np.cumsum(played.lengths).tolist()
    for i, (end, length) in enumerate(zip(ends, played.lengths.tolist(), strict=True)):
        taken = slice(end - length, end)
        seen = slice(end - length + i, end + i + 1)
        yield {
            "observations": {name: part[seen] for name, part in played.observations.items()},
            "actions": played.actions[taken],
            "rewards": played.rewards[taken],
            "terminations": played.terminations[taken],
            "truncations": np.zeros(length, dtype=np.bool_),
            "infos": {"score": played.scores[seen]},
        }


def _write_parts(group: h5py.Group, parts: Mapping[str, Any]) -> None:
    for name, part in parts.items():
        if isinstance(part, Mapping):
            _write_parts(group.create_group(name), part)
        else:
            group.create_dataset(name, data=part)
