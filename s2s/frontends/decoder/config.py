"""The sizes of a decoder."""

from collections.abc import Mapping
from typing import Literal

from s2s.errors import InputError, UnsupportedError
from s2s.options import CacheType
from s2s.support.frozen import frozen

Kind = Literal["llama", "gpt"]
Gate = Literal["silu", "gelu"]


@frozen
class Windows:
    """The layers that attend to a window of positions: of `period` layers all but the last one."""

    positions: int
    """The positions that each position attends to: itself and the ones before it."""
    period: int
    turns: tuple[float, ...]
    """The angles by which a position rotates the pairs of a head in these layers."""


@frozen
class Config:
    """What a decoder consists of."""

    kind: Kind = "llama"
    vocabulary: int = 64
    width: int = 32
    layers: int = 2
    heads: int = 4
    kv_heads: int = 2
    """Heads of keys and values, each shared by `heads / kv_heads` heads of queries."""
    hidden: int = 64
    """The width between the two linear layers behind the attention."""
    length: int = 16
    """The number of positions that the cache holds."""
    bits: Literal[4, 8] | None = None
    """The bits of the weights of linear layers; None for float32."""
    block: int = 32
    """The number of weights that share a scale."""
    epsilon: float = 1e-5
    theta: float = 10000.0
    """The base of the wavelengths of rotary positions."""
    frequencies: tuple[float, ...] | None = None
    """The angles by which a position rotates the pairs of the first numbers of a head; None: the angles of `theta`, for
    all numbers."""
    magnitude: float = 1.0
    """The factor of rotated queries and keys."""
    head_width: int | None = None
    """The width of a head; None: the width of the decoder by the number of heads."""
    norms_heads: bool = False
    """Whether queries and keys of each head pass an RMSNorm before they are rotated."""
    int8_activations: bool = False
    """Whether linear layers with quantised weights take activations of 8 bits, quantised on the fly."""
    cache: CacheType = "float32"
    """The type of cached keys and values; `int8` has a float scale for the numbers of a head at a position."""
    context: int | None = None
    """The number of positions that a text may have. With more than the cache holds, new ones overwrite the oldest, and
    each attends to the last `length` ones. None: as many as the cache holds."""

    embedding_factor: float = 1.0
    """The factor of rows of the embedding."""
    gate: Gate = "silu"
    """The function of the gate of a perceptron; `gelu` by tanh."""
    norms_results: bool = False
    """Whether the results of attention and perceptron pass an RMSNorm before they are added."""
    score_factor: float | None = None
    """The factor of products of queries and keys; None: one by the root of the width of a head."""
    score_cap: float = 0.0
    """The bound of scores, `cap * tanh(score / cap)`; 0: none."""
    logit_cap: float = 0.0
    """Likewise the bound of logits."""
    windows: Windows | None = None
    """The layers that attend to a window; None: all attend to what the cache holds."""

    def __post_init__(self) -> None:
        parted = self.head_width is None and self.width % self.heads
        if parted or self.heads % self.kv_heads or self.head % 2:
            raise InputError(
                f"decoder: {self.heads} heads of queries and {self.kv_heads} of keys do not divide width {self.width}; "
                "give heads of an even width, as many of queries for each of keys"
            )
        if self.positions < self.length:
            raise InputError(f"decoder: a cache of {self.length} for {self.positions} positions; give a smaller cache")
        if self.windows is not None and self.is_ring:
            raise UnsupportedError(
                f"decoder: some layers attend to a window, and a cache of {self.length} for {self.positions} positions "
                "is a ring; give a cache of all positions"
            )

    @property
    def positions(self) -> int:
        """The number of positions that a text may have."""
        return self.length if self.context is None else self.context

    @property
    def is_ring(self) -> bool:
        """Whether new positions overwrite the oldest ones of the cache."""
        return self.positions > self.length

    @property
    def head(self) -> int:
        """The width of a head."""
        return self.width // self.heads if self.head_width is None else self.head_width

    @property
    def queries(self) -> int:
        """The width of the heads of queries together."""
        return self.heads * self.head

    @property
    def turns(self) -> tuple[float, ...]:
        """The angles by which a position rotates the pairs of a head."""
        if self.frequencies is not None:
            return self.frequencies
        return tuple(self.theta ** (-pair / self.head) for pair in range(0, self.head, 2))

    def has_window(self, layer: int) -> bool:
        """Whether a layer attends to a window of positions."""
        return self.windows is not None and layer % self.windows.period < self.windows.period - 1

    @property
    def rotated(self) -> int:
        """The numbers of a head that positions rotate, the first ones."""
        return 2 * len(self.turns)

    @property
    def group(self) -> int:
        """Heads of queries that share keys and values."""
        return self.heads // self.kv_heads

    @property
    def parameters(self) -> int:
        """The number of weights."""
        attention = 2 * self.width * (self.queries + self.kv_heads * self.head)
        layers = 3 if self.kind == "llama" else 2
        embeddings = self.vocabulary + (self.positions if self.kind == "gpt" else 0)
        return self.layers * (attention + layers * self.width * self.hidden) + embeddings * self.width


SIZES: Mapping[str, Config] = {
    "1M": Config(vocabulary=512, width=128, layers=5, heads=4, kv_heads=2, hidden=384, length=128),
    "15M": Config(vocabulary=8192, width=320, layers=10, heads=8, kv_heads=4, hidden=960, length=256),
    "110M": Config(vocabulary=32000, width=768, layers=12, heads=12, kv_heads=12, hidden=2048, length=1024),
    "1B": Config(vocabulary=32000, width=2048, layers=22, heads=32, kv_heads=4, hidden=5632, length=2048),
}
"""Configurations by their number of parameters, roughly."""
