"""What sets the decoders of Gemma apart: factors and caps of numbers, norms of results, layers with windows.

layers of gemma3      0 to 4 attend to a window and turn by angles of their own, 5 attends to all positions, …
layers of gemma2      0 attends to a window, 1 to all positions, …
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from math import sqrt

import numpy as np

from s2s.frontends.decoder import Config, Windows

GEMMAS = ("gemma", "gemma2", "gemma3")
RESULT_NORMS: Mapping[str, str] = {"post_attention_norm": "post_norm1", "post_ffw_norm": "post_norm2"}
"""The tensors of norms of results by their names in the file, and in the decoder."""
PERIODS: Mapping[str, int] = {"gemma2": 2, "gemma3": 6}
"""Of this many layers, the last one attends to all positions, unless the metadata say otherwise."""
WINDOW = 4096
"""The window of `gemma2` where the metadata do not say."""
WINDOW_BASE = 10000.0
"""The base of the angles in layers of `gemma3` with windows, unless the metadata say otherwise."""
SCORE_CAPS: Mapping[str, float] = {"gemma2": 50.0}
LOGIT_CAPS: Mapping[str, float] = {"gemma2": 30.0}
"""The caps of scores and logits where the metadata do not say."""
SCALED_BY_WIDTH: Mapping[str, int] = {"gemma2": 46, "gemma3": 62}
"""The layers of the files of 27 billion weights, which alone scale scores by the width of the decoder for each head;
the metadata do not say it."""


def as_gemma(
    config: Config, architecture: str, integer: Callable[[str, int], int], real: Callable[[str, float], float]
) -> Config:
    """Return `config` as Gemma has it; `integer` and `real` read the metadata of the architecture, or give a
    default."""
    by_width = SCALED_BY_WIDTH.get(architecture) == config.layers
    return replace(
        config,
        embedding_factor=sqrt(config.width),
        gate="gelu",
        norms_heads=architecture == "gemma3",
        norms_results=architecture != "gemma",
        score_factor=(config.width // config.heads if by_width else config.head) ** -0.5,
        score_cap=real("attn_logit_softcapping", SCORE_CAPS.get(architecture, 0.0)),
        logit_cap=real("final_logit_softcapping", LOGIT_CAPS.get(architecture, 0.0)),
        windows=_windows(config, architecture, integer, real),
    )


def _windows(
    config: Config, architecture: str, integer: Callable[[str, int], int], real: Callable[[str, float], float]
) -> Windows | None:
    """The windows of all layers but some; None where all layers attend to all positions."""
    window = integer("attention.sliding_window", WINDOW if architecture == "gemma2" else 0)
    if architecture not in PERIODS or not window:
        return None
    turns = config.turns
    if architecture == "gemma3":
        base = real("rope.freq_base_swa", WINDOW_BASE)
        turns = tuple((base ** (-np.arange(0, config.rotated, 2) / config.rotated)).tolist())
    return Windows(window, integer("attention.sliding_window_pattern", PERIODS[architecture]), turns)
