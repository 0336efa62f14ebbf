"""Files and versions: what is read, what is refused, and that nothing outside the model's folder is opened."""

import sys
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from s2s.errors import InputError, UnsupportedError
from s2s.frontends.onnx import import_model, load_model
from support.onnx_nodes import run_imported
from support.onnx_text import onnx_file, onnx_model

RELU = "(float[2] x) => (float[2] y) { y = Relu(x) }"


def external_model(folder: Path, location: str, **entries: str) -> Path:
    """A model `y = x + w` in `folder` whose `w`, 1 to 4, is said to lie at `location`."""
    tensor = TensorProto(name="w", data_type=TensorProto.FLOAT, dims=[4], data_location=TensorProto.EXTERNAL)
    for key, value in {"location": location, **entries}.items():
        tensor.external_data.add(key=key, value=value)
    graph = helper.make_graph(
        [helper.make_node("Add", ["x", "w"], ["y"])],
        "g",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [4])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [4])],
        [tensor],
    )
    file = folder / "model.onnx"
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    file.write_bytes(model.SerializeToString())
    return file


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with the data of four floats, within one that holds the same."""
    inner = tmp_path / "model"
    inner.mkdir()
    for place in (tmp_path, inner):
        (place / "data.bin").write_bytes(np.arange(1, 5, dtype="<f4").tobytes())
    return inner


def test_path_bytes_and_message_are_the_same(tmp_path: Path):
    file = onnx_file(RELU, tmp_path)
    for source in (file, str(file), file.read_bytes(), onnx.ModelProto.FromString(file.read_bytes())):
        assert len(load_model(source).proto.graph.node) == 1


@pytest.mark.parametrize("data", [b"", b"\x00", b"hello, this is a text", b"\x08\x07", bytes(range(256))])
def test_what_is_no_model_is_refused(data: bytes, tmp_path: Path):
    file = tmp_path / "model.onnx"
    file.write_bytes(data)
    with pytest.raises(InputError, match=r"model\.onnx: .*;"):
        load_model(file)


def test_truncated_file_is_refused(tmp_path: Path):
    file = onnx_file(RELU, tmp_path)
    file.write_bytes(file.read_bytes()[:-9])
    with pytest.raises(InputError, match=r"model\.onnx: "):
        import_model(file)


def test_missing_file_and_folder_are_refused(tmp_path: Path):
    with pytest.raises(InputError, match="No such file"):
        load_model(tmp_path / "no.onnx")
    with pytest.raises(InputError, match="is not a file"):
        load_model(tmp_path)


def test_opsets_that_do_not_exist_yet_are_unsupported():
    with pytest.raises(UnsupportedError, match="opset 99 is newer than 28; export"):
        load_model(onnx_model(RELU, 99))


def test_old_opsets_are_read_where_nothing_has_changed():
    body = "(bool[2] x) => (bool[2] y) { y = Not(x) }"
    found = run_imported(import_model(onnx_model(body, 1)), [np.array([True, False])])
    np.testing.assert_array_equal(found[0], [False, True])


def test_operators_of_old_opsets_that_have_changed_are_unsupported():
    with pytest.raises(UnsupportedError, match="opset 5 is read only for operators that have not changed until 6"):
        import_model(onnx_model(RELU, 5))


def test_newer_ir_version_is_unsupported():
    model = onnx_model(RELU)
    model.ir_version = 99
    with pytest.raises(UnsupportedError, match="IR version 99"):
        load_model(model)


def test_domain_imported_in_two_versions_is_refused():
    model = onnx_model(RELU)
    model.opset_import.add(domain="ai.onnx", version=18)
    with pytest.raises(InputError, match=r"imports opset domain 'ai\.onnx' in versions 17 and 18; keep one"):
        load_model(model)


def test_equal_imports_of_a_domain_count_once():
    model = onnx_model(RELU)
    model.opset_import.add(domain="ai.onnx", version=17)
    assert load_model(model).opsets() == {"": 17}


def test_external_data_is_read(folder: Path):
    imported = import_model(external_model(folder, "data.bin"))
    np.testing.assert_array_equal(run_imported(imported, [np.zeros(4, np.float32)])[0], [1, 2, 3, 4])


def test_external_data_is_read_at_its_offset(folder: Path):
    (folder / "data.bin").write_bytes(bytes(8) + np.arange(1, 9, dtype="<f4").tobytes())
    imported = import_model(external_model(folder, "data.bin", offset="8", length="16"))
    np.testing.assert_array_equal(run_imported(imported, [np.zeros(4, np.float32)])[0], [1, 2, 3, 4])


LOCATIONS = [
    "../data.bin",
    "sub/../../data.bin",
    "{parent}/data.bin",
    "no.bin",
    "",
    ".",
    pytest.param("x" * 5000, id="long"),
]


@pytest.mark.parametrize("location", LOCATIONS)
def test_external_data_outside_the_folder_is_refused(location: str, folder: Path):
    with pytest.raises(InputError, match=r"initializer w: external data .*; put the file into the model's folder"):
        import_model(external_model(folder, location.format(parent=folder.parent)))


@pytest.mark.parametrize("link", ["symbolic", "hard", "folder"])
def test_links_out_of_the_folder_are_refused(link: str, folder: Path):
    location = "link.bin"
    if link == "symbolic":
        (folder / location).symlink_to(folder.parent / "data.bin")
    elif link == "hard":
        (folder / location).hardlink_to(folder.parent / "data.bin")
    else:
        (folder / "sub").symlink_to(folder.parent)
        location = "sub/data.bin"
    with pytest.raises(InputError, match="initializer w: "):
        import_model(external_model(folder, location))


@pytest.mark.parametrize(
    "entries", [{"length": "12"}, {"length": "1000000000000"}, {"offset": "4"}, {"offset": "-4"}, {"offset": "ten"}]
)
def test_external_range_that_does_not_fit_is_refused(entries: dict[str, str], folder: Path):
    with pytest.raises(InputError, match="initializer w: "):
        import_model(external_model(folder, "data.bin", **entries))


def test_only_files_of_the_folder_are_opened(folder: Path):
    """Every file that Python opens during an import lies in the model's folder."""
    opened: list[str] = []
    active = True

    def watch(event: str, arguments: tuple[Any, ...]) -> None:
        if active and event == "open" and isinstance(arguments[0], str):
            opened.append(arguments[0])

    file = external_model(folder, "../data.bin")
    sys.addaudithook(watch)
    with pytest.raises(InputError):
        import_model(file)
    active = False
    assert [name for name in opened if not Path(name).is_relative_to(folder) and "site-packages" not in name] == []


def test_external_data_without_a_folder_is_refused(folder: Path):
    data = external_model(folder, "data.bin").read_bytes()
    with pytest.raises(InputError, match="give the model by its path"):
        import_model(data)


def tensor(**fields: Any) -> TensorProto:
    """A tensor `w` of floats."""
    make: Any = TensorProto
    return make(**{"name": "w", "data_type": TensorProto.FLOAT, "dims": [4], **fields})


@pytest.mark.parametrize(
    ("damaged", "message"),
    [
        (tensor(raw_data=bytes(15)), "holds 15 bytes, its shape .* needs 16"),
        (tensor(raw_data=bytes(17)), "holds 17 bytes"),
        (tensor(float_data=[1, 2, 3]), "holds 3 values"),
        (tensor(dims=[-1], raw_data=b""), "negative dimension"),
        (tensor(dims=[2**40, 2**40], raw_data=b""), "elements"),
        (tensor(dims=[2**62, 0], raw_data=b""), "elements"),
        (tensor(dims=[1] * 40, raw_data=bytes(4)), "dimensions"),
        (tensor(data_type=TensorProto.STRING, string_data=[b"a"] * 3), "holds 3 values"),
        (tensor(data_type=TensorProto.COMPLEX64, raw_data=bytes(32)), "element type complex64"),
        (tensor(data_type=77, raw_data=bytes(16)), "element type 77 is unknown"),
        (tensor(data_type=0, raw_data=bytes(16)), "element type"),
        (tensor(segment=TensorProto.Segment(begin=0, end=4), raw_data=bytes(16)), "segments"),
    ],
)
def test_tensor_that_contradicts_itself_is_refused(damaged: TensorProto, message: str):
    model = onnx_model("(float[4] x) => (float[4] y) { y = Add(x, x) }")
    model.graph.initializer.append(damaged)
    with pytest.raises((InputError, UnsupportedError), match=f"initializer w: .*{message}.*;"):
        import_model(model)


def test_bools_are_zero_or_one():
    model = onnx_model("(bool[3] x) => (bool[3] y) { y = And(x, w) }")
    model.graph.initializer.append(
        TensorProto(name="w", data_type=TensorProto.BOOL, dims=[3], raw_data=bytes([0, 2, 255]))
    )
    found = run_imported(import_model(model), [np.ones(3, np.bool_)])[0]
    assert found.view(np.uint8).tolist() == [0, 1, 1]


@pytest.mark.parametrize("indices", [np.array([1, 5]), np.array([[0, 1], [1, 2]])])
def test_sparse_initializer_is_dense_here(indices: np.ndarray[tuple[int, ...], np.dtype[np.int64]]):
    model = onnx_model("(float[2, 3] x) => (float[2, 3] y) { y = Mul(x, x) }")
    model.graph.node[0].input[1] = "w"
    values = numpy_helper.from_array(np.array([4, 5], np.float32), "w")
    model.graph.sparse_initializer.append(helper.make_sparse_tensor(values, numpy_helper.from_array(indices), [2, 3]))
    found = run_imported(import_model(model), [np.ones((2, 3), np.float32)])[0]
    assert found.tolist() == [[0, 4, 0], [0, 0, 5]]


def test_sparse_index_outside_the_shape_is_refused():
    model = onnx_model("(float[2, 3] x) => (float[2, 3] y) { y = Mul(x, x) }")
    values, indices = np.array([4], np.float32), np.array([[0, 7]])
    model.graph.sparse_initializer.append(
        helper.make_sparse_tensor(numpy_helper.from_array(values, "w"), numpy_helper.from_array(indices), [2, 3])
    )
    with pytest.raises(InputError, match="sparse index"):
        import_model(model)
