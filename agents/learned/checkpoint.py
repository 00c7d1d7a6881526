"""Weights of networks in files that cannot execute code when they are loaded: safetensors, in half precision."""

import json
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import safetensors.numpy
from safetensors import SafetensorError, safe_open

from tripeaks_env.game.rules import Rules, as_rules

SHIPPED = Path(__file__).parents[1] / "checkpoints"
HEADER = "agent"  # one key: with more, their order in the file would vary


def write(path: Path, kind: str, rules: Rules, weights: Mapping[str, np.ndarray]) -> None:
    """Write the weights of a network.

    Args:
        path: the file.
        kind: of network, such as ``"ppo"``.
        rules: the rules that it was trained for.
        weights: arrays of floats by name.

    Raises:
        ValueError: a weight is not finite in half precision.
    """
    header = {"format": _format(kind), "rules": rules.to_json()}
    with np.errstate(over="ignore"):
        halves = {name: np.ascontiguousarray(array, dtype=np.float16) for name, array in weights.items()}
    for name, array in halves.items():
        if not np.isfinite(array).all():
            raise ValueError(f"the weights {name} have numbers that are not finite in half precision")
    path.write_bytes(safetensors.numpy.save(halves, {HEADER: json.dumps(header)}))


def read(kind: str, rules: Rules, path: str | Path | None = None) -> dict[str, np.ndarray]:
    """Return the weights of a network, float32 by name.

    Args:
        kind: of network.
        rules: the rules that it must be trained for.
        path: the file; by default the one shipped for this kind and these rules.

    Raises:
        ValueError: there is no such file, it is of another kind or for other rules, or its weights are no finite floats.
    """
    if path is None:
        if not rules.name:
            raise ValueError(f"no checkpoint is shipped for rules of one's own, {rules}; train one and give its path")
        path = SHIPPED / f"{kind}-{rules.name}.safetensors"
    if not isinstance(path, str | Path) or not str(path):
        raise ValueError(f"checkpoint is {path!r}; it must be the path of a file")
    path = Path(path)
    if not path.is_file():
        shipped = ", ".join(sorted(file.stem for file in SHIPPED.glob("*.safetensors")))
        raise ValueError(f"no checkpoint at {path} for the rules {rules}; shipped are {shipped}")
    try:
        with safe_open(path, "np") as file:
            header = json.loads((file.metadata() or {})[HEADER])
        weights = safetensors.numpy.load_file(path)
        found = header.pop("format")
        trained = as_rules(header.pop("rules")) if found == _format(kind) else rules
    except (SafetensorError, KeyError, TypeError, ValueError, AttributeError, RecursionError) as error:
        raise ValueError(f"checkpoint {path} cannot be read: {type(error).__name__}: {error}") from error
    if found != _format(kind):
        raise ValueError(f"checkpoint {path} has the format {found!r}; it must be {_format(kind)!r}")
    if trained != rules:
        raise ValueError(f"checkpoint {path} was trained for the rules {trained}, not for {rules}")
    with np.errstate(over="ignore"):
        floats = {name: array.astype(np.float32) for name, array in weights.items()}
    for name, array in floats.items():
        if weights[name].dtype.kind != "f" or not np.isfinite(array).all():
            raise ValueError(
                f"checkpoint {path} has weights {name!r} ({weights[name].dtype}) that are not finite floats"
            )
    return floats


def _format(kind: str) -> str:
    return f"tripeaks-env {kind} 2"
