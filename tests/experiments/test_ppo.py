"""The PPO agent: its inputs, its training and its checkpoints."""

import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest
import torch
from safetensors import safe_open
from safetensors.torch import load_file, save_file
from sb3_contrib import MaskablePPO
from stable_baselines3.common.env_checker import check_env as check_sb3
from stable_baselines3.common.env_util import make_vec_env

import agents
from agents.learned.checkpoint import SHIPPED
from agents.learned.policy_network import PolicyNetwork, PPOAgent, RelativeRanks
from experiments.config import ConfigError, TrainConfig
from experiments.games.play import play
from experiments.training import ppo
from experiments.training.folder import Curve, claim, write_state
from experiments.training.ppo import Bar, train
from experiments.training.rewards import KeptGames, ShapedReward
from tests.common import slow
from tripeaks_env import Rules, TriPeaksEnv, sample_actions, suite
from tripeaks_env.game.deals import lay_out, shuffle
from tripeaks_env.game.engine import new_games, play_actions
from tripeaks_env.game.observation import Observation, observation_space, observe
from tripeaks_env.sb3 import TriPeaksVecEnv

RULES = [Rules.easy, Rules.classic, Rules.traditional, Rules(wild=True, empty_waste=True), Rules(open_peaks=True)]


def positions(rules: Rules, count: int = 200, seed: int = 0) -> np.ndarray:
    """Return games in progress after 0 to 30 random legal actions."""
    rng = np.random.default_rng(seed)
    games = new_games(lay_out(*shuffle(rng.integers(26**7, size=count)), rules), rules)
    lengths = rng.integers(0, 31, size=count)
    for length in range(30):
        mask = observe(games, rules)["action_mask"]
        going = (length < lengths) & (mask.sum(axis=1) > 0)
        actions = np.argmax(np.where(mask == 1, rng.random(mask.shape), -1), axis=1)
        after = games.copy()
        over = play_actions(after, actions, rules).over
        games = np.where(going & ~over, after, games)
    return games


def features(rules: Rules, observation: Observation) -> torch.Tensor:
    extractor = RelativeRanks(observation_space(rules), rules.wrap)
    return extractor({key: torch.from_numpy(value) for key, value in observation.items()})


@pytest.mark.parametrize("rules", RULES, ids=str)
def test_inputs_have_the_promised_shape_and_are_small_numbers(rules: Rules) -> None:
    inputs = features(rules, observe(positions(rules), rules))
    assert inputs.shape == (200, RelativeRanks(observation_space(rules), rules.wrap).features_dim)
    assert inputs.abs().max() <= 28
    assert len(torch.unique(inputs, dim=0)) > 150


def test_adding_a_constant_to_every_rank_leaves_the_inputs_as_they_are() -> None:
    observation = observe(positions(Rules.easy), Rules.easy)
    inputs = features(Rules.easy, observation)
    for shift in (1, 6, 12):
        rotated = observation | {"unseen": np.roll(observation["unseen"], shift, axis=1)}
        for part in ("tableau", "waste"):
            ranks = observation[part]
            is_rank = (ranks >= 1) & (ranks <= 13)
            rotated[part] = np.where(is_rank, (ranks - 1 + shift) % 13 + 1, ranks)
        assert torch.equal(features(Rules.easy, rotated), inputs)


@pytest.mark.parametrize("rules", [Rules.easy, Rules.classic], ids=str)
def test_inputs_count_what_a_removal_frees_and_what_may_follow(rules: Rules) -> None:
    games = positions(rules)
    inputs = features(rules, observe(games, rules)).numpy()
    start = 28 * 15 + 13 + 29
    frees, follow = inputs[:, start : start + 28], 4 * inputs[:, start + 28 : start + 56]
    seen = 0
    for row, game in enumerate(games):
        observation = {key: value[0] for key, value in observe(games[row : row + 1], rules).items()}
        for position in np.flatnonzero(observation["action_mask"][:28]):
            after = games[row : row + 1].copy()
            play_actions(after, np.array([position]), rules)
            shown = observe(after, rules)
            turned_up = (observation["tableau"] == 14) & (shown["tableau"][0] < 14)
            legal = np.flatnonzero(shown["action_mask"][0, :28])
            assert frees[row, position] == turned_up.sum()
            assert follow[row, position] == sum(not turned_up[other] for other in legal)
            seen += 1
        assert not frees[row][observation["action_mask"][:28] == 0].any()
        assert game["length"] <= 30
    assert seen > 100


def test_shaped_rewards_add_up_to_score_and_bonus() -> None:
    """Over an episode, the rewards are the points of score, scaled, and the bonus if the game is won."""
    env = ShapedReward(TriPeaksVecEnv(20, skip_forced=True), win_bonus=300)
    env.seed(0)
    observation = env.reset()
    rng = np.random.default_rng(0)
    totals = np.zeros(20)
    won = ended = 0
    for _ in range(120):
        assert isinstance(observation, dict)
        mask = observation["action_mask"].copy()
        mask[mask[:, :28].any(axis=1), 28] = 0  # draws only if nothing can be removed
        observation, rewards, done, infos = env.step(sample_actions(mask, rng))
        totals += rewards
        for i in done.nonzero()[0]:
            info = infos[i]
            points = info["episode"]["r"]
            assert points == info["score"] - 500
            assert totals[i] == pytest.approx(points / 100 + 3 * (info["status"] == "won"), abs=1e-5)
            won += info["status"] == "won"
            totals[i] = 0
            ended += 1
    assert 5 < won < ended


TINY = {"name": "tiny", "total_steps": 256, "num_envs": 2, "hidden": [8], "n_steps": 64, "batch_size": 64}


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # of the training library and TensorBoard
def test_training_keeps_goes_on_and_repeats_itself(tmp_path: Path) -> None:
    config = TrainConfig.model_validate(TINY | {"evaluate_every": 128, "evaluation_deals": 10})
    for folder in (tmp_path / "one", tmp_path / "two"):
        train(config, folder)
        assert {"agent.safetensors", "checkpoint.pt", "config.yaml", "curve.csv"} <= {f.name for f in folder.iterdir()}
    weights = [(tmp_path / name / "agent.safetensors").read_bytes() for name in ("one", "two")]
    assert weights[0] == weights[1]
    curve = (tmp_path / "one" / "curve.csv").read_text().splitlines()
    assert [row.split(",")[0] for row in curve] == ["steps", "0", "128", "256"]

    agent = PPOAgent(Rules.easy, checkpoint=tmp_path / "one" / "agent.safetensors")
    assert (play(agent, suite(5), Rules.easy).games["length"] > 20).all()

    for damaged in (b"", weights[0][:100], None):  # the agent is written again from the checkpoint
        agent_file = tmp_path / "one" / "agent.safetensors"
        agent_file.unlink() if damaged is None else agent_file.write_bytes(damaged)
        train(config, tmp_path / "one")
        assert agent_file.read_bytes() == weights[0]

    longer = TrainConfig.model_validate(config.model_dump() | {"total_steps": 512, "rules": "easy"})
    with pytest.raises(ConfigError, match="another config"):
        train(longer, tmp_path / "one")
    settings = tmp_path / "one" / "config.yaml"
    settings.write_text(settings.read_text().replace("total_steps: 256", "total_steps: 512"))
    checkpoint = tmp_path / "one" / "checkpoint.pt"
    kept = checkpoint.read_bytes()
    checkpoint.write_bytes(kept[:1000])
    with pytest.raises(ConfigError, match="delete it to start anew"):
        train(longer, tmp_path / "one")
    checkpoint.write_bytes(kept)
    train(longer, tmp_path / "one")
    curve = (tmp_path / "one" / "curve.csv").read_text().splitlines()
    assert [row.split(",")[0] for row in curve] == ["steps", "0", "128", "256", "384", "512"]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # of the training library and TensorBoard
@pytest.mark.parametrize("value", [None, *slow({"hidden": [16, 4], "batch_size": 32})])
def test_interrupted_training_says_where_it_goes_on_and_ends_with_the_same_agent(
    value: dict[str, Any] | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    more = {"total_steps": 512, "evaluate_every": 128, "evaluation_deals": 10, "refit": 200, "value": value}
    config = TrainConfig.model_validate(TINY | more)
    train(config, tmp_path / "whole")
    real_step, real_save = ppo.Keep._on_step, ppo.save

    def interrupted(at: int) -> str:
        """Return what a training says that is interrupted, in a step or before a checkpoint, at a number of steps."""

        def step(keep: ppo.Keep) -> bool:
            if keep.num_timesteps == at:
                raise KeyboardInterrupt
            return real_step(keep)

        def save(path: Path, model: MaskablePPO, envs: KeptGames) -> None:
            if model.num_timesteps == at:
                raise KeyboardInterrupt
            real_save(path, model, envs)

        monkeypatch.setattr(ppo.Keep, "_on_step", step)
        monkeypatch.setattr(ppo, "save", save)
        with pytest.raises(KeyboardInterrupt):
            train(config, tmp_path / "parts")
        return capsys.readouterr().out

    assert "Interrupted; the same command begins anew." in interrupted(0)
    assert "Interrupted; the same command goes on after 0 steps." in interrupted(20)
    monkeypatch.setattr(ppo, "new_model", None)  # there is a checkpoint from now on
    assert "Interrupted; the same command goes on after 128 steps." in interrupted(200)
    assert "Interrupted; the same command goes on after 256 steps." in interrupted(384)
    assert "Interrupted; the same command goes on after 384 steps." in interrupted(512)
    monkeypatch.undo()
    train(config, tmp_path / "parts")
    assert "goes on after 384 steps" in capsys.readouterr().out
    whole, parts = (tmp_path / name for name in ("whole", "parts"))
    assert (parts / "agent.safetensors").read_bytes() == (whole / "agent.safetensors").read_bytes()
    curves = [[row.split(",") for row in (each / "curve.csv").read_text().splitlines()] for each in (whole, parts)]
    assert [(at, rate, score) for at, _, rate, score in curves[0]] == [
        (at, rate, score) for at, _, rate, score in curves[1]
    ]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # of the training library and TensorBoard
def test_a_training_that_diverges_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ppo, "_falling", lambda *_: 1e30)
    with pytest.raises(ConfigError, match="the policy network has diverged; lower its learning_rate"):
        train(TrainConfig.model_validate(TINY | {"evaluation_deals": 2, "value": None}), tmp_path)


def test_a_full_disk_is_an_error_of_the_system(tmp_path: Path) -> None:
    full = Path("/dev/full")
    if not full.exists():
        pytest.skip("there is no disk that is always full")
    with pytest.raises(OSError, match="No space left on device"):
        write_state(full, {"x": torch.zeros(9)})
    with pytest.raises(OSError, match="No space left on device"):
        PolicyNetwork(Rules.easy, [8]).save(full, "ppo")


@pytest.mark.parametrize("damaged", [b"\xff\xfe", b"steps,seconds\n1,\0"])
def test_a_damaged_folder_of_a_training_is_told_in_one_line(damaged: bytes, tmp_path: Path) -> None:
    (tmp_path / "curve.csv").write_bytes(damaged)
    with pytest.raises(ConfigError, match=r"learning curve .*curve\.csv cannot be read .*; delete it"):
        Curve(tmp_path / "curve.csv", "steps")
    (tmp_path / "config.yaml").write_bytes(damaged)
    with pytest.raises(ConfigError, match="holds a training of another config"):
        claim(tmp_path, TrainConfig.model_validate(TINY))


def test_a_start_that_is_not_there_is_refused_before_the_folder_is_claimed(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="start: no checkpoint at nowhere"):
        train(TrainConfig.model_validate(TINY | {"start": "nowhere"}), tmp_path)
    assert not list(tmp_path.iterdir())


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is CUDA")
def test_a_device_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="device is 'cuda'; this machine"):
        train(TrainConfig.model_validate(TINY | {"device": "cuda"}), tmp_path)


def test_shipped_agent_plays_alone_as_in_a_batch() -> None:
    agent = agents.make("ppo")
    games = positions(Rules.easy, 60)
    observation = observe(games, Rules.easy)
    together = agent.act(observation, observation["action_mask"])
    for row in range(len(games)):
        alone = {key: value[row : row + 1] for key, value in observation.items()}
        assert agent.act(alone, alone["action_mask"])[0] == together[row]
        assert alone["action_mask"][0, together[row]] == 1


def test_wrong_checkpoints_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "agent.safetensors"
    with pytest.raises(ValueError, match=r"no checkpoint at .*agent\.safetensors"):
        PPOAgent(Rules.easy, checkpoint=path)
    path.write_bytes(b"nothing")
    with pytest.raises(ValueError, match="cannot be read"):
        PPOAgent(Rules.easy, checkpoint=path)
    for header in (None, {"agent": "no json"}, {"agent": "[]"}, {"agent": "{}"}):
        save_file({"x": torch.zeros(1)}, path, header)
        with pytest.raises(ValueError, match=r"agent\.safetensors cannot be read"):
            PPOAgent(Rules.easy, checkpoint=path)
    save_file({"x": torch.zeros(1)}, path, {"agent": '{"format": "other"}'})
    with pytest.raises(ValueError, match="has the format 'other'"):
        PPOAgent(Rules.easy, checkpoint=path)
    with pytest.raises(ValueError, match=r"no checkpoint at .* for the rules"):
        agents.make("ppo", Rules(wild=True))


@pytest.mark.parametrize(("name", "kind"), [("ppo", "ppo"), ("network", "network"), ("lookahead", "value")])
def test_checkpoints_of_other_numbers_are_refused_by_every_agent(name: str, kind: str, tmp_path: Path) -> None:
    """NaN, an infinite number, one too large, and integers, in the last weights; and what is no path at all."""
    weights, path = load_file(SHIPPED / f"{kind}-easy.safetensors"), tmp_path / "x.safetensors"
    with safe_open(SHIPPED / f"{kind}-easy.safetensors", "pt") as file:
        header = file.metadata()
    last = sorted(weights)[-1]
    for number in (torch.nan, -torch.inf, 1e300):
        weights[last] = torch.full(weights[last].shape, number, dtype=torch.float64)
        save_file(weights, path, header)
        with pytest.raises(ValueError, match=rf"has weights '{last}' \(float64\) that are not finite floats"):
            agents.make(name, checkpoint=str(path))
    save_file({each: weight.int() for each, weight in weights.items()}, path, header)
    with pytest.raises(ValueError, match=r"\(int32\) that are not finite floats"):
        agents.make(name, checkpoint=str(path))
    wrongs: list[Any] = [[], {}, "", 0, False, ["x"]]
    for wrong in wrongs:
        with pytest.raises(ValueError, match=re.escape(f"checkpoint is {wrong!r}; it must be the path of a file")):
            agents.make(name, checkpoint=wrong)
    with pytest.raises(ValueError, match=r"is shipped for rules of one's own, .*; train one and give its path"):
        agents.make(name, Rules(wild=True, open_peaks=True))


@pytest.mark.filterwarnings("ignore")  # of the training library; the environment's own about rendering
def test_stable_baselines3_takes_the_environment_by_its_id() -> None:
    envs = make_vec_env("TriPeaks-v0", 2, seed=0)
    check_sb3(TriPeaksEnv())
    model = MaskablePPO("MultiInputPolicy", envs, n_steps=16, batch_size=16, n_epochs=1)
    assert model.learn(64).num_timesteps == 64


@pytest.mark.filterwarnings("ignore")  # of the progress bar
def test_a_progress_bar_ends_with_the_rollout_in_which_a_training_does() -> None:
    bar = Bar()
    envs = SimpleNamespace(num_envs=64)
    bar.model = cast(Any, SimpleNamespace(num_timesteps=8_192, n_steps=128, get_env=lambda: envs))
    bar.locals = {"total_timesteps": 8_192 + 23_616}
    try:
        bar._on_training_start()
        assert bar.pbar.total == 24_576
    finally:
        bar.pbar.close()
