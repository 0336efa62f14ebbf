"""Caches that are buffers of PyTorch programs: kept in 16 and 8 bits, and read in for several tokens a run."""

import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from s2s.artifact import compile_artifact
from s2s.cli.main import run as run_cli
from s2s.options import Cache, CompileOptions

torch: Any = pytest.importorskip("torch")

ROOM, HEAD, PREFILLED = 6, 8, 5
SIZE, SIZE_IN_FILE = "count", "tokens_dim1"
"""The name of the dimension of tokens: an exported program keeps none, and it is called after its first input."""
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


@pytest.mark.sample(1, each="write")
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


def varying_steps() -> Any:
    """A decoder of a varying number of tokens, as a program of PyTorch."""

    class Steps(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()  # pyright: ignore[reportUnknownMemberType]
            torch.manual_seed(5)
            self.table = torch.nn.Embedding(16, HEAD)
            self.heads = torch.nn.Linear(HEAD, 3 * HEAD)
            self.register_buffer("keys", torch.zeros(1, PREFILLED + ROOM, HEAD))
            self.register_buffer("values", torch.zeros(1, PREFILLED + ROOM, HEAD))

        def forward(self, tokens: Any, positions: Any) -> Any:
            q, k, v = self.heads(self.table(tokens)).chunk(3, -1)
            self.keys.index_copy_(1, positions, k)
            self.values.index_copy_(1, positions, v)
            hidden = torch.arange(PREFILLED + ROOM) > positions[:, None]
            scores = (q @ self.keys.transpose(1, 2) * HEAD**-0.5).masked_fill(hidden, -1e30)
            return torch.softmax(scores, -1) @ self.values @ self.table.weight.T

    count = torch.export.Dim("count", max=PREFILLED)
    given = torch.zeros(1, 3, dtype=torch.long), torch.arange(3)
    return torch.export.export(Steps().eval(), given, dynamic_shapes=({1: count}, {0: count}))


@pytest.mark.sample(1)
@pytest.mark.parametrize("cache", ["float32", "int8"])
def test_prefill_and_steps_give_the_logits_of_steps_alone(cache: Cache):
    program, text = varying_steps(), np.random.default_rng(2).integers(0, 16, PREFILLED + ROOM)

    def run(stream: Any, first: int, count: int) -> Any:
        given = {"tokens": text[None, first : first + count], "positions": np.arange(first, first + count)}
        (found,) = stream.run(given).values()
        return found[0]

    one, many = (
        compile_artifact(program, CompileOptions(target="c", cache=cache, name=name, dims={SIZE: count}))
        for name, count in (("one", 1), ("many", PREFILLED))
    )
    with one, many:
        alone, before, after = one.stream(), many.stream(), one.stream()
        wanted = np.concatenate([run(alone, at, 1) for at in range(PREFILLED + ROOM)])
        found = [run(before, 0, PREFILLED)]
        after.restore(before.snapshot())
        found += [run(after, PREFILLED + at, 1) for at in range(ROOM)]
    np.testing.assert_allclose(np.concatenate(found), wanted, rtol=0, atol=1e-5 * np.abs(wanted).max())


def test_prefill_of_a_program_is_a_second_network_of_its_tree(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    file, tree = tmp_path / "decoder.pt2", tmp_path / "tree"
    torch.export.save(varying_steps(), file)
    command = ["compile", str(file), "--prefill", f"{SIZE_IN_FILE}={PREFILLED}", "--target", "c", "-o", str(tree)]
    assert run_cli(command) == 0, capsys.readouterr().err
    assert "shared" in capsys.readouterr().out
    size = f"_STATE_SIZE {2 * 4 * HEAD * (PREFILLED + ROOM)}u"
    headers = [" ".join((tree / f"include/decoder_{part}.h").read_text().split()) for part in ("decode", "prefill")]
    assert all(size in header for header in headers)
    subprocess.run(["make", "-s", "test"], cwd=tree, check=True, capture_output=True)
