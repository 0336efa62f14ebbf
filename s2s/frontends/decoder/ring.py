"""Write the attention of several tokens a run to a ring, in which they overwrite the oldest positions.

    cache of 4: positions 4 5 2 3        a run of 6, 7, 8  ->  8 5 6 7

Position 6 attends to 3, 4, 5 and itself, of which 4 is overwritten by 8 in the same run. So the tokens attend to the
ring as it was before the run, and to the new rows beside it, each to those of the last `length` positions. Rows behind
the last token that counts leave the ring as it was.
"""

import numpy as np

from s2s.frontends.decoder.cache import Cached, as_floats, by_key, in_parts, past, put
from s2s.frontends.decoder.config import Config
from s2s.frontends.decoder.nodes import Nodes
from s2s.types.dtypes import Array

LOWEST = np.float32(-1e30)
"""The score of what a token does not attend to."""


class Ring:
    """Rings that a run of `tokens` from the position `first` on changes, the last of which is number `last`."""

    def __init__(self, nodes: Nodes, config: Config, tokens: int, first: str, last: str) -> None:
        self.nodes, self.config, self.tokens = nodes, config, tokens
        counted, length = np.arange(tokens), nodes.constant(np.array([config.length]))
        positions = nodes.node("Add", first, nodes.constant(counted))
        self.slots = nodes.node("Mod", positions, length)
        column = nodes.constant(np.array([1, tokens, 1]))
        self.places = nodes.node("Reshape", self.slots, column)
        self.live = nodes.node("Reshape", nodes.node("LessOrEqual", nodes.constant(counted), last), column)
        self.hidden = self._hidden(first, positions, length)

    def _hidden(self, first: str, positions: str, length: str) -> str:
        """Return the rows that the tokens do not attend to, `[tokens, length + tokens]`: of the ring, places without a
        position or with one too long ago; of the new rows, the ones behind the token."""
        nodes = self.nodes
        newest = nodes.node("Sub", first, nodes.constant(np.array([1])))
        ages = nodes.node("Mod", nodes.node("Sub", newest, nodes.constant(np.arange(self.config.length))), length)
        held = nodes.node("Sub", newest, ages)
        below = nodes.node("Reshape", positions, nodes.constant(np.array([self.tokens, 1])))
        passed = nodes.node("LessOrEqual", held, nodes.node("Sub", below, length))
        absent = nodes.node("Or", nodes.node("Less", held, nodes.constant(np.array([0]))), passed)
        later: Array = np.triu(np.ones((self.tokens, self.tokens), bool), k=1)
        return nodes.node("Concat", absent, nodes.constant(later), axis=-1)

    def attend(self, layer: int, queries: str, keys: str, values: str) -> str:
        """Return what `queries[kv_heads, group * tokens, head]` attend to, in their shape, and put the new rows
        `[kv_heads, tokens, head]` in the ring."""
        nodes, config = self.nodes, self.config
        old_keys, new_keys = self._both(f"key{layer}", keys)
        old_values, new_values = self._both(f"value{layer}", values)
        scores = [self._scores(queries, *each) for each in ((old_keys, config.length), (new_keys, self.tokens))]
        masked = nodes.node("Where", self.hidden, nodes.constant(LOWEST), nodes.node("Concat", *scores, axis=-1))
        shares = nodes.node("Softmax", masked, axis=-1)
        ends = [0, config.length, config.length + self.tokens]
        sums = [
            self._weighted(shares, start, end, each)
            for start, end, each in zip(ends, ends[1:], (old_values, new_values), strict=False)
        ]
        return nodes.node("Add", *sums)

    def _both(self, name: str, rows: str) -> tuple[Cached, Cached]:
        """Return the rows of the ring and the new ones, rounded as the ring keeps them; put the rows that count in
        it."""
        nodes, parts = self.nodes, list(in_parts(self.nodes, self.config, name, rows))
        before = [past(nodes, self.config, port) for port, _ in parts]
        for (port, new), ring in zip(parts, before, strict=True):
            kept = nodes.node("Gather", ring, self.slots, axis=1)
            put(nodes, port, ring, nodes.node("Where", self.live, new, kept), self.places)
        return as_floats(nodes, self.config, before), as_floats(nodes, self.config, [new for _, new in parts])

    def _scores(self, queries: str, keys: Cached, count: int) -> str:
        """Return the scores of `count` keys, `[kv_heads, group, tokens, count]`."""
        nodes, config = self.nodes, self.config
        products = nodes.node("MatMul", queries, nodes.node("Transpose", keys.numbers, perm=[0, 2, 1]))
        shape: Array = np.array([config.kv_heads, config.group, self.tokens, count])
        scaled = nodes.node(
            "Mul", nodes.node("Reshape", products, nodes.constant(shape)), nodes.constant(np.float32(config.head**-0.5))
        )
        return scaled if keys.scales is None else nodes.node("Mul", scaled, self._factors(keys.scales, count))

    def _weighted(self, shares: str, start: int, end: int, values: Cached) -> str:
        """Return the sum of `values` weighted by the shares from `start` to `end`."""
        nodes, config = self.nodes, self.config
        bounds = [nodes.constant(np.array([each])) for each in (start, end, -1)]
        mine = nodes.node("Slice", shares, *bounds)
        if values.scales is not None:
            mine = nodes.node("Mul", mine, self._factors(values.scales, end - start))
        shape: Array = np.array([config.kv_heads, config.group * self.tokens, end - start])
        return nodes.node("MatMul", nodes.node("Reshape", mine, nodes.constant(shape)), values.numbers)

    def _factors(self, scales: str, count: int) -> str:
        return by_key(self.nodes, self.config, scales, count, self.tokens)
