"""`lower(…, simple_mode=True)`: loops in the form in which TVM prints them."""

import numpy as np
import pytest

from s2s import tvm
from s2s.tvm import te, tir, topi


def lowered(s: te.Schedule, args: list[te.Tensor], name: str = "main") -> str:
    return tvm.lower(s, args, name, simple_mode=True, target="x86-64-v3")


def test_a_formula_is_a_loop_and_a_store():
    a, b = te.placeholder((1024,), name="A"), te.placeholder((1024,), name="B")
    c = te.compute((1024,), lambda i: a[i] + b[i], name="C")
    assert lowered(te.create_schedule(c.op), [a, b, c], "add") == (
        "@add = primfn(A: Pointer(float32), B: Pointer(float32), C: Pointer(float32)) -> () {\n"
        "  for (i: int32, 0, 1024) {\n"
        "    C[i] = (A[i] + B[i])\n"
        "  }\n"
        "}"
    )


def test_threads_and_vectors_are_said():
    a = te.placeholder((256,), name="A")
    b = te.compute((256,), lambda i: a[i] * 2.0, name="B")
    s = te.create_schedule(b.op)
    outer, inner = s[b].split(b.op.axis[0], factor=8)
    s[b].parallel(outer)
    s[b].vectorize(inner)
    text = lowered(s, [a, b])
    assert '  for (io: int32, 0, 32) "parallel" {\n' in text
    assert "    B[ramp((io*8), 1, 8)] = (A[ramp((io*8), 1, 8)]*broadcast(2f32, 8))\n" in text


def test_a_reduction_is_a_local_buffer_and_a_stage_an_allocated_one():
    a = te.placeholder((64, 32), name="A")
    b = te.compute((64, 32), lambda i, j: te.exp(a[i, j]), name="B")
    k = te.reduce_axis((0, 32), "k")
    c = te.compute((64,), lambda i: te.sum(b[i, k], axis=k), name="C")
    assert lowered(te.create_schedule(c.op), [a, c]) == (
        "@main = primfn(A: Pointer(float32), C: Pointer(float32)) -> () {\n"
        "  allocate(B: Pointer(global float32), float32, [2048]), storage_scope = global;\n"
        "  for (i: int32, 0, 64) {\n"
        "    for (j: int32, 0, 32) {\n"
        "      B[((i*32) + j)] = @tir.exp(A[((i*32) + j)], dtype=float32)\n"
        "    }\n"
        "  }\n"
        "  for (i_1: int32, 0, 64) {\n"
        "    allocate(acc: Pointer(local float32), float32, [1]), storage_scope = local;\n"
        "    acc[0] = 0f32\n"
        "    for (k: int32, 0, 32) {\n"
        "      acc[0] = (acc[0] + B[((i_1*32) + k)])\n"
        "    }\n"
        "    C[i_1] = acc[0]\n"
        "  }\n"
        "}"
    )


def test_loops_of_one_sum_share_its_buffer():
    data, weight = te.placeholder((1, 8, 16, 16), name="D"), te.placeholder((4, 8, 3, 3), name="W")
    c = topi.nn.conv2d_nchw(data, weight, 1, 0, 1)
    text = lowered(te.create_schedule(c.op), [data, weight, c])
    assert text.count("allocate(") == 1
    assert "acc[0] = (acc[0] + (D[" in text


def test_tiles_are_written_out_with_their_sums():
    a, b = te.placeholder((64, 64), name="A"), te.placeholder((64, 64), name="B")
    k = te.reduce_axis((0, 64), "k")
    c = te.compute((64, 64), lambda x, y: te.sum(a[x, k] * b[k, y], axis=k), name="C")
    s = te.create_schedule(c.op)
    x, y = c.op.axis
    xo, yo, xi, yi = s[c].tile(x, y, 4, 16)
    s[c].reorder(xo, yo, k, xi, yi)
    s[c].vectorize(yi)
    text = lowered(s, [a, b, c])
    assert "allocate(acc: Pointer(local float32x8), float32x8, [8]), storage_scope = local;" in text
    assert "for (i: int32, 0, 8) { acc[i] = broadcast(0f32, 8) }" in text
    assert "acc[7] = ((A_4*B_2) + acc[7])" in text


def test_values_of_a_scan_and_calls_are_named():
    a = te.placeholder((4, 8), name="A")
    state = te.placeholder((4, 8))
    first = te.compute((1, 8), lambda _, i: a[0, i])
    total = te.scan(first, te.compute((4, 8), lambda t, i: state[t - 1, i] + a[t, i]), state, inputs=[a])
    text = lowered(te.create_schedule(total.op), [a, total])
    assert "@loop.call_for(@default_function_scan_step, " in text
    assert "@default_function_scan_step = primfn(" in text
    b = te.extern((8,), [a], lambda i, o: tir.call_packed("row", i[0], o[0]), name="B")
    assert "@func.call(@row, B, A)" in lowered(te.create_schedule(b.op), [a, b])


@pytest.mark.parametrize("target", ["c", "x86-64-v3", "cortex-m4", "cortex-m55"])
def test_every_operation_has_a_text(target: str):
    """No schedule of a target ends in something that cannot be shown, and each store of the loops is shown."""
    data, weight = te.placeholder((1, 8, 16, 16), "int8", "D"), te.placeholder((4, 8, 3, 3), "int8", "W")
    c = topi.nn.conv2d_nchw(data, weight, 1, 1, 1, "int32")
    s = te.create_schedule(c.op)
    s[c].vectorize(c.op.axis[3])
    loops = tvm.lower(s, [data, weight, c], target=target)
    text = tvm.lower(s, [data, weight, c], simple_mode=True, target=target)
    stores = sum(line.strip().split("[")[0] in ("pad_temp", "conv2d_nchw") for line in text.splitlines())
    assert stores == loops.count("loop.store ")


def test_the_text_changes_no_code():
    a = te.placeholder((16,), name="A")
    b = te.compute((16,), lambda i: a[i] + 1.0, name="B")
    c = te.compute((16,), lambda i: b[15 - i], name="C")
    s = te.create_schedule(c.op)
    plain = tvm.build(s, [a, c], "c", name="f").get_source()
    lowered(s, [a, c])
    built = te.build(s, [a, c], "c", name="f")
    texts = list(built.ir_module_by_target.values())
    assert built.get_source() == plain
    assert texts[0].startswith("@f = primfn(A: Pointer(float32), C: Pointer(float32)) -> () {\n")
    out = np.zeros(16, np.float32)
    built(np.arange(16, dtype=np.float32), out)
    np.testing.assert_array_equal(out, np.arange(16, dtype=np.float32)[::-1] + 1)


def test_what_was_lowered_is_built():
    a = te.placeholder((te.var("n"),), name="A")
    b = te.compute(a.shape, lambda i: a[i] + 1.0, name="B")
    s = te.create_schedule(b.op)
    for given in ({}, {"n": 5}):
        function = tvm.build(tvm.lower(s, [a, b], "more", bind=given), target="c")
        out = np.zeros(5, np.float32)
        function(np.ones(5, np.float32), out)
        assert (function.entry_name, out.tolist()) == ("more", [2.0] * 5)
    assert tvm.build(tvm.lower(s, [a, b])).entry_name == "default_function"
    with pytest.raises(ValueError, match="a schedule is built with its arguments; give a list of tensors"):
        tvm.build(s)
