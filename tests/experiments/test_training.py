"""Expert iteration, the rewards without luck, and learning curves."""

import io
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
import torch
from rich.console import Console
from rich.progress import Progress

import agents
from agents.learned.policy_network import PolicyNetwork
from agents.learned.value_network import evaluate, working_memory
from experiments.comparison.report import write_comparison
from experiments.config import CompareConfig, ConfigError, IterationConfig, TrainConfig, ValuePart, load_training
from experiments.games.play import play
from experiments.pages.curves import config_of, final_line, intervals, read_curves
from experiments.pages.results import write_page
from experiments.runs.provenance import provenance
from experiments.training import expert_iteration, ppo
from experiments.training.distillation import VALUES, decisions, distil
from experiments.training.folder import claim, read_state, write_state
from experiments.training.rewards import AdvantageReward
from experiments.training.self_play import Record, input_lists, new_record, outcomes, play_games, returns
from experiments.training.value_learner import ValueLearner
from tests.agents.test_expectation import random_network
from tests.common import RULES, compared, exhaustive, slow
from tripeaks_env import Rules, sample_actions
from tripeaks_env.env.splits import is_evaluation, random_numbers
from tripeaks_env.game.engine import GAME, tables
from tripeaks_env.sb3 import TriPeaksVecEnv

TINY: dict[str, Any] = {
    "name": "tiny",
    "method": "expert-iteration",
    "iterations": 5,
    "games": 24,
    "evaluate_every": 2,
    "evaluation_deals": 8,
    "value": {"hidden": [16, 4], "batch_size": 32, "window": 2},
    "policy": {"games": 10, "epochs": 2, "batch_size": 16, "hidden": [8], "positions": 500, "depth": 1},
}


def numbers(count: int, seed: int = 0) -> np.ndarray:
    return random_numbers(np.random.default_rng(seed), "train", count)


def iterate(folder: Path, **changes: Any) -> None:
    with Progress(disable=True) as progress:
        expert_iteration.train(IterationConfig.model_validate(TINY | changes), folder, progress)


@pytest.mark.slow
def test_self_play_is_the_same_with_threads_and_takes_the_best_action() -> None:
    network = random_network()
    one, two = (
        play_games(numbers(150), Rules.easy, network, np.random.default_rng(1), explore=0.1, threads=threads)
        for threads in (1, 2)
    )
    for first, second in zip(one, two, strict=True):
        assert first.tobytes() == second.tobytes()
    reached = one.reached
    assert np.array_equal(one.best[reached], one.action_values[reached].max(axis=1))
    moves = one.games["line"][reached]
    best = one.action_values[reached].argmax(axis=1)
    assert np.array_equal(one.explored[reached], moves != best)
    assert 0.02 < one.explored[reached].mean() < 0.1


@pytest.mark.slow
def test_games_with_full_exploration_take_a_card_where_there_is_one() -> None:
    found = play_games(numbers(40), Rules.easy, random_network(), np.random.default_rng(1), explore=1.0)
    legal = found.action_values[found.reached] > -1e8
    draws = found.games["line"][found.reached] == 28
    assert np.array_equal(draws, ~legal[:, :28].any(axis=1))


def test_returns_without_luck_are_as_hand_made_ones() -> None:
    """One game of three positions: what was drawn counts by its expectation, and a random action cuts."""
    record = new_record(np.zeros(2, GAME))
    record.lengths[:] = 3
    record.values[:, :3] = [[1.0, 2.0, 4.0], [1.0, 2.0, 4.0]]
    record.best[:, :3] = [[1.5, 2.5, 5.0], [1.5, 2.5, 5.0]]
    record.explored[1, 0] = True
    found = returns(record, 0.5)[:, :3]
    last = 5.0
    middle = 2.5 + 0.5 * (last - 4.0)
    assert found.tolist() == [[1.5 + 0.5 * (middle - 2.0), middle, last], [1.5, middle, last]]


@pytest.mark.parametrize("count", [*slow(1000), *exhaustive(4000)])
def test_returns_of_any_network_are_right_on_average(count: int) -> None:
    """With a trace of 1 they are unbiased, however wrong the network is: their mean is that of what really happened."""
    found = play_games(numbers(count), Rules.easy, random_network(), np.random.default_rng(1))
    first, real = returns(found, 1.0)[:, 0], outcomes(found, 3.0)[:, 0]
    error = np.std(first - real) / len(first) ** 0.5
    assert abs(np.mean(first - real)) < 3.5 * error
    assert real.std() > 0.1


@pytest.mark.slow
@pytest.mark.parametrize("name", ["easy", *slow("traditional", "wild-empty-classic")])
def test_advantages_add_up_to_the_outcome_less_luck(name: str) -> None:
    """Over an episode their mean is that of the outcome less the value of the start: luck is nothing on average."""
    rules = RULES[name]
    games = TriPeaksVecEnv(256, rules=rules, skip_forced=True)
    learner = ValueLearner(ValuePart(hidden=[16, 4]), rules, 300.0, 0, torch.device("cpu"))
    env = AdvantageReward(games, learner, refit=10**9)
    env.seed(0)
    observation = env.reset()
    assert isinstance(observation, dict)
    rng = np.random.default_rng(0)
    totals, differences = np.zeros(256), []
    for _ in range(150):
        assert isinstance(observation, dict)
        mask = observation["action_mask"].copy()
        mask[mask[:, :28].any(axis=1), 28] = 0
        observation, rewards, done, infos = env.step(sample_actions(mask, rng))
        totals += rewards
        for i in done.nonzero()[0]:
            outcome = infos[i]["episode"]["r"] / 100 + 3.0 * (infos[i]["status"] == "won")
            differences.append(totals[i] + env.record.values[i, 0] - outcome)
            totals[i] = 0
    assert len(differences) > 500
    assert abs(np.mean(differences)) < 3.5 * np.std(differences) / len(differences) ** 0.5
    assert sum(len(targets) for _, targets in env.harvest) > 10_000


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # of TensorBoard
def test_expert_iteration_goes_on_as_if_never_interrupted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Killed in every iteration, and before the policy learns, it ends with the same files."""
    iterate(tmp_path / "whole")
    for name in ("_play_round", "distil"):
        real, calls = getattr(expert_iteration, name), list[int]()

        def killed(*arguments: Any, calls: list[int] = calls, real: Any = real) -> Any:
            calls.append(1)
            if len(calls) % 2:
                raise KeyboardInterrupt
            return real(*arguments)

        monkeypatch.setattr(expert_iteration, name, killed)
    for _ in range(TINY["iterations"] + 1):
        with pytest.raises(KeyboardInterrupt):
            iterate(tmp_path / "parts", threads=2)
    iterate(tmp_path / "parts")
    for name in ("value.safetensors", "policy.safetensors"):
        assert (tmp_path / "whole" / name).read_bytes() == (tmp_path / "parts" / name).read_bytes()
    whole, parts = ((tmp_path / name / "curve.csv").read_text().splitlines() for name in ("whole", "parts"))
    assert [row.split(",")[0] for row in whole] == ["iterations", "2", "4", "5"]
    assert [row.split(",")[2:] for row in whole] == [row.split(",")[2:] for row in parts]
    assert len(list((tmp_path / "parts" / "rounds").iterdir())) == 2

    for name, file in (("network", "policy"), ("lookahead", "value")):
        agent = agents.make(name, checkpoint=str(tmp_path / "whole" / f"{file}.safetensors"))
        assert (play(agent, numbers(3).tolist(), Rules.easy).games["length"] > 20).all()
    with pytest.raises(ConfigError, match="another config"):
        iterate(tmp_path / "whole", iterations=6)
    before = (tmp_path / "whole" / "policy-curve.csv").read_bytes()
    iterate(tmp_path / "whole")  # is finished
    assert (tmp_path / "whole" / "policy-curve.csv").read_bytes() == before
    monkeypatch.undo()
    for name in ("value.safetensors", "policy.safetensors", "decisions/00000000.npz", "rounds/000004.npz"):
        kept = tmp_path / "parts" / name
        kept.write_bytes(kept.read_bytes()[:100])
        iterate(tmp_path / "parts")  # makes again what is damaged, if it is needed
    (tmp_path / "parts" / "policy.safetensors").unlink()
    iterate(tmp_path / "parts")
    for name in ("value.safetensors", "policy.safetensors"):
        assert (tmp_path / "whole" / name).read_bytes() == (tmp_path / "parts" / name).read_bytes()
    (tmp_path / "parts" / "checkpoint.pt").write_bytes(b"half a file")
    with pytest.raises(ConfigError, match="delete it to start anew"):
        iterate(tmp_path / "parts")


def test_a_damaged_round_that_is_needed_is_named(tmp_path: Path) -> None:
    claim(tmp_path, IterationConfig.model_validate(TINY))
    learner = ValueLearner(ValuePart(hidden=[16, 4]), Rules.easy, 300.0, 0, torch.device("cpu"))
    write_state(tmp_path / "checkpoint.pt", {"iterations": 1, **learner.state()})
    (tmp_path / "rounds").mkdir()
    (tmp_path / "rounds" / "000000.npz").write_bytes(b"half a file")
    with pytest.raises(ConfigError, match=r"000000\.npz cannot be read; delete .*checkpoint\.pt to start anew"):
        iterate(tmp_path)


@pytest.mark.slow
def test_value_network_learns_what_it_is_shown() -> None:
    """The average network comes to say what the targets were, here the cards that are left, in what the search calls."""
    found = play_games(numbers(60), Rules.easy, random_network(), np.random.default_rng(1), explore=1.0)
    positions = found.positions[found.reached]
    targets = (np.bitwise_count(positions["remaining"]) / 10).astype(np.float32)
    learner = ValueLearner(
        ValuePart(hidden=[32, 8], average=0.9, learning_rate=5e-3), Rules.easy, 300.0, 0, torch.device("cpu")
    )
    lists, rng = input_lists(positions, Rules.easy), np.random.default_rng(0)
    losses = [learner.train(lists, targets, 20, rng) for _ in range(6)]
    assert losses[-1] < 0.1 * losses[0]
    network = learner.network()
    work = working_memory(network)
    said = np.array([evaluate(position, tables(Rules.easy)[0], network, work) for position in positions])
    assert np.corrcoef(said, targets)[0, 1] > 0.95
    with torch.no_grad():
        next(learner.average.module.parameters()).fill_(torch.nan)
    with pytest.raises(ConfigError, match="has diverged"):
        learner.network()


@pytest.mark.slow
def test_policy_network_learns_what_the_search_prefers(tmp_path: Path) -> None:
    policy = {"games": 60, "epochs": 12, "batch_size": 64, "hidden": [64], "depth": 1, "temperature": 3.0}
    config = IterationConfig.model_validate(TINY | {"policy": policy})
    with Progress(disable=True) as progress:
        distil(config, random_network(), tmp_path, torch.device("cpu"), progress)
        data = decisions(config, random_network(), tmp_path / "decisions", progress)
    best = data.pop(VALUES).argmax(axis=1)
    agent = agents.make("network", checkpoint=str(tmp_path / "policy.safetensors"))
    chance = (1 / data["action_mask"].sum(axis=1)).mean()
    assert np.mean(agent.act(data, data["action_mask"]) == best) > chance + 0.12
    few = config.model_copy(update={"policy": config.policy.model_copy(update={"batch_size": 10**6})})
    with pytest.raises(ConfigError, match="batch_size is 1000000; it must be"), Progress(disable=True) as progress:
        distil(few, random_network(), tmp_path, torch.device("cpu"), progress)


@pytest.mark.slow
def test_rewards_follow_the_policy_by_training_their_network_again() -> None:
    games = TriPeaksVecEnv(8, skip_forced=True)
    learner = ValueLearner(ValuePart(hidden=[16, 4]), Rules.easy, 300.0, 0, torch.device("cpu"))
    env = AdvantageReward(games, learner, refit=500)
    env.seed(0)
    observation, rng, before = env.reset(), np.random.default_rng(0), env.network
    for _ in range(60):
        assert isinstance(observation, dict)
        observation, *_ = env.step(sample_actions(observation["action_mask"], rng))
    assert not np.array_equal(env.network.rows, before.rows)
    assert 1 <= len(env.kept) <= 8


@pytest.mark.parametrize("value", [None, *slow({"hidden": [16, 4], "batch_size": 32})])
def test_games_go_on_from_a_checkpoint_as_if_there_had_been_none(value: dict[str, Any] | None, tmp_path: Path) -> None:
    settings = {
        "name": "x",
        "total_steps": 8,
        "num_envs": 8,
        "n_steps": 4,
        "batch_size": 8,
        "refit": 500,
        "value": value,
    }
    config = TrainConfig.model_validate(settings)
    env = ppo.training_games(config)
    env.seed(0)
    observation, rng = env.reset(), np.random.default_rng(0)
    for _ in range(20):
        assert isinstance(observation, dict)
        observation, *_ = env.step(sample_actions(observation["action_mask"], rng))
    write_state(tmp_path / "state", env.state())
    other, statuses = ppo.training_games(config), set()
    other.load_state(read_state(tmp_path / "state"))
    for _ in range(100):
        assert isinstance(observation, dict)
        mask = observation["action_mask"].copy()
        mask[mask[:, :28].any(axis=1), 28] = 0
        actions = sample_actions(mask, rng)
        (observation, rewards, done, infos), found = env.step(actions), other.step(actions)
        assert isinstance(observation, dict)
        for key, part in observation.items():
            assert np.array_equal(part, found[0][key])  # type: ignore[call-overload]
        assert np.array_equal(rewards, found[1])
        assert np.array_equal(done, found[2])
        assert [(info["status"], info["deal_code"]) for info in infos] == [
            (info["status"], info["deal_code"]) for info in found[3]
        ]
        statuses |= {info["status"] for info in infos}
    assert {"won", "playing"} <= statuses


class RunsCode:
    """Writes a file when it is unpickled.

    Args:
        path: the file.
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[Any, ...]:
        return Path.touch, (self.path,)


PPO: dict[str, Any] = {"name": "x", "total_steps": 8, "num_envs": 2, "n_steps": 4, "batch_size": 8, "device": "cpu"}


@pytest.mark.parametrize(
    ("config", "train"),
    [
        (TrainConfig.model_validate(PPO), ppo.train),
        (IterationConfig.model_validate(TINY), lambda config, folder: iterate(folder)),
    ],
    ids=["ppo", "expert-iteration"],
)
def test_no_code_of_a_foreign_checkpoint_is_run(config: Any, train: Any, tmp_path: Path) -> None:
    """One without the config of its training is not even looked into."""
    torch.save({"iterations": 1, "games": RunsCode(tmp_path / "touched")}, tmp_path / "checkpoint.pt")
    with pytest.raises(ConfigError, match=r"has a checkpoint.pt without its config.yaml; give another one"):
        train(config, tmp_path)
    (tmp_path / "checkpoint.pt").rename(tmp_path / "kept")
    claim(tmp_path, config)
    (tmp_path / "kept").rename(tmp_path / "checkpoint.pt")
    with pytest.raises(ConfigError, match=r"checkpoint.pt cannot be read \(\w+\); delete it to start anew$"):
        train(config, tmp_path)
    assert not (tmp_path / "touched").exists()


@pytest.mark.filterwarnings("ignore")  # of the training library
def test_ppo_starts_from_a_policy_network(tmp_path: Path) -> None:
    settings = {"name": "x", "total_steps": 8, "num_envs": 2, "hidden": [8], "n_steps": 4, "batch_size": 8}
    start = PolicyNetwork(Rules.easy, [8])
    start.save(tmp_path / "start.safetensors", "network")
    config = TrainConfig.model_validate(settings | {"start": str(tmp_path / "start.safetensors")})
    model = ppo.new_model(config, ppo.training_games(config), "cpu")
    begun = PolicyNetwork.of_sb3(model.policy, Rules.easy, [8])  # type: ignore[arg-type]
    for weights, before in zip(begun.parameters(), start.parameters(), strict=True):
        torch.testing.assert_close(weights, before, rtol=1e-3, atol=1e-4)
    with pytest.raises(ConfigError, match=r"start has hidden layers \[8\]; hidden is \[9\]"):
        ppo.new_model(config.model_copy(update={"hidden": [9]}), ppo.training_games(config), "cpu")


@pytest.mark.slow
def test_training_never_deals_evaluation_deals(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    dealt: list[int] = []
    real = play_games

    def watched(numbers: np.ndarray, *arguments: Any, **options: Any) -> Record:
        dealt.extend(numbers.tolist())
        return real(numbers, *arguments, **options)

    monkeypatch.setattr(expert_iteration, "play_games", watched)
    iterate(tmp_path, iterations=1)
    assert len(dealt) == TINY["games"] + TINY["evaluation_deals"]
    assert not any(is_evaluation(number) for number in dealt)


def test_curves_of_several_seeds(tmp_path: Path) -> None:
    for seed, rates in enumerate(((0.0, 0.40), (0.1, 0.42), (0.2, 0.44))):
        folder = tmp_path / f"x-seed{seed}"
        folder.mkdir()
        (folder / "config.yaml").write_text(f"name: x\nseed: {seed}\n")
        rows = [f"{100 * i},{i},{rate},500.0" for i, rate in enumerate(rates)]
        (folder / "curve.csv").write_text("\n".join(["steps,seconds,win_rate,score", *rows]) + "\n")
    folders = sorted(tmp_path.iterdir())
    unit, table = read_curves(folders)
    assert unit == "steps"
    across = intervals(table)
    assert across["mean"].tolist() == pytest.approx([0.1, 0.42])
    # Student's t with two degrees of freedom: 4.3027 standard errors
    assert across["low"].tolist() == pytest.approx([0.0, 0.42 - 4.302653 * 0.02 / 3**0.5], abs=1e-6)  # no share below 0
    assert "over 3 seeds, 42.0 %" in final_line(table)
    with pytest.raises(ConfigError, match="has the seed 0, as another one has"):
        read_curves([folders[0], folders[0]])
    (folders[1] / "config.yaml").write_text("name: y\nseed: 1\n")
    with pytest.raises(ConfigError, match="in more than the seed"):
        read_curves(folders)
    with pytest.raises(ConfigError, match="holds no training"):
        read_curves([tmp_path / "nowhere"])
    (folders[1] / "config.yaml").write_text("name: ../../x\nseed: 1\n")
    with pytest.raises(ConfigError, match=r"name is '../../x' and seed 1; they must be those of a training"):
        config_of(folders[1])


def test_method_of_a_training_is_read_from_its_config(tmp_path: Path) -> None:
    path = tmp_path / "config.yaml"
    path.write_text("name: x\nmethod: expert-iteration\niterations: 3\n")
    assert isinstance(load_training(path), IterationConfig)
    path.write_text("name: x\ntotal_steps: 3\nnum_envs: 1\nn_steps: 2048\n")
    assert isinstance(load_training(path), TrainConfig)
    path.write_text("name: x\nmethod: dreaming\ntotal_steps: 3\n")
    with pytest.raises(ConfigError, match="method is 'dreaming'; it must be ppo or"):
        load_training(path)


@pytest.mark.slow
def test_results_page_has_the_numbers_of_its_folders(tmp_path: Path) -> None:
    seeds = [{"agent": "opener", "label": f"opener {seed}", "seed": seed, "group": "openers"} for seed in (1, 2)]
    config = CompareConfig.model_validate(
        {"name": "few", "deals": {"count": 30}, "agents": ["opener", "oracle", *seeds], "moves": 0}
    )
    found = compared(config, tmp_path)
    table, milliseconds = found.results, found.milliseconds
    write_comparison(tmp_path / "few", config, found, provenance(), Console(file=io.StringIO()))
    folder = tmp_path / "x-seed0"
    folder.mkdir()
    (folder / "config.yaml").write_text("name: x\nseed: 0\n")
    (folder / "curve.csv").write_text("steps,seconds,win_rate,score\n0,0,0.25,500.0\n")
    page = tmp_path / "page.md"
    write_page([tmp_path / "few"], [folder], "some command", page)
    text = page.read_text()
    opener = table[table["agent"] == "opener"]
    assert f"| opener | {100 * opener['won'].mean():.1f} (" in text
    assert f"{milliseconds['opener'] * 30 / opener['moves'].sum():.3g} |" in text
    assert "| oracle * |" in text
    rates = [table[table["agent"] == f"opener {seed}"]["won"].mean() * 100 for seed in (1, 2)]
    assert f"| openers, 2 seeds | win rate, % | {np.mean(rates):.1f} | {np.std(rates, ddof=1):.2f} |" in text
    assert "with one seed, 25.0 %" in text
    assert "some command" in text
    assert {"page-strength.svg", "page-x.svg"} <= {file.name for file in tmp_path.iterdir()}
    summary = (tmp_path / "few" / "summary.json").read_text().replace('"opener"', r'"<b>\u001b[31m|`[x](y)$\\frac$"')
    (tmp_path / "few" / "summary.json").write_text(summary)
    write_page([tmp_path / "few"], [], "some command", page)
    assert r"| &lt;b&gt;\\x1b\[31m\|\`\[x\](y)$\\frac$ |" in page.read_text()
    ElementTree.parse(tmp_path / "page-strength.svg")
    with pytest.raises(ConfigError, match="holds no comparison"):
        write_page([folder], [], "some command", page)
