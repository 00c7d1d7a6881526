"""Observations in the form that libraries with action masks expect: the mask, and one flat array of everything else."""

from __future__ import annotations

from typing import Any, Literal

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.utils import RecordConstructorArgs
from gymnasium.wrappers import TransformObservation, vector

from tripeaks_env.game.arguments import one_of
from tripeaks_env.game.observation import Observation

Style = Literal["pettingzoo", "rllib"]

STYLES: dict[Style, tuple[str, type[Any]]] = {
    "pettingzoo": ("observation", np.int8),
    "rllib": ("observations", np.float32),
}
"""The key and the type of the flat array in each style. They differ in nothing else."""

PARTS = ("tableau", "waste", "stock", "unseen", "run", "undos")
"""The order in the flat array. ``tableau`` is [:28], ``waste`` [28], ``stock`` [29] and ``unseen`` begins at 30 under all
rules; ``run`` and ``undos`` are there when the observation has them.
"""


class MaskedObservation(TransformObservation[Observation, Any, Observation]):
    """Shows the parts of the observation as one flat array, apart from the action mask.

    The new observation is a ``Dict`` of ``action_mask``, int8 as before, and of one array, all other parts side by side
    in the order of :data:`PARTS`, with their values and bounds:

    | style | key of the array | its type | for |
    |---|---|---|---|
    | ``"pettingzoo"`` (default) | ``observation`` | int8 | code written for PettingZoo's card and board games |
    | ``"rllib"`` | ``observations`` | float32 | RLlib's ``ActionMaskingTorchRLModule`` |

    In both, ``env.action_space.sample(observation["action_mask"])`` draws a legal action.

    Args:
        env: a TriPeaks environment, wrapped or not, whose observation still has its parts.
        style: see the table.

    Raises:
        ValueError: there is no such style, or the observation has no parts.
    """

    def __init__(self, env: gymnasium.Env[Observation, Any], style: Style = "pettingzoo") -> None:
        RecordConstructorArgs.__init__(self, style=style)
        form = _Form(env.observation_space, style)
        super().__init__(env, form.of, form.space)

    def action_masks(self) -> np.ndarray:
        """Return the legal actions, bool (29,) or (30,), see :meth:`tripeaks_env.TriPeaksEnv.action_masks`."""
        return self.env.get_wrapper_attr("action_masks")()


class VectorMaskedObservation(vector.TransformObservation):
    """Does for a vector environment what :class:`MaskedObservation` does for one game; arrays have a leading axis N.

    Args:
        env: a vector environment of TriPeaks, such as ``gymnasium.make_vec`` makes. Gymnasium's vector observation
            wrappers do not allow the autoreset mode ``SAME_STEP``.
        style: see :class:`MaskedObservation`.

    Raises:
        ValueError: there is no such style, or the observation has no parts.
    """

    def __init__(self, env: gymnasium.vector.VectorEnv[Any, Any, Any], style: Style = "pettingzoo") -> None:
        form = _Form(env.single_observation_space, style)
        super().__init__(env, form.of, single_observation_space=form.space)


class _Form:
    """The new space of an observation space of TriPeaks, and its observations."""

    def __init__(self, space: spaces.Space, style: Style) -> None:
        style = one_of("style", style, STYLES)
        if not isinstance(space, spaces.Dict) or not {"tableau", "action_mask"} <= space.keys():
            raise ValueError(
                "the observation has no tableau and action_mask; wrap TriPeaks before its observation changes"
            )
        self.key, self.dtype = STYLES[style]
        boxes = {part: box for part in PARTS if isinstance(box := space.get(part), spaces.Box)}
        self.parts = tuple(boxes)
        low = self._flat({part: box.low for part, box in boxes.items()})
        high = self._flat({part: box.high for part, box in boxes.items()})
        flat = spaces.Box(low, high, dtype=self.dtype)
        self.space: spaces.Space = spaces.Dict({"action_mask": space["action_mask"], self.key: flat})

    def of(self, observation: Observation) -> Observation:
        """Return one or N observations in the new form."""
        return {"action_mask": observation["action_mask"], self.key: self._flat(observation)}

    def _flat(self, arrays: Observation) -> np.ndarray:
        return np.concatenate([arrays[part] for part in self.parts], axis=-1, dtype=self.dtype)
