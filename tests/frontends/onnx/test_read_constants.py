"""Models that are imported at several sizes: their constants are read once."""

from pathlib import Path

import numpy as np
import pytest
from onnx import ModelProto, TensorProto, numpy_helper

from s2s.errors import UnsupportedError
from s2s.frontends.onnx import LoadedModel, import_model, load_model, specialise
from s2s.frontends.onnx.read_constants import with_constants
from s2s.types.dtypes import Array
from s2s.types.weights import SharedArrays, WeightStore
from support.onnx_text import onnx_model

TABLE = np.arange(12, dtype=np.float32).reshape(3, 4)


def model() -> ModelProto:
    """`y = x @ table + 2`, with `N` rows."""
    made = onnx_model("(float[N, 3] x) => (float[N, 4] y) { p = MatMul (x, table) y = Add (p, two) }")
    made.graph.initializer.append(numpy_helper.from_array(TABLE, "table"))
    made.graph.initializer.append(numpy_helper.from_array(np.full((), 2, np.float32), "two"))
    made.metadata_props.add(key="author", value="a test")
    return made


def at(loaded: LoadedModel, rows: int) -> str:
    """The network with so many rows, and its weights, as text."""
    imported = import_model(specialise(loaded, {}, {"N": rows}))
    return f"{imported.module} {[imported.weights.get(name) for name in imported.weights.names()]}"


def test_networks_of_all_sizes_are_the_same():
    plain, read = load_model(model()), with_constants(load_model(model()))
    assert [at(read, rows) for rows in (5, 2)] == [at(plain, rows) for rows in (5, 2)]


def test_the_message_keeps_all_but_values_and_that_of_the_user_stays_whole():
    given = model()
    read = with_constants(load_model(given))
    assert given == model()
    for tensor in given.graph.initializer:
        tensor.ClearField("raw_data")
    assert read.proto == given
    assert with_constants(read) is read


def test_data_outside_of_the_file_is_read_once(tmp_path: Path):
    given = model()
    given.graph.initializer[0].CopyFrom(TensorProto(name="table", data_type=TensorProto.FLOAT, dims=[3, 4]))
    given.graph.initializer[0].data_location = TensorProto.EXTERNAL
    given.graph.initializer[0].external_data.add(key="location", value="table.bin")
    (tmp_path / "table.bin").write_bytes(TABLE.tobytes())
    (tmp_path / "model.onnx").write_bytes(given.SerializeToString())
    read = with_constants(load_model(tmp_path / "model.onnx"))
    (tmp_path / "table.bin").unlink()
    assert at(read, 5).replace("@model", "") == at(with_constants(load_model(model())), 5).replace("@model", "")


def test_a_constant_that_cannot_be_read_is_refused_when_the_network_is_imported():
    given = model()
    given.graph.initializer.append(
        TensorProto(name="waves", data_type=TensorProto.COMPLEX64, dims=[1], float_data=[1, 0])
    )
    read = with_constants(load_model(given))
    with pytest.raises(UnsupportedError, match="initializer waves: element type complex64"):
        import_model(specialise(read, {}, {"N": 5}))


def test_stores_share_hashes_of_shared_arrays_only(monkeypatch: pytest.MonkeyPatch):
    shared = SharedArrays({"table": TABLE})
    stores = [WeightStore(shared), WeightStore(shared), WeightStore()]
    for store in stores:
        store.add("table", shared.arrays["table"])
        store.add("other", TABLE.copy())
    assert len({store.hash(name) for store in stores for name in ("table", "other")}) == 1
    hashed = list[Array]()

    def note(array: Array) -> str:
        hashed.append(array)
        return "another"

    monkeypatch.setattr("s2s.types.weights._hash", note)
    fresh = WeightStore(shared)
    fresh.add("table", shared.arrays["table"])
    fresh.add("other", TABLE + 1)
    assert fresh.hash("table") == stores[0].hash("table")
    assert not hashed
    assert fresh.hash("other") == "another"
    assert [array.shape for array in hashed] == [(3, 4)]
    assert not shared.arrays["table"].flags.writeable
    assert TABLE.flags.writeable
