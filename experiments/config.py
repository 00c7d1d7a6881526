"""The experiment configs: YAML files, validated, with errors that say in one line what is wrong where."""

import json
import re
import unicodedata
from collections.abc import Hashable, Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, Self, TypeVar, get_args

import yaml
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, PlainSerializer, ValidationError, model_validator

from tripeaks_env import Rules
from tripeaks_env.cli import must_be
from tripeaks_env.env.splits import suite
from tripeaks_env.game.arguments import is_integer, one_line
from tripeaks_env.game.deals import format_code, parse_code
from tripeaks_env.game.rules import as_rules

RulesField = Annotated[
    Rules, BeforeValidator(as_rules), PlainSerializer(lambda rules: rules.to_json(), return_type=str | dict[str, Any])
]
"""Rules in a config: a preset's name or a mapping of the attributes of :class:`tripeaks_env.Rules`."""
Seed = Annotated[int, Field(ge=0, lt=2**32)]
NAME = r"\w[\w.-]*"
"""What the name of a config is made of, which is that of a folder and of files."""
LABEL = r"[\w .:()+-]*"
"""What labels and groups are made of."""
PATTERNS = {
    f"^{NAME}$": "letters, digits, _, - and ., of which - and . do not begin it",
    f"^{LABEL}$": "letters, digits, blanks and _ . : ( ) + -",
}
"""What these patterns mean."""
LONGEST_VALUE = 100
"""Characters of a wrong value that are shown."""
Label = Annotated[str, Field(pattern=f"^{LABEL}$", max_length=100)]

MOST_BYTES, MOST_PARTS, DEEPEST, LONGEST_NUMBER = 1_000_000, 10_000, 50, 40
"""How large a YAML file may be, in bytes, in parts and in how deep they are nested; and an integer in it, in characters."""

CONFIGS = Path(__file__).parent / "configs"
"""The folder of the shipped configs."""
SUITES = {"smoke": 100, "standard": 1_000, "full": 10_000}
"""The named suites of evaluation deals and how many they have. All are of seed 0: each begins with the shorter ones."""
KEPT = ("easy", "classic", "traditional")
"""The rules under which the deals of the full suite are kept in files, see :mod:`experiments.suites`."""


class ConfigError(ValueError):
    """A config file that is missing or wrong; the message is one line."""


class Part(BaseModel):
    """A part of a config: unknown keys and wrong types are refused."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, allow_inf_nan=False)


class Config(Part):
    """What every config has: a name, which is also that of its folder of results, and the rules."""

    name: str = Field(pattern=f"^{NAME}$", max_length=100)
    rules: RulesField = Rules.easy


class Suite(Part):
    """Which evaluation deals are played: the first ``count`` of the suite with that ``seed``.

    In a config it can be a name: ``smoke``, ``standard`` or ``full``.
    """

    count: int = Field(default=1000, ge=2, le=1_000_000)
    seed: Seed = 0

    @model_validator(mode="before")
    @classmethod
    def _from_name(cls, value: object) -> object:
        if not isinstance(value, str):
            return value
        if value not in SUITES:
            raise ValueError(
                f"the suite is {value!r}; it must be one of {', '.join(SUITES)}, or have a count and a seed"
            )
        return {"count": SUITES[value]}


def _visible(name: str) -> str:
    """Return what tells a name from others: nothing that is not seen, such as blanks and joiners."""
    return "".join(each for each in unicodedata.normalize("NFKC", name) if unicodedata.category(each)[0] not in "CMZ")


def check_options(options: Mapping[str, Any]) -> None:
    """See that the options of an agent can be kept as JSON.

    Raises:
        ValueError: they cannot.
    """
    try:
        kept = json.loads(json.dumps(options, allow_nan=False))
    except (TypeError, ValueError):
        kept = None
    if kept != options:
        raise ValueError(
            f"options are {options}; they must be texts, finite numbers, true or false, null, lists and mappings"
        )


def _count_or_codes(value: object) -> object:
    codes = isinstance(value, list) and all(isinstance(each, str) for each in value)
    if not codes and not (is_integer(value) and 0 <= value <= 100):
        raise ValueError(f"replays is {value!r}; it must be 0 to 100, or a list of codes")
    return value


class Entry(Part):
    """One agent of a comparison.

    ``agent``, ``trust`` (whether a zip file may be loaded) and ``options`` are what :func:`agents.make` takes; ``label`` is
    its row on the leaderboard; ``group`` the learner that it is one training seed of.
    """

    agent: str
    label: Label = ""
    group: Label = ""
    seed: Seed = 0
    trust: bool = False
    options: dict[str, Any] = {}

    @model_validator(mode="before")
    @classmethod
    def _from_name(cls, value: object) -> object:
        return {"agent": value} if isinstance(value, str) else value

    @model_validator(mode="after")
    def _options_are_right(self) -> Self:
        for key in ("name", "rules", "seed", "trust"):
            if key in self.options:
                raise ValueError(
                    f"options have the key {key!r}; rules, seed and trust are no options and have keys of their own"
                )
        check_options(self.options)
        return self

    @property
    def name(self) -> str:
        """The label, or the agent's name if it has none; in one line, with nothing that a terminal would obey."""
        return self.label or one_line(self.agent, 100)


class CompareConfig(Config):
    """A comparison of agents over the same evaluation deals."""

    deals: Suite = Suite()
    agents: list[Entry] = Field(min_length=1)
    moves: int = Field(default=1000, ge=0)
    """On how many of the deals it is found out which moves lost how much."""
    replays: Annotated[int | list[str], BeforeValidator(_count_or_codes)] = 4
    """Deals whose games the report shows move by move: how many, or their codes."""
    timeout: float = Field(default=600.0, gt=0)
    """Seconds after which an agent is given up that plays 100 deals."""

    @property
    def groups(self) -> dict[str, list[str]]:
        """The names of the agents that are training seeds of the same learner, by group."""
        groups: dict[str, list[str]] = {}
        for entry in self.agents:
            if entry.group:
                groups.setdefault(entry.group, []).append(entry.name)
        return groups

    @model_validator(mode="after")
    def _replays_are_deals(self) -> Self:
        codes = self.replays if isinstance(self.replays, list) else []
        numbers = set(suite(self.deals.count, self.deals.seed)) if codes else set()
        for code in codes:
            letter, number = parse_code(code)
            if letter != self.rules.letter or number not in numbers:
                raise ValueError(f"replays has {code!r}, which is none of the deals of the comparison")
        return self

    @property
    def replayed(self) -> int | list[str]:
        """The ``replays``, codes as the results have them."""
        codes = self.replays
        return codes if isinstance(codes, int) else [format_code(parse_code(code)[1], self.rules) for code in codes]

    @model_validator(mode="after")
    def _names_differ(self) -> Self:
        names = [_visible(entry.name) for entry in self.agents]
        for name in names:
            if not name:
                raise ValueError("an agent has a label without a character that can be seen")
            if names.count(name) > 1:
                raise ValueError(f"two agents are called {name!r}; give one of them another label")
        return self


Width = Annotated[int, Field(ge=1, le=4096)]


class ValuePart(Part):
    """The value network and how it is trained."""

    hidden: Annotated[list[Width], Field(min_length=2, max_length=2)] = [256, 32]
    """Widths of its two hidden layers."""
    trace: float = Field(default=0.9, ge=0, le=1)
    """How far what happened counts against what the network says, see :func:`experiments.training.self_play.returns`."""
    window: int = Field(default=8, ge=1)
    """How many of the last rounds of games it is trained on."""
    passes: float = Field(default=2.0, gt=0)
    """How often it is trained on as many positions as a round has."""
    batch_size: int = Field(default=2048, ge=2, le=1_000_000)
    learning_rate: float = Field(default=1e-3, gt=0, le=10)
    average: float = Field(default=0.998, ge=0, lt=1)
    """The share of the average that a training step leaves, in the average over steps that plays."""


class PolicyPart(Part):
    """The policy network of expert iteration and how it is trained, on the values of actions that a search finds."""

    games: int = Field(default=60_000, ge=1, le=10_000_000)
    """Games whose decisions it is trained on."""
    depth: int = Field(default=1, ge=1, le=6)
    """Of the search, see :func:`agents.learned.expectation.search`, as ``width`` and ``positions``."""
    width: float = Field(default=50.0, ge=0)
    """In points."""
    positions: int = Field(default=20_000, ge=1, le=10_000_000)
    hidden: list[Width] = Field(default=[512, 256], min_length=1)
    """Widths of its hidden layers."""
    temperature: float = Field(default=10.0, gt=0)
    """It learns to prefer actions by exp(value / temperature), in points."""
    epochs: int = Field(default=20, ge=1)
    batch_size: int = Field(default=1024, ge=2, le=1_000_000)
    learning_rate: float = Field(default=1e-3, gt=0, le=10)


class Training(Config):
    """What the ways to train have in common."""

    seed: Seed = 0
    device: str = "auto"
    evaluation_deals: int = Field(default=2000, ge=2, le=1_000_000)
    """Deals of a point of the learning curve. They are training deals: nothing is tuned on evaluation deals."""


class IterationConfig(Training):
    """Expert iteration: a value network from self-play with a search, then a policy network from more games of it."""

    method: Literal["expert-iteration"]
    iterations: int = Field(ge=1)
    games: int = Field(default=2048, ge=1, le=10_000_000)
    """Games of an iteration."""
    explore: float = Field(default=0.03, ge=0, le=1)
    """How probably an action of a game is a random one."""
    win_bonus: float = Field(default=300.0, ge=0, le=10_000)
    """How many points a win is worth more than those it scores."""
    value: ValuePart = ValuePart()
    policy: PolicyPart = PolicyPart()
    threads: int = Field(default=1, ge=1)
    """Threads that play the games. What is learned does not depend on it."""
    evaluate_every: int = Field(default=5, ge=1)
    """Iterations between two points of the learning curve."""


class TrainConfig(Training):
    """Training of a PPO agent with MaskablePPO of sb3-contrib; fields without a comment are its arguments.

    A step is a decision: moves without a choice are played by the training environment. A training goes on to the end of the
    rollout, ``num_envs * n_steps`` steps, in which it reaches ``total_steps``.
    """

    method: Literal["ppo"] = "ppo"
    total_steps: int = Field(ge=1)
    num_envs: int = Field(default=64, ge=1, le=1_000_000)
    hidden: list[Width] = Field(default=[256, 256], min_length=1)
    """Widths of the hidden layers, of policy and value network each."""
    start: str = ""
    """Checkpoint of a policy network of the same widths to start from; by default the start is random."""
    win_bonus: float = Field(default=300.0, ge=0, le=10_000)
    """How many points a win is worth more than those it scores. A reward of 1 stands for 100 points."""
    value: ValuePart | None = ValuePart()
    """The network that tells how good actions are, see :class:`experiments.training.rewards.AdvantageReward`. With null,
    the rewards are points of score."""
    refit: int = Field(default=100_000, ge=1)
    """Positions after which that network is trained again."""
    n_steps: int = Field(default=128, ge=1, le=1_000_000)
    batch_size: int = Field(default=2048, ge=2, le=1_000_000)
    n_epochs: int = Field(default=4, ge=1)
    learning_rate: float = Field(default=5e-4, gt=0, le=10)
    """At the start; it falls linearly to 2 % of that."""
    gamma: float = Field(default=1.0, ge=0, le=1)
    gae_lambda: float = Field(default=0.95, ge=0, le=1)
    clip_range: float = Field(default=0.2, gt=0)
    ent_coef: float = Field(default=0.01, ge=0)
    """At the start; it falls linearly to 10 % of that."""
    evaluate_every: int = Field(default=200_000, ge=1)
    """Steps between two points of the learning curve and two checkpoints; a killed training goes on from the last."""

    @model_validator(mode="after")
    def _batches_fit(self) -> Self:
        rollout = self.num_envs * self.n_steps
        if rollout % self.batch_size:
            raise ValueError(f"batch_size is {self.batch_size}; it must divide num_envs * n_steps, which is {rollout}")
        return self


class _Loader(yaml.SafeLoader):
    """Refuses what nobody means: a key that stands twice in a mapping, of which YAML takes the last; and what is too much."""

    def __init__(self, stream: str) -> None:
        super().__init__(stream)
        self.depth = 0
        self.parts = 0
        self.sizes: dict[int, int] = {}
        """By node how many parts it has, those that it names with aliases counted each time."""

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        again, before = self.check_event(yaml.AliasEvent), self.parts
        self.depth += 1
        if self.depth > DEEPEST:
            raise yaml.constructor.ConstructorError(problem=f"it is nested more than {DEEPEST} deep")
        node = super().compose_node(parent, index)
        self.depth -= 1
        self.parts += self.sizes.get(id(node), MOST_PARTS) if again else 1
        if self.parts > MOST_PARTS:
            raise yaml.constructor.ConstructorError(problem=f"it has more than {MOST_PARTS:,} parts")
        self.sizes.setdefault(id(node), self.parts - before)
        return node

    def construct_yaml_int(self, node: yaml.ScalarNode) -> int:
        if len(node.value) > LONGEST_NUMBER:
            raise yaml.constructor.ConstructorError(problem=f"a number has more than {LONGEST_NUMBER} digits")
        return super().construct_yaml_int(node)

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:
        keys = [self.construct_object(key, deep=True) for key, _ in node.value]
        for key in keys:
            if keys.count(key) > 1:
                raise yaml.constructor.ConstructorError(
                    problem=f"the key {key!r} is there twice", problem_mark=node.start_mark
                )
        return super().construct_mapping(node, deep)


_Loader.add_constructor("tag:yaml.org,2002:int", _Loader.construct_yaml_int)
# YAML 1.1 takes 3e-4 for a text, as it has no point.
_Loader.add_implicit_resolver("tag:yaml.org,2002:float", re.compile(r"[-+]?\d+[eE][-+]?\d+$"), list("-+0123456789"))

KINDS: dict[str, tuple[str, tuple[type[Config], ...]]] = {
    "compare": ("a comparison", (CompareConfig,)),
    "train": ("a training", (TrainConfig, IterationConfig)),
}
"""What configs are of, and their kinds, by the command that takes them."""

AnyConfig = TypeVar("AnyConfig", bound=Config)


def load_training(path: Path) -> TrainConfig | IterationConfig:
    """Return the config of a training in a YAML file, of the kind that its ``method`` says.

    Raises:
        ConfigError: see :func:`load`.
    """
    method = _read(path).get("method", "ppo")
    if method not in ("ppo", "expert-iteration"):
        raise ConfigError(f"config {path}: method is {method!r}; it must be ppo or expert-iteration")
    return load(path, IterationConfig if method == "expert-iteration" else TrainConfig)  # type: ignore[return-value]


def load(path: Path, kind: type[AnyConfig]) -> AnyConfig:
    """Return the config in a YAML file.

    Raises:
        ConfigError: there is no such file, it is not YAML, or a key or value is wrong.
    """
    values = _read(path)

    def has_keys_of(*kinds: type[Config]) -> bool:
        return any(values.keys() <= each.model_fields.keys() for each in kinds)

    for command, (what, kinds) in KINDS.items():
        if kind not in kinds and has_keys_of(*kinds) and not has_keys_of(kind):
            raise ConfigError(f"config {path} is of {what}: python -m experiments {command} {path}")
    try:
        return kind.model_validate(values)
    except ValidationError as error:
        # A wrong key explains a missing one.
        first = min(error.errors(), key=lambda each: each["type"] != "extra_forbidden")
        where = ".".join(map(str, first["loc"]))
        message = first["msg"].removeprefix("Value error, ")
        must = PATTERNS.get(str(first.get("ctx", {}).get("pattern")), must_be(first))
        if first["type"] == "missing":
            message = "this key is missing"
        elif must:
            message = f"{where} is {one_line(repr(first['input']), LONGEST_VALUE)}; it must be {must}"
        if first["type"] == "extra_forbidden":
            message = f"there is no such key; keys are {', '.join(_keys(kind, first['loc']))}"
        if message.startswith(f"{where} "):
            where = ""
        raise ConfigError(": ".join(text for text in (f"config {path}", where, message) if text)) from error


def _keys(kind: type[Part], where: tuple[int | str, ...]) -> Iterable[str]:
    """Return the keys of the part of a config that has, or should not have, the key at ``where``."""
    for step in where[:-1]:
        if isinstance(step, str):
            annotation = kind.model_fields[step].annotation
            parts = (annotation, *get_args(annotation))
            kind = next(each for each in parts if isinstance(each, type) and issubclass(each, Part))
    return kind.model_fields


def parse_yaml(text: str) -> Any:
    """Return what a YAML text says.

    Raises:
        ValueError: it is not right YAML, or nested too deeply, or has too many parts or digits; in one line.
    """
    try:
        return yaml.load(text, _Loader)
    except Exception as error:  # beside its own, the library lets through what wrong dates and the like raise
        mark, problem = (getattr(error, name, None) for name in ("problem_mark", "problem"))
        where = f"line {mark.line + 1}, column {mark.column + 1}: " if mark else ""
        raise ValueError(where + " ".join(str(problem or error).split())) from error


def read_yaml(path: Path) -> Any:
    """Return what a YAML file says.

    Raises:
        ConfigError: it cannot be read, or is not right YAML.
    """
    try:
        with path.open("rb") as file:
            data = file.read(MOST_BYTES + 1)
        if len(data) > MOST_BYTES:
            raise ValueError(f"it has more than {MOST_BYTES:,} bytes")
        return parse_yaml(data.decode())
    except OSError as error:
        raise ConfigError(f"config {path} cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise ConfigError(f"config {path} is not right YAML: {error}") from error


def _read(path: Path) -> dict[str, Any]:
    values = read_yaml(path)
    if not isinstance(values, dict):
        raise ConfigError(f"config {path} must be a mapping of keys to values")
    return values
