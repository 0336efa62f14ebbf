"""Caches that are buffers of PyTorch programs, kept in 16 and 8 bits."""

from typing import Any

import numpy as np
import pytest

from s2s.artifact import compile_artifact
from s2s.options import Cache, CompileOptions

torch: Any = pytest.importorskip("torch")

ROOM, HEAD = 6, 8
BYTES = {"float32": 4 * HEAD, "float16": 2 * HEAD, "int8": HEAD + 4}
BOUNDS = {"float32": 1e-6, "float16": 2e-3, "int8": 2e-2}


def attention(write: str) -> Any:
    """A step of attention with two heads of keys for four of queries, whose caches are buffers."""

    class Attention(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()  # pyright: ignore[reportUnknownMemberType]
            self.register_buffer("keys", torch.zeros(1, 2, ROOM, HEAD))
            self.register_buffer("values", torch.zeros(1, 2, ROOM, HEAD))

        def put(self, cache: Any, row: Any, position: Any) -> None:
            if write == "index_copy":
                cache.index_copy_(2, position, row)
            elif write == "index_put":
                cache[:, :, position] = row
            else:
                cache.copy_(torch.cat([cache[:, :, 1:], row], 2))

        def forward(self, q: Any, k: Any, v: Any, position: Any) -> Any:
            self.put(self.keys, k, position)
            self.put(self.values, v, position)
            keys, values = (each.repeat_interleave(2, 1) for each in (self.keys, self.values))
            scores = q @ keys.transpose(2, 3) * HEAD**-0.5
            hidden = torch.arange(ROOM) > position if write != "shift" else torch.arange(ROOM) < ROOM - 1 - position
            return torch.softmax(scores.masked_fill(hidden, -1e30), -1) @ values

    return Attention().eval()


@pytest.mark.parametrize("cache", ["float32", "float16", "int8"])
@pytest.mark.parametrize("write", ["index_copy", "index_put", "shift"])
def test_buffers_that_are_caches_take_fewer_bytes(write: str, cache: Cache):
    module, generator = attention(write), torch.Generator().manual_seed(3)
    shapes = (1, 4, 1, HEAD), (1, 2, 1, HEAD), (1, 2, 1, HEAD)

    def inputs(at: int) -> tuple[Any, ...]:
        return (*(torch.randn(shape, generator=generator) for shape in shapes), torch.tensor([at]))

    program = torch.export.export(attention(write), inputs(0))
    with compile_artifact(program, CompileOptions(target="c", cache=cache)) as network:
        assert network.info.state_size == 2 * 2 * ROOM * BYTES[cache]
        for at in range(ROOM):
            given = inputs(at)
            expected = module(*given).detach().numpy()
            names = ("q", "k", "v", "position")
            arrays: dict[str, Any] = dict(zip(names, (each.numpy() for each in given), strict=True))
            (found,) = network.run(arrays).values()
            np.testing.assert_allclose(found, expected, rtol=0, atol=BOUNDS[cache] * np.abs(expected).max())
