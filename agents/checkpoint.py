"""Weights of networks in files that cannot execute code when they are loaded: safetensors, in half precision."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import safetensors.numpy
from safetensors import SafetensorError, safe_open

from tripeaks_env.rules import Rules, as_rules

SHIPPED = Path(__file__).parent / "checkpoints"
HEADER = "agent"  # one key: with more, their order in the file would vary


def write(path: Path, kind: str, rules: Rules, weights: Mapping[str, np.ndarray], **details: Any) -> None:
    """Write the weights of a network.

    Args:
        path: the file.
        kind: of network, such as ``"ppo"``.
        rules: the rules that it was trained for.
        weights: arrays of floats by name.
        details: what else :func:`read` has to return; JSON values.
    """
    header = {"format": _format(kind), "rules": rules.to_json(), **details}
    halves = {name: np.ascontiguousarray(array, dtype=np.float16) for name, array in weights.items()}
    safetensors.numpy.save_file(halves, path, {HEADER: json.dumps(header)})
    path.chmod(0o644)  # the library leaves it to its owner alone


def read(kind: str, rules: Rules, path: str | Path | None = None) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    """Return the weights of a network, float32 by name, and the details that were written with them.

    Args:
        kind: of network.
        rules: the rules that it must be trained for.
        path: the file; by default the one shipped for this kind and these rules.

    Raises:
        ValueError: there is no such file, it is of another kind, or for other rules.
    """
    path = Path(path) if path else SHIPPED / f"{kind}-{rules.name}.safetensors"
    if not path.is_file():
        shipped = ", ".join(sorted(file.stem for file in SHIPPED.glob("*.safetensors")))
        raise ValueError(f"no checkpoint at {path} for the rules {rules}; shipped are {shipped}")
    try:
        with safe_open(path, "np") as file:
            header = json.loads((file.metadata() or {})[HEADER])
        weights = safetensors.numpy.load_file(path)
        found = header.pop("format")
        trained = as_rules(header.pop("rules")) if found == _format(kind) else rules
    except (SafetensorError, KeyError, TypeError, ValueError, AttributeError) as error:
        raise ValueError(f"checkpoint {path} cannot be read: {type(error).__name__}: {error}") from error
    if found != _format(kind):
        raise ValueError(f"checkpoint {path} has the format {found!r}; it must be {_format(kind)!r}")
    if trained != rules:
        raise ValueError(f"checkpoint {path} was trained for the rules {trained}, not for {rules}")
    return {name: array.astype(np.float32) for name, array in weights.items()}, header


def _format(kind: str) -> str:
    return f"tripeaks-env {kind} 2"
