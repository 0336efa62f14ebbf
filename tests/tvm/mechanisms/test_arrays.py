"""Arrays, parameters and times as TVM 0.12 documents them."""

from typing import Any

import numpy as np

from s2s import tvm

A = np.arange(6, dtype=np.float32).reshape(2, 3)


def test_an_array_is_made_of_one_of_numpy():
    array = tvm.nd.array(A, tvm.cpu(0))
    assert (tuple(array.shape), array.dtype) == ((2, 3), "float32")
    tvm.testing.assert_allclose(array.numpy(), A)


def test_an_array_is_filled_by_a_copy():
    array = tvm.nd.empty((2, 3), "float32", tvm.cpu(0))
    array.copyfrom(A)
    other = tvm.nd.empty((2, 3))
    array.copyto(other)
    array[:] = np.zeros((2, 3), np.float32)
    tvm.testing.assert_allclose(other.numpy(), A)
    assert not np.asarray(array).any()
    copied: Any = other.copyto(tvm.cpu())
    tvm.testing.assert_allclose(copied.numpy(), A)


def test_an_array_goes_through_dlpack():
    shared: Any = tvm.nd.array(A)
    tvm.testing.assert_allclose(np.from_dlpack(shared), A)
    tvm.testing.assert_allclose(tvm.nd.from_dlpack(A).numpy(), A)


def test_parameters_are_bytes():
    params = {"b": tvm.nd.array(A), "a": tvm.nd.array(np.array([1, 2], np.int64))}
    content = tvm.runtime.save_param_dict(params)
    again = tvm.runtime.load_param_dict(content)
    assert bytes(content[:8]) == (0xF7E58D4F05049CB7).to_bytes(8, "little")
    assert {name: each.numpy().tolist() for name, each in again.items()} == {
        name: each.numpy().tolist() for name, each in params.items()
    }
    assert tvm.relay.save_param_dict(params) == content


def test_a_function_is_timed():
    a = tvm.te.placeholder((16,), name="A")
    b = tvm.te.compute((16,), lambda i: a[i] + 1.0, name="B")
    function = tvm.build(tvm.te.create_schedule(b.op), [a, b], "llvm", name="plus")
    arrays = [tvm.nd.array(np.ones(16, np.float32)), tvm.nd.empty((16,))]
    timed = function.time_evaluator(function.entry_name, tvm.cpu(0), number=4, repeat=3, min_repeat_ms=0)
    result = timed(*arrays)
    assert len(result.results) == 3
    assert result.mean > 0
    assert arrays[1].numpy().tolist() == [2.0] * 16
