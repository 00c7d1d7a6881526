"""Data sets of Minari: they hold what the environment returns, by the same rules, and are whole or not there."""

import pickle
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import gymnasium
import h5py
import minari
import numpy as np
import pytest
from minari.data_collector import EpisodeBuffer
from minari.dataset.minari_storage import MinariStorage

from agents.simple import RandomAgent
from experiments.config import ConfigError
from experiments.games.lines import Lines
from experiments.offline.data_sets import DATA_FILE, dataset_path, write_dataset
from experiments.offline.export import CHUNK, Export, Task
from experiments.offline.games import Games, record, record_games, replay
from tests.common import RULES, every_rules, slow
from tripeaks_env import Deal, Rules, TriPeaksEnv, is_evaluation, solve, suite
from tripeaks_env.env.agent import AgentError
from tripeaks_env.game.deals import parse_code
from tripeaks_env.game.observation import Observation
from tripeaks_env.parallel.pool import Lost, Pool

ODD = RULES["wild-empty-stuck-streak"]


class Lowest:
    """Takes the legal action with the lowest number."""

    def __init__(self, rules: Rules, seed: int = 0) -> None:
        pass

    def act(self, observation: Observation, action_mask: np.ndarray) -> np.ndarray:
        return np.argmax(action_mask, axis=1)


class Illegal(RandomAgent):
    """Removes a summit at once."""

    def act(self, observation: Observation, action_mask: np.ndarray) -> np.ndarray:
        return np.zeros(len(action_mask), dtype=int)


class Backwards(Pool):
    """Does the last task first, here."""

    def run(
        self, function: Callable[[Any], Any], tasks: Sequence[Any], *arguments: Any, **keywords: Any
    ) -> Iterator[tuple[Any, Any]]:
        for task in reversed(tasks):
            yield task, function(pickle.loads(pickle.dumps(task)))


class Late(Pool):
    """Gives up every task."""

    def run(
        self, function: object, tasks: Sequence[Any], timeout: float, *arguments: Any, **keywords: Any
    ) -> Iterator[Any]:
        for task in tasks:
            yield task, Lost(f"took longer than {timeout:g} s")


def played(export: Export) -> list[Games]:
    return [record_games(task) for task in export.tasks()]


def halves(games: Games) -> list[Games]:
    """Return the same games as two chunks."""
    half = len(games.numbers) // 2
    actions, lengths = games.lines
    return [
        Games(games.numbers[part], Lines(actions[part], lengths[part])) for part in (slice(half), slice(half, None))
    ]


def write(root: Path, export: Export, **options: Any) -> minari.MinariDataset:
    """Play and write a data set, by two chunks, and open it."""
    (games,) = played(export)
    return minari.MinariDataset(write_dataset("peaks/some-v0", halves(games), export, root=root, **options) / "data")


def actions_of(chunks: list[Games]) -> list[list[int]]:
    lines = [line for chunk in chunks for line in zip(*chunk.lines, strict=True)]
    return [actions[:length].tolist() for actions, length in lines]


@every_rules
def test_a_data_set_is_what_the_environment_returns(tmp_path: Path, rules: Rules) -> None:
    """Step by step and bit by bit, in an environment that the data set itself brings."""
    dataset = write(tmp_path, Export("random", 6, rules=rules, seed=3))
    env = dataset.recover_environment()
    assert env.unwrapped.rules == rules
    assert env.observation_space == dataset.observation_space
    assert env.action_space == dataset.action_space
    assert ("run" in dataset.observation_space.spaces) == rules.scoring.streak
    metadatas = list(dataset.storage.get_episode_metadata(range(6)))
    assert dataset.total_episodes == 6
    assert dataset.total_steps == sum(len(episode.actions) for episode in dataset)
    for episode, metadata in zip(dataset, metadatas, strict=True):
        observation, info = env.reset(options=metadata["options"])
        steps = len(episode.actions)
        assert metadata["total_steps"] == steps
        assert episode.actions.dtype == env.action_space.dtype
        assert episode.rewards.dtype == np.float64
        assert [len(part) for part in episode.observations.values()] == [steps + 1] * len(env.observation_space)
        for i in range(steps + 1):
            assert episode.observations.keys() == observation.keys()
            for name, part in observation.items():
                assert np.array_equal(episode.observations[name][i], part)
                assert episode.observations[name].dtype == part.dtype
            assert episode.infos["score"][i] == info["score"]
            if i < steps:
                observation, reward, terminated, truncated, info = env.step(episode.actions[i])
                assert episode.rewards[i] == reward
                assert episode.terminations[i] == terminated == (i == steps - 1)
                assert not episode.truncations[i]
                assert not truncated
        assert sum(episode.rewards) == info["score"] - rules.scoring.start
        assert (metadata["score"], metadata["won"]) == (info["score"], info["status"] == "won")


@pytest.mark.parametrize("rules", [Rules.easy, *slow(Rules.traditional, ODD)], ids=str)
def test_the_oracle_returns_the_optimum(tmp_path: Path, rules: Rules) -> None:
    dataset = write(tmp_path, Export("oracle", 8, rules=rules))
    metadatas = dataset.storage.get_episode_metadata(range(8))
    won = [bool(metadata["won"]) for metadata in dataset.storage.get_episode_metadata(range(8))]
    assert any(won)
    for episode, metadata in zip(dataset, metadatas, strict=True):
        best = solve(Deal.from_code(metadata["options"]["deal"]), rules)
        assert sum(episode.rewards) == best.score - rules.scoring.start
        assert metadata["won"] == best.won


@pytest.mark.parametrize("rules", [Rules.classic, RULES["removals-cost"], ODD], ids=str)
def test_recovered_environments(tmp_path: Path, rules: Rules) -> None:
    """Training deals to learn on and evaluation deals to measure on, by the rules of the data."""
    dataset = write(tmp_path, Export("random", 1, rules=rules))
    for evaluation in (False, True):
        env = dataset.recover_environment(eval_env=evaluation)
        assert isinstance(env.unwrapped, TriPeaksEnv)
        assert env.unwrapped.rules == rules
        codes = [env.reset(seed=seed)[1]["deal_code"] for seed in range(40)]
        assert [is_evaluation(parse_code(code)[1]) for code in codes] == [evaluation] * 40


def test_only_training_deals(tmp_path: Path) -> None:
    export = Export("greedy", 2 * CHUNK + 50)
    chunks = record(export, Backwards())
    assert [len(chunk.numbers) for chunk in chunks] == [CHUNK, CHUNK, 50]
    numbers = np.concatenate([chunk.numbers for chunk in chunks]).tolist()
    assert not any(map(is_evaluation, numbers))
    assert len(set(numbers)) == len(numbers)
    (task,) = Export("greedy", 3).tasks()
    chosen = record_games(task._replace(numbers=np.array([task.numbers[0], *suite(2)])))
    with pytest.raises(ConfigError, match="there are evaluation deals among the games"):
        write_dataset("some-v0", [chosen], Export("greedy", 3), root=tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_games_do_not_depend_on_the_order_of_work() -> None:
    export = Export("random", CHUNK + 5, seed=1)
    one, two = played(export), record(export, Backwards())
    assert np.array_equal(one[0].numbers, two[0].numbers)
    assert actions_of(one) == actions_of(two)
    assert actions_of(one) != actions_of(played(Export("random", CHUNK + 5, seed=2)))
    assert actions_of(one)[:5] != actions_of(one)[CHUNK:]  # chunks have seeds of their own


def test_lost_work_and_illegal_play_name_the_agent() -> None:
    with pytest.raises(AgentError, match=r"agent 'random': took longer than 7 s"):
        record(Export("random", 1), Late(), timeout=7)
    with pytest.raises(
        AgentError, match=r"agent 'tests.experiments.test_offline:Illegal': .* action 0 where it is illegal"
    ):
        played(Export("tests.experiments.test_offline:Illegal", 3))
    with pytest.raises(ConfigError, match="agent is 'nobody'"):
        played(Export("nobody", 3))


def test_exploring_takes_random_legal_actions_at_that_share() -> None:
    """Among k legal actions, a random one differs from the agent's with probability 1 - 1/k."""
    rules = Rules.easy
    for explore in (0.0, 0.3, 1.0):
        export = Export("tests.experiments.test_offline:Lowest", CHUNK, explore=explore)
        games = played(export)[0]
        assert actions_of([games]) == actions_of(played(export))
        steps = replay(games, rules)
        before = np.delete(np.arange(len(steps.scores)), np.cumsum(steps.lengths + 1) - 1)
        mask = steps.observations["action_mask"][before] == 1
        assert mask[np.arange(len(mask)), steps.actions].all()
        chances = explore * (1 - 1 / mask.sum(axis=1))
        differs = steps.actions != np.argmax(mask, axis=1)
        deviation = np.sqrt(np.sum(chances * (1 - chances)))
        assert abs(differs.sum() - chances.sum()) <= 4 * deviation
        assert differs.any() == (explore > 0)


def test_an_exploring_oracle_goes_on_from_where_it_is() -> None:
    """It solves what is left, so that it ends between the best score and random play."""
    mean = {}
    for explore in (0.0, 0.2, 1.0):
        steps = replay(played(Export("oracle", 30, explore=explore))[0], Rules.easy)
        mean[explore] = steps.scores[np.cumsum(steps.lengths + 1) - 1].mean()
    assert mean[0.0] > mean[0.2] > mean[1.0]


def test_the_metadata_say_how_it_was_made(tmp_path: Path) -> None:
    export = Export("rollout", 2, options={"simulations": 2}, seed=5, rules=ODD, explore=0.25)
    dataset = write(tmp_path, export)
    metadata = dataset.storage.metadata
    assert dataset.id == "peaks/some-v0"
    assert metadata["algorithm_name"] == "rollout, 25 % of the actions random"
    assert "2 games of the agent rollout" in metadata["description"]
    made = metadata["tripeaks"]
    assert made["versions"].keys() >= {"python", "numpy", "minari", "tripeaks-env"}
    assert (made["agent"], made["options"], made["seed"]) == ("rollout", {"simulations": 2}, 5)
    assert (made["explore"], made["split"]) == (0.25, "train")
    assert gymnasium.make("TriPeaks-v0", rules=made["rules"]).unwrapped.rules == ODD  # type: ignore[attr-defined]


@pytest.mark.slow
def test_minari_finds_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In its default folder, whole, and it goes through the functions that libraries use."""
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path / "all"))
    export = Export("opener", 20)
    path = write_dataset("peaks/opener-v0", played(export), export)
    assert path == tmp_path / "all" / "peaks" / "opener-v0"
    assert list(minari.list_local_datasets()) == ["peaks/opener-v0"]
    dataset = minari.load_dataset("peaks/opener-v0")
    megabytes = sum(file.stat().st_size for file in path.rglob("*.*")) / 1e6
    assert dataset.storage.metadata["dataset_size"] == pytest.approx(megabytes, abs=0.06)
    won = dataset.filter_episodes(lambda episode: not episode.observations["tableau"][-1].any())
    metadatas = list(dataset.storage.get_episode_metadata(range(20)))
    assert won.total_episodes == sum(bool(metadata["won"]) for metadata in metadatas) > 0
    parts = minari.split_dataset(dataset, [15, 5], seed=0)
    assert [part.total_episodes for part in parts] == [15, 5]
    assert len(dataset.sample_episodes(4)) == 4
    minari.combine_datasets([dataset, dataset], "peaks/both-v0")
    assert minari.load_dataset("peaks/both-v0").total_steps == 2 * dataset.total_steps


def test_it_is_laid_out_as_by_minari(tmp_path: Path) -> None:
    """Minari's own writer makes the same groups, types and values of the episodes."""
    dataset = write(tmp_path, Export("random", 2, rules=Rules.traditional))
    storage = MinariStorage.new(tmp_path / "own", dataset.observation_space, dataset.action_space)
    for episode, metadata in zip(dataset, dataset.storage.get_episode_metadata(range(2)), strict=True):
        parts = {name: getattr(episode, name) for name in ("observations", "actions", "rewards", "infos")}
        ends = {"terminations": episode.terminations, "truncations": episode.truncations}
        storage.update_episodes([EpisodeBuffer(options=metadata["options"], **parts, **ends)])
    ours, own = (contents(folder / DATA_FILE) for folder in (dataset.storage.data_path, tmp_path / "own"))
    assert ours.keys() - own.keys() == {f"episode_{i}@{name}" for i in range(2) for name in ("score", "won")}
    for name, value in own.items():
        assert np.array_equal(ours[name], value)
        assert np.asarray(ours[name]).dtype == np.asarray(value).dtype


def contents(path: Path) -> dict[str, Any]:
    """Return all arrays and attributes of an HDF5 file, by name."""
    found: dict[str, Any] = {}

    def visit(name: str, item: h5py.Group | h5py.Dataset) -> None:
        found.update({f"{name}@{key}": value for key, value in item.attrs.items()})
        if isinstance(item, h5py.Dataset):
            found[name] = item[()]

    with h5py.File(path) as file:
        file.visititems(visit)
    return found


def test_made_twice_it_has_the_same_bytes(tmp_path: Path) -> None:
    export = Export("random", 9, explore=0.1, rules=Rules.traditional)
    folders = [write(tmp_path / name, export).storage.data_path for name in ("one", "two")]
    files = [sorted(file.name for file in folder.iterdir()) for folder in folders]
    assert files == [["main_data.hdf5", "metadata.json"]] * 2
    for name in files[0]:
        assert (folders[0] / name).read_bytes() == (folders[1] / name).read_bytes()


@pytest.mark.parametrize(
    "dataset_id", ["", "some", "../some-v0", "/some-v0", "peaks//some-v0", "so me-v0", "some-v", "-v0"]
)
def test_wrong_ids_are_refused(tmp_path: Path, dataset_id: str) -> None:
    with pytest.raises(ConfigError, match="it must be like tripeaks/opener-v0") as error:
        dataset_path(dataset_id, tmp_path)
    assert "\n" not in str(error.value)


def test_what_is_there_is_kept_unless_overwritten(tmp_path: Path) -> None:
    old = write(tmp_path, Export("random", 2))
    with pytest.raises(
        ConfigError, match=r"data set peaks/some-v0 is there already, in .*; take another id, or overwrite"
    ):
        write(tmp_path, Export("random", 3))
    assert minari.MinariDataset(old.storage.data_path).total_episodes == 2
    assert write(tmp_path, Export("random", 3), overwrite=True).total_episodes == 3
    assert [file.name for file in tmp_path.iterdir()] == ["peaks"]
    with pytest.raises(ConfigError, match="is a data set; the data set peaks/some-v0/more-v0 cannot be in it"):
        dataset_path("peaks/some-v0/more-v0", tmp_path)
    (tmp_path / "mine-v0").mkdir()
    with pytest.raises(ConfigError, match="is there already and no data set"):
        dataset_path("mine-v0", tmp_path, overwrite=True)
    (tmp_path / "file").touch()
    with pytest.raises(ConfigError, match="is a file; it must be a folder"):
        dataset_path("file/some-v0", tmp_path)
    with pytest.raises(ConfigError, match="cannot be written to"):
        write_dataset("some-v0", [], Export("random", 1), root=Path("/proc/x"))


@pytest.mark.parametrize("error", [KeyboardInterrupt, AgentError("lost")], ids=["interrupt", "error"])
def test_interrupted_writing_leaves_nothing(tmp_path: Path, error: type[BaseException] | BaseException) -> None:
    export = Export("random", 5)

    def broken() -> Iterator[Games]:
        yield halves(played(export)[0])[0]
        raise error

    finished: list[int] = []
    with pytest.raises(error if isinstance(error, type) else type(error)):
        write_dataset("peaks/some-v0", broken(), export, root=tmp_path, finished=finished.append)
    assert finished == [2]
    assert list(tmp_path.iterdir()) == []
    write(tmp_path, Export("random", 2))
    with pytest.raises(error if isinstance(error, type) else type(error)):
        write_dataset("peaks/some-v0", broken(), export, root=tmp_path, overwrite=True)
    assert minari.MinariDataset(tmp_path / "peaks" / "some-v0" / "data").total_episodes == 2
    assert [file.name for file in tmp_path.iterdir()] == ["peaks"]


def test_lines_that_are_no_whole_games_are_refused(tmp_path: Path) -> None:
    export = Export("greedy", 3)
    (games,) = played(export)
    actions, lengths = games.lines
    for change in (-1, 1):
        longer = np.array(lengths)
        longer[1] += change
        with pytest.raises(ValueError, match=r"the line of deal TP1-E-[A-Z]{7} is no whole game: action"):
            replay(Games(games.numbers, Lines(actions, longer)), Rules.easy)
    with pytest.raises(ValueError, match="there are 3 games; they must be 4"):
        write_dataset("some-v0", [games], Export("greedy", 4), root=tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("values", "named"),
    [
        ({"episodes": 0}, "episodes is 0; it must be 1 to"),
        ({"seed": -1}, "seed is -1; it must be 0 to"),
        ({"explore": 1.5}, "explore is 1.5; it must be a probability"),
        ({"explore": float("nan")}, "explore is nan; it must be a probability"),
        ({"options": {"depth": {3}}}, "they must be texts, finite numbers,"),
    ],
)
def test_wrong_exports_are_refused(values: dict[str, Any], named: str) -> None:
    with pytest.raises(ConfigError, match=named):
        Export(**{"agent": "random", "episodes": 1, **values})


def test_tasks_can_be_sent_to_other_processes() -> None:
    (task,) = Export("random", 3, rules=ODD, explore=0.5, options={}).tasks()
    copy = pickle.loads(pickle.dumps(task))
    assert isinstance(copy, Task)
    assert np.array_equal(copy.numbers, task.numbers)
    assert actions_of([record_games(copy)]) == actions_of([record_games(task)])
