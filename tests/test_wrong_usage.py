"""What is wrong with an argument or a config is one line that names it and what would be right, and exit code 2."""

from pathlib import Path

import pytest

from experiments.command_line import main as experiments
from experiments.config import CONFIGS
from tripeaks_env.cli import main as tripeaks


@pytest.mark.parametrize(
    ("command", "config", "named"),
    [
        ("compare", "", "Missing argument 'config'"),
        ("compare missing.yaml", "", "config missing.yaml cannot be read: No such file"),
        ("compare CONFIG --workers 0", "", "'--workers': '0'; it must be at least 1"),
        ("compare CONFIG --workers two", "", "'--workers': 'two'; it must be an integer"),
        ("compare CONFIG --engine slurm", "", "'slurm' is not one of 'local', 'ray'"),
        ("compare CONFIG --speed", "", "No such option: --speed"),
        ("compare CONFIG more", "", "unexpected extra argument(s) (more)"),
        ("contemplate", "", "No such command 'contemplate'. Did you mean 'compare'?"),
        ("train BENCHMARK", "", "is of a comparison: python -m experiments compare "),
        ("compare PPO", "", "is of a training: python -m experiments train "),
        ("train CONFIG --seed 1e3", "", "'--seed': '1e3'; it must be an integer"),
        ("train CONFIG --seed -1", "", "'--seed': '-1'; it must be at least 0"),
        ("train CONFIG", "name: x\ntotal_steps: 1\nmethod: dqn", "method is 'dqn'; it must be ppo or expert-iteration"),
        ("train CONFIG", "name: x\ntotal_steps: 1\ngamma: 2", "gamma is 2; it must be at most 1"),
        ("train CONFIG", "name: x\ntotal_steps: 1\ngamma: high", "gamma is 'high'; it must be a number"),
        (
            "train CONFIG",
            "name: x\ntotal_steps: 1\nvalue: {widths: 3}",
            "value.widths: there is no such key; keys are hidden, trace,",
        ),
        (
            "train CONFIG",
            "name: x\ntotal_steps: 1\nvalue: {hidden: [1]}",
            "value.hidden is [1]; it must be a list of at least 2",
        ),
        ("train CONFIG", "name: x\ntotal_steps: 1\nvalue: 3", "value is 3; it must be a mapping of keys to values"),
        ("train CONFIG", "name: x\ntotal_steps: 1\ndevice: 3", "device is 3; it must be a text"),
        ("train CONFIG", "name: x\nmethod: expert-iteration", "iterations: this key is missing"),
        (
            "compare CONFIG",
            "name: x\nagents: [{agent: random, trust: 1}]",
            "agents.0.trust is 1; it must be true or false",
        ),
        (
            "compare CONFIG",
            "name: x\nagents: [{agent: random, colour: red}]",
            "agents.0.colour: there is no such key; keys are agent, label",
        ),
        (
            "compare CONFIG",
            "name: x\nagents: [{agent: random, seed: -1}]",
            "agents.0.seed is -1; it must be at least 0",
        ),
        ("compare CONFIG", "name: x\nagents: [3]", "agents.0 is 3; it must be a mapping"),
        ("compare CONFIG", "name: x\nagents: [random]\ntimeout: 0", "timeout is 0; it must be more than 0"),
        (
            "compare CONFIG",
            "name: x\nagents: [random]\ndeals: big",
            "the suite is 'big'; it must be one of smoke, standard, full",
        ),
        (
            "compare CONFIG",
            "name: x\nagents: [random]\nreplays: 2.5",
            "replays is 2.5; it must be 0 to 100, or a list of codes",
        ),
        ("validate", "", "Missing argument 'agent'"),
        ("validate random --rules eazy", "", "--rules is 'eazy'; it must be one of easy, classic, traditional"),
        ("validate random --option depth", "", "option is 'depth'; it must be KEY=VALUE"),
        (
            "validate random --option depth=[1",
            "",
            "option depth is '[1', which is not right YAML: line 1, column 3: expected ',' or ']'",
        ),
        ("validate random --seed 4294967296", "", "'--seed': '4294967296'; it must be at most 4294967295"),
        ("export random", "", "Missing option '--dataset-id'"),
        ("export random --dataset-id x", "", "dataset id is 'x'; it must be like tripeaks/opener-v0"),
        ("export random --dataset-id tripeaks/x-v0 --explore 2", "", "'--explore': '2'; it must be at most 1"),
        ("export random --dataset-id tripeaks/x-v0 --explore x", "", "'--explore': 'x'; it must be a number"),
        ("results --output page.md", "", "results needs --comparison FOLDER or --training FOLDER"),
        (
            "results --output page.md --comparison none",
            "",
            "folder none holds no comparison: its summary.json is missing",
        ),
        (
            "results --output page.md --training none",
            "",
            "folder none holds no training: config none/config.yaml cannot be read",
        ),
        ("optima --deals 1", "", "'--deals': '1'; it must be at least 2"),
        ("suites --rules wild", "", "rules are 'wild'; they must be easy, classic, traditional"),
        ("speed --output .", "", ". is a folder; --output must be a file"),
        ("tripeaks random --deals 1.5", "", "'--deals': '1.5'; it must be an integer"),
        ("tripeaks random --count 0", "", "'--count': '0'; it must be at least 1"),
        ("tripeaks watch nobody", "", "'nobody'"),
        ("tripeaks watch greedy --speed x", "", "'--speed': 'x'; it must be a number"),
        ("tripeaks watch greedy --seed -1", "", "'--seed': '-1'; it must be at least 0"),
        ("tripeaks solve TP1-E", "", "deal code 'TP1-E' has 2 parts; it must have three"),
        ("compare CONFIG", "name: x\nagents: [random]\nagent: y", "agent: there is no such key; keys are name, rules"),
        (
            "compare CONFIG",
            "name: x\nagents: [random]\ndeals: {count: many}",
            "deals.count is 'many'; it must be an integer",
        ),
        (
            "compare CONFIG",
            "name: x\nagents: [random]\ndeals: {size: 3}",
            "deals.size: there is no such key; keys are count, seed",
        ),
        ("compare CONFIG", "name: x\nagents: [random, random]", "two agents are called 'random'"),
        (
            "compare CONFIG",
            "name: x\nagents: [random]\nrules: eazy",
            "rules is 'eazy'; it must be one of easy, classic",
        ),
        ("compare CONFIG", "name: x\nagents: [random]\nrules: {wrap: 3}", "wrap is 3; it must be true or false"),
        ("compare CONFIG", "name: x\nagents: []", "agents is []; it must be a list of at least 1"),
        ("compare CONFIG", "name: x\nagents: [random]\nreplays: 101", "replays is 101; it must be 0 to 100"),
        ("compare CONFIG", "name: x\nagents: [random]\nreplays: [TP1-E-A]", "deal code 'TP1-E-A'"),
        (
            "compare CONFIG",
            "name: x\nagents: [random]\nreplays: [TP1-E-AAAAAAB]",
            "replays has 'TP1-E-AAAAAAB', which is none of the deals of the comparison",
        ),
        (
            "compare CONFIG",
            "name: x\nagents: [{agent: random, options: {since: 2020-01-01}}]",
            "they must be texts, finite numbers,",
        ),
        ("compare CONFIG", "name: x\nagents: [{agent: random, options: {a: {1: 2}}}]", "they must be texts,"),
        ("compare CONFIG", "name: x\nagents: [{agent: random, options: {a: .nan}}]", "they must be texts,"),
        ("compare CONFIG", "name: x\nagents: [{agent: random, options: {seed: 3}}]", "options have the key 'seed'"),
        ("compare CONFIG", "agents: [random]", "name: "),
        ("train CONFIG", "name: x\ntotal_steps: 1.5", "total_steps is 1.5; it must be an integer"),
        ("train CONFIG", "name: ../x\ntotal_steps: 1", "name is '../x'; it must be letters, digits, "),
        ("compare CONFIG", "name: [x", "is not right YAML"),
        ("compare CONFIG", "- x", "must be a mapping"),
        ("compare CONFIG", "name: x\nname: y\nagents: [random]", "the key 'name' is there twice"),
        ("compare CONFIG", "name: ..\nagents: [random]", "name is '..'; it must be letters, digits, "),
        (
            "compare CONFIG",
            "name: x\nagents: [{agent: random, label: '[/x]'}]",
            "agents.0.label is '[/x]'; it must be letters,",
        ),
        (
            "train CONFIG",
            "name: x\ntotal_steps: 1\nbatch_size: 100",
            "batch_size is 100; it must divide num_envs * n_steps",
        ),
        ("train CONFIG", "name: x\ntotal_steps: 1\nlearning_rate: .inf", "learning_rate is inf; it must be a finite"),
        (
            "train CONFIG",
            "name: x\ntotal_steps: 1\nlearning_rate: 1e30",
            "learning_rate is 1e+30; it must be at most 10",
        ),
        (
            "train CONFIG",
            "name: x\ntotal_steps: 1\nhidden: [1000000000000]",
            "hidden.0 is 1000000000000; it must be at",
        ),
        (
            "train CONFIG",
            "name: x\ntotal_steps: 1\nnum_envs: 1000000000000",
            "num_envs is 1000000000000; it must be at",
        ),
    ],
)
def test_wrong_usage_is_one_line_and_exit_code_2(
    command: str,
    config: str,
    named: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Of ``python -m experiments``, or of ``tripeaks`` where the command says so; nothing is left behind."""
    monkeypatch.chdir(tmp_path)
    if config:
        Path("config.yaml").write_text(config, encoding="utf-8")
    files = {
        "CONFIG": "config.yaml",
        "BENCHMARK": str(CONFIGS / "benchmark.yaml"),
        "PPO": str(CONFIGS / "ppo-easy.yaml"),
    }
    words = [files.get(word, word) for word in command.split()]
    main = tripeaks if words[0] == "tripeaks" else experiments
    monkeypatch.setattr("sys.argv", words if main is tripeaks else ["experiments", *words])
    with pytest.raises(SystemExit) as end:
        main()
    shown = capsys.readouterr()
    assert (end.value.code, shown.out) == (2, "")
    assert shown.err.startswith("error: ")
    assert shown.err.count("\n") == 1
    assert named in shown.err
    assert "config.yaml" in shown.err or not config
    assert [file.name for file in tmp_path.iterdir()] == (["config.yaml"] if config else [])
