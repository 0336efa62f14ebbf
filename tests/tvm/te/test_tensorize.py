"""Blocks that functions of C of the program compute: `decl_tensor_intrin`, `tensorize` and `pragma import_c`."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from s2s import tvm
from s2s.errors import InputError, S2SError, UnsupportedError
from s2s.tvm import te, tir
from s2s.tvm.runtime import load_module
from s2s.types.dtypes import Array

N, M, L = 8, 48, 64
GEMV = """
static int gemv_update(float *cc, float *aa, float *bb, int m, int l, int stride) {
    for (int i = 0; i < m; ++i) {
        for (int j = 0; j < l; ++j) {
            cc[i] += aa[j] * bb[i * stride + j];
        }
    }
    return 0;
}
static int gemv_reset(float *cc, int m) {
    for (int i = 0; i < m; ++i) {
        cc[i] = 0.0f;
    }
    return 0;
}
static int gemv(float *cc, const float *aa, const float *bb, int m, int l, int stride) {
    return gemv_reset(cc, m) + gemv_update(cc, (float *)aa, (float *)bb, m, l, stride);
}
"""
A, B = te.placeholder((N, L), name="A"), te.placeholder((M, L), name="B")
k = te.reduce_axis((0, L), name="k")
C = te.compute((N, M), lambda i, j: te.sum(A[i, k] * B[j, k], axis=k), name="C")
Declared = dict[str, Any]


def gemv(m: int, l: int, parts: str = "body", declared: Declared | None = None) -> te.TensorIntrin:  # noqa: E741
    """`c[i] = sum(a[k] * b[i, k])` by the functions above."""
    a, b = te.placeholder((l,), name="a"), te.placeholder((m, l), name="b")
    k = te.reduce_axis((0, l), name="k")
    c = te.compute((m,), lambda i: te.sum(a[k] * b[i, k], axis=k), name="c")
    kept: Declared = {"strides": [te.var("s1"), 1], "offset_factor": 1, **(declared or {})}
    binds = {
        a: tir.decl_buffer(a.shape, a.dtype, name="A", offset_factor=1, strides=[1]),
        b: tir.decl_buffer(b.shape, b.dtype, name="B", **kept),
        c: tir.decl_buffer(c.shape, c.dtype, name="C", offset_factor=1, strides=[1]),
    }

    def call(name: str, ins: list[Any], outs: list[Any]) -> Any:
        numbers = [m] if not ins else [m, l, ins[1].strides[0] if ins[1].strides else l]
        pointers = [outs[0].access_ptr("w"), *(each.access_ptr("r") for each in ins)]
        ib = tir.ir_builder.create()
        ib.emit(tir.call_extern("int32", name, *pointers, *numbers))
        return ib.get()

    def bodies(ins: list[Any], outs: list[Any]) -> Any:
        made = {
            "body": lambda: call("gemv", ins, outs),
            "init": lambda: (call("gemv", ins, outs), call("gemv_reset", [], outs), call("gemv_update", ins, outs)),
            "first": lambda: (call("gemv", ins, outs), None, call("gemv_update", ins, outs)),
            "alone": lambda: (call("gemv", ins, outs), call("gemv_reset", [], outs)),
        }
        return made[parts]()

    return te.decl_tensor_intrin(c.op, bodies, name="gemv", binds=binds)


def whole(stage: te.Stage) -> None:
    """All of the reduction inside of the block."""
    x, y = C.op.axis
    yo, yi = stage.split(y, factor=16)
    stage.reorder(x, yo, yi, *C.op.reduce_axis)
    stage.tensorize(yi, gemv(16, L))


def divided(parts: str) -> Callable[[te.Stage], None]:
    """Parts of the reduction outside of the block, outside of a loop over blocks."""

    def schedule(stage: te.Stage) -> None:
        x, y = C.op.axis
        yo, yi = stage.split(y, factor=16)
        zo, zi = stage.split(C.op.reduce_axis[0], factor=32)
        stage.reorder(x, zo, yo, yi, zi)
        stage.tensorize(yi, gemv(16, 32, parts))

    return schedule


def fused(stage: te.Stage) -> None:
    """One loop over all blocks."""
    x, y = C.op.axis
    yo, yi = stage.split(y, factor=16)
    stage.reorder(x, yo, yi, *C.op.reduce_axis)
    stage.fuse(x, yo)
    stage.tensorize(yi, gemv(16, L))


def scheduled(schedule: Callable[[te.Stage], None]) -> te.Schedule:
    """The schedule of C, with the C of the functions."""
    s = te.create_schedule(C.op)
    schedule(s[C])
    s[C].pragma(s[C].leaf_iter_vars[0], "import_c", GEMV)
    return s


def operands() -> tuple[Array, Array]:
    rng = np.random.default_rng(0)
    return rng.standard_normal((N, L)).astype(np.float32), rng.standard_normal((M, L)).astype(np.float32)


@pytest.mark.parametrize("schedule", [whole, divided("init"), divided("first"), fused])
def test_functions_of_c_compute_blocks(schedule: Callable[[te.Stage], None]):
    function = tvm.build(scheduled(schedule), [A, B, C], target="llvm", name="gemv")
    a, b = operands()
    c = np.full((N, M), np.nan, np.float32)
    function(a, b, c)
    np.testing.assert_allclose(c, a @ b.T, rtol=1e-4, atol=1e-5)


def test_calls_stand_in_the_loops():
    text = tvm.lower(scheduled(divided("init")), [A, B, C], simple_mode=True)
    assert text.count('@loop.block_call("gemv_reset", C, A, B, ') == 1
    assert text.count('@loop.block_call("gemv_update", C, A, B, ') == 1
    source = tvm.build(scheduled(whole), [A, B, C], target="c", name="gemv").get_source()
    assert "gemv(&y[i0 * 48 + i1 * 16], (float *)&a[i0 * 64], (float *)&b[i1 * 1024], 16, 64, 64);" in source


def test_stages_before_and_after_are_kernels_of_their_own(tmp_path: Path):
    x = te.placeholder((N, L), name="X")
    more = te.compute((N, L), lambda i, j: x[i, j] + 1.0, name="more")
    half = te.compute((N, L), lambda i, j: more[i, j] * 0.5, name="half")
    k = te.reduce_axis((0, L), name="k")
    product = te.compute((N, M), lambda i, j: te.sum(half[i, k] * B[j, k], axis=k), name="product")
    last = te.compute((N, M), lambda i, j: te.max(product[i, j], 0.0), name="last")
    s = te.create_schedule(last.op)
    s[more].compute_inline()
    _, yi = s[product].split(product.op.axis[1], factor=16)
    s[product].tensorize(yi, gemv(16, L))
    s[product].pragma(yi, "import_c", GEMV)
    tvm.build(s, [x, B, last], name="around").export_library(tmp_path / "around.so")
    a, b = operands()
    y = np.zeros((N, M), np.float32)
    load_module(tmp_path / "around.so")["around"](a, b, y)
    np.testing.assert_allclose(y, np.maximum((a + 1) / 2 @ b.T, 0), rtol=1e-4, atol=1e-5)


def test_the_formula_may_name_operands_in_another_order_and_look_at_windows():
    x = te.placeholder((3, 20), name="X")
    y = te.compute((3, 16), lambda i, j: 2.0 * x[i, j + 1] + x[i, j], name="Y")  # not in the order of the intrinsic
    a = te.placeholder((5,), name="a")
    b = te.compute((4,), lambda j: a[j] + a[j + 1] * 2.0, name="b")

    def call(ins: list[Any], outs: list[Any]) -> Any:
        source = """static void pair(float *b, const float *a, double f) {
            for (int i = 0; i < 4; ++i) { b[i] = a[i] + (float)f * a[i + 1]; }
        }"""
        return tir.call_extern("void", "pair", outs[0].access_ptr("w"), ins[0].data, 2.0, source=source)

    s = te.create_schedule(y.op)
    _, inner = s[y].split(y.op.axis[1], factor=4)
    s[y].tensorize(inner, te.decl_tensor_intrin(b.op, call))
    given, made = np.arange(60, dtype=np.float32).reshape(3, 20), np.zeros((3, 16), np.float32)
    tvm.build(s, [x, y], name="pairs")(given, made)
    np.testing.assert_array_equal(made, given[:, :16] + 2 * given[:, 1:17])


def other_sizes(stage: te.Stage) -> None:
    _, yi = stage.split(C.op.axis[1], factor=8)
    stage.tensorize(yi, gemv(16, L))


def ragged(stage: te.Stage) -> None:
    _, yi = stage.split(C.op.axis[1], factor=10)
    stage.tensorize(yi, gemv(10, L))


def no_update(stage: te.Stage) -> None:
    divided("alone")(stage)


def strided(stage: te.Stage) -> None:
    zo, zi = stage.split(C.op.reduce_axis[0], factor=32)
    yo, yi = stage.split(C.op.axis[1], factor=16)
    stage.reorder(yo, zo, yi, zi)
    stage.tensorize(yi, gemv(16, 32, "init", {"strides": []}))


def far(stage: te.Stage) -> None:
    zo, zi = stage.split(C.op.reduce_axis[0], factor=32)
    yo, yi = stage.split(C.op.axis[1], factor=16)
    stage.reorder(yo, zo, yi, zi)
    stage.tensorize(yi, gemv(16, 32, "init", {"offset_factor": 64}))


def annotated(stage: te.Stage) -> None:
    yo, yi = stage.split(C.op.axis[1], factor=16)
    stage.parallel(yo)
    stage.tensorize(yi, gemv(16, L))


def inside_out(stage: te.Stage) -> None:
    yo, yi = stage.split(C.op.axis[1], factor=16)
    stage.reorder(yi, yo, *C.op.reduce_axis)
    stage.tensorize(yo, gemv(3, L))


def other_formula(stage: te.Stage) -> None:
    a, b = te.placeholder((L,), name="a"), te.placeholder((16, L), name="b")
    k = te.reduce_axis((0, L), name="k")
    c = te.compute((16,), lambda i: te.sum(a[k] + b[i, k], axis=k), name="c")
    _, yi = stage.split(C.op.axis[1], factor=16)
    stage.tensorize(yi, te.decl_tensor_intrin(c.op, lambda ins, outs: tir.call_extern("void", "f", outs[0].data)))


REFUSED: list[tuple[Callable[[te.Stage], None], str]] = [
    (other_sizes, r"the block inside makes \[1, 8\], and the intrinsic \[16\]; split loops so"),
    (ragged, r"split of j: 48 by 10 leaves a rest; take a factor that divides"),
    (no_update, r"a reduction is outside, and there is no reduce_update; return body, init and update"),
    (strided, r"buffer B dimension 0 of B has stride 64, and 32 is declared; declare strides="),
    (far, r"buffer B does not begin at multiples of offset_factor 64"),
    (annotated, r"loops around calls are plain; leave vectorize, unroll and parallel out"),
    (inside_out, r"j: the loops inside do not go through a block of it; split so that they do"),
    (other_formula, r"the formula sum\(.*\) is not its sum\(.*\); write both alike"),
]


@pytest.mark.parametrize(("schedule", "reason"), REFUSED)
def test_what_an_intrinsic_does_not_compute_is_refused(schedule: Callable[[te.Stage], None], reason: str):
    with pytest.raises(InputError, match=reason):
        tvm.build(scheduled(schedule), [A, B, C])


def test_the_c_is_asked_for_and_llvm_refused():
    s = te.create_schedule(C.op)
    whole(s[C])
    assert 'loop.block_call "gemv"' in tvm.lower(s, [A, B, C])
    with pytest.raises(InputError, match=r"no C says what gemv does; give it by s\[C\].pragma\(loop, \"import_c\""):
        tvm.build(s, [A, B, C])
    with pytest.raises(InputError, match="pragma import_llvm: kernels are C; give the C of the function by import_c"):
        s[C].pragma(C.op.axis[0], "import_llvm", "; ModuleID")
    with pytest.raises(InputError, match='pragma import_c: is C\\+\\+; leave extern "C" out'):
        s[C].pragma(C.op.axis[0], "import_c", 'extern "C" int f(void);')
    alone = te.create_schedule(C.op)
    alone[C].pragma(C.op.axis[0], "import_c", GEMV)
    with pytest.raises(InputError, match="pragma import_c: no call of C computes its blocks; tensorize a loop"):
        tvm.build(alone, [A, B, C])


def test_an_intrinsic_tells_what_it_is_made_of():
    intrin = gemv(16, L, "first")
    assert isinstance(intrin, te.TensorIntrin)
    assert all(isinstance(each, tir.Buffer) for each in intrin.buffers)
    assert [each.name for each in intrin.inputs] == ["a", "b"]
    assert (intrin.body is None, intrin.reduce_init is None, intrin.reduce_update is None) == (False, True, False)


def bodies(made: object) -> Callable[[], object]:
    return lambda: te.decl_tensor_intrin(C.op, lambda ins, outs: made, "f")


def called(function: Any) -> object:
    return function(A, B)


OTHERS: list[tuple[Callable[[], object], str]] = [
    (lambda: te.decl_tensor_intrin(A.op, lambda ins, outs: None, "f"), "f: A is no formula of one tensor"),
    (lambda: te.decl_tensor_intrin(C.op, lambda ins, outs: None, "f", scalar_params=[1]), "scalar_params are not"),
    (bodies(tir.const(1)), "bodies are calls of functions; give tir.call_extern"),
    (bodies([tir.call_extern("void", "f")] * 4), "4 bodies; give body, reduce_init and reduce_update"),
    (lambda: called(tir.ir_builder.create().for_range), "ir_builder.for_range: bodies are calls of functions"),
    (lambda: tir.decl_buffer((4,), scope="shared"), "decl_buffer buffer: scope is not offered; leave it out"),
    (lambda: tir.decl_buffer((4, 4), strides=[1]), "1 strides for 2 dimensions; give one for each"),
    (lambda: tir.decl_buffer((4,)).access_ptr("x"), "access_ptr: 'x' is no access; give r, w or rw"),
    (
        lambda: called(gemv(16, L)),
        "tensor intrinsic gemv: is not called in formulas; write the formula",
    ),
]


@pytest.mark.parametrize(("make", "reason"), OTHERS)
def test_bodies_are_calls_on_buffers(make: Callable[[], object], reason: str):
    with pytest.raises(S2SError, match=reason):
        make()


def test_packed_functions_take_whole_tensors():
    a = te.placeholder((4,), name="a")
    b = te.compute((4,), lambda i: a[i] + 1.0, name="b")
    intrin = te.decl_tensor_intrin(b.op, lambda ins, outs: tir.call_packed("test.more", ins[0], outs[0], source="//"))
    s = te.create_schedule(b.op)
    s[b].tensorize(b.op.axis[0], intrin)
    with pytest.raises(UnsupportedError, match=r"test.more: packed functions take whole tensors; call a C function"):
        tvm.build(s, [a, b])
