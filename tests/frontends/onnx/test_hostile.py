"""Damaged models are imported or refused with one clear message; never a traceback, never a hang."""

from random import Random

import onnx
import pytest

from s2s.errors import InputError, UnsupportedError
from s2s.frontends.onnx import import_model
from support.onnx_mutants import mutate_bytes, mutate_model
from support.onnx_seeds import SEEDS
from support.onnx_text import onnx_model

MODELS = [seed() for seed in SEEDS]
BATCH = 100


def is_refused(source: onnx.ModelProto | bytes) -> bool:
    """Whether `source` is refused, in lines that say place, fact and way out; else its import is a valid module."""
    try:
        import_model(source).module.verify()
        return False
    except InputError as error:
        lines = [str(error)]
    except UnsupportedError as error:
        lines = str(error).split("\n")
    for line in lines:
        assert line.isprintable(), line
        assert ": " in line, line
        assert ";" in line, line
    return True


@pytest.mark.parametrize("batch", range(5))
def test_damaged_bytes(batch: int):
    refused = 0
    for seed in range(batch * BATCH, (batch + 1) * BATCH):
        random = Random(seed)
        refused += is_refused(mutate_bytes(random.choice(MODELS).SerializeToString(), random))
    assert 0 < refused < BATCH


@pytest.mark.parametrize("batch", range(10))
def test_damaged_fields(batch: int):
    refused = 0
    for seed in range(batch * BATCH, (batch + 1) * BATCH):
        random = Random(seed)
        refused += is_refused(mutate_model(random.choice(MODELS), random))
    assert 0 < refused < BATCH


def test_every_prefix_of_a_file_is_refused():
    data = MODELS[1].SerializeToString()
    assert [length for length in range(0, len(data), 3) if not is_refused(data[:length])] == []


BOMBS = {
    "range": "(float[1] x) => (int64[N] y) <int64 a = {1}, int64 b = {1000000000000}> { y = Range(a, b, a) }",
    "identity matrix": "(float[40000, 40000] x) => (float[40000, 40000] y) { y = EyeLike(x) }",
    "one hot": """(int64[3] x, float[2] v) => (float[3, N] y) <int64 d = {1000000000}> { y = OneHot(x, d, v) }""",
    "spectrum": "(float[1, 100003, 1] x) => (float[1, 100003, 2] y) { y = DFT <axis = 1> (x) }",
    "rows of a loop": """(float[3] x, int64 n) => (float[3] last, float[k, 3] rows)
        <int64 most = {4611686018427387904}, bool yes = {1}>
        { count = Min (n, most) last, rows = Loop (count, yes, x) <body = step (int64 i, bool go, float[3] a) =>
          (bool on, float[3] b, float[3] row) { on = Identity (go) b = Add (a, a) row = Neg (a) }> }""",
    "results of branches": """(float[1000000000] x, bool c) => (float[k] y) <int64[1] zero = {0}, int64[1] three = {3}>
        { y = If (c) <then_branch = yes () => (float[1000000000] a) { a = Relu (x) },
                      else_branch = no () => (float[3] b) { b = Slice (x, zero, three) }> }""",
}  # fmt: skip


@pytest.mark.parametrize("body", BOMBS.values(), ids=BOMBS)
def test_constants_of_absurd_size_are_not_made(body: str):
    with pytest.raises(UnsupportedError, match=r"elements, more than .*; make it smaller"):
        import_model(onnx_model(body))


@pytest.mark.parametrize("levels", [60, 2000])
def test_trip_counts_are_bounded_by_few_operations(levels: int):
    """Each number has two readers: to look at every path would take 2^60 steps, to look to the end Python's stack."""
    steps = " ".join(f"v{n} = Max (p{n}, one) p{n + 1} = Min (p{n}, v{n})" for n in range(levels))
    body = f"""(float[3] x, int64 n) => (float[3] last, float[k, 3] rows) <int64 one = {{1}}, bool yes = {{1}}>
        {{ p0 = Neg (n) {steps} last, rows = Loop (p{levels}, yes, x) <body = step (int64 i, bool go, float[3] a) =>
          (bool on, float[3] b, float[3] row) {{ on = Identity (go) b = Add (a, a) row = Neg (a) }}> }}"""
    with pytest.raises(UnsupportedError, match="without a bound; bound the trip count"):
        import_model(onnx_model(body))


EMPTY_BUT_LARGE = {
    "tile": "(float[4, 0] x) => (float[M, N] y) <int64[2] r = {4611686018427387904, 1}> { y = Tile(x, r) }",
    "pad": "(float[4, 0] x) => (float[M, N] y) <int64[4] r = {0, 0, 4611686018427387904, 0}> { y = Pad(x, r) }",
    "reshape": "(float[4, 0] x) => (float[M, N] y) <int64[2] r = {0, 4611686018427387904}> "
    "{ y = Reshape <allowzero = 1> (x, r) }",
    "expand": "(float[0, 1, 1] x) => (float[M, N, O] y) <int64[3] r = {1, 2147483647, 2147483647}> "
    "{ y = Expand(x, r) }",
    "input": "(float[2147483647, 2147483647, 2147483647, 0] x) => (float[M, N, O, P] y) { y = Relu(x) }",
}


@pytest.mark.parametrize("body", EMPTY_BUT_LARGE.values(), ids=EMPTY_BUT_LARGE)
def test_large_sizes_beside_a_size_of_zero_are_refused(body: str):
    with pytest.raises((InputError, UnsupportedError), match=r"elements.*; "):
        import_model(onnx_model(body))


def test_large_products_of_constants_are_left_to_the_network():
    """Their windows written out would need terabytes."""
    body = """(float[1] x) => (float y) <int64[4] s = {1, 1, 4000, 4000}, int64[4] t = {1, 1, 2000, 2000}> {
        image = ConstantOfShape(s)
        kernel = ConstantOfShape(t)
        y = Conv(image, kernel)
    }"""
    operations = [op.name for op in import_model(onnx_model(body)).module.walk()]
    assert "graph.conv" in operations


REFUSED = {
    "(float[1, 2] x) => (float[N, M] y) { [one] y = ReduceSum <keepdims = 8> (x) }": (
        r"one \(ReduceSum\): attribute 'keepdims' is 8; give 0 or 1"
    ),
    "(float[1] x) => () { y = Relu(x) }": "graph g: has no outputs; name at least one",
}


@pytest.mark.parametrize(("body", "message"), REFUSED.items())
def test_what_engines_read_in_different_ways_is_refused(body: str, message: str):
    with pytest.raises(InputError, match=message):
        import_model(onnx_model(body))
