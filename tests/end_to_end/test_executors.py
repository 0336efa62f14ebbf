"""The executors and the graph JSON give the same bits, and the graph executor is reached under TVM's names."""

import json
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest

import s2s
from s2s import api
from s2s.artifact import Artifact
from s2s.data.samples import sample
from s2s.emit.files import Tree
from s2s.emit.kernel_table import with_library
from s2s.emit.stream import pieces
from s2s.errors import InputError, UnsupportedError
from s2s.executor import graph_json_reader
from s2s.executor.graph_json import dump
from s2s.executor.params import load_param_dict, save_param_dict
from s2s.executor.session import Session
from s2s.tvm.contrib.export import export_library
from s2s.tvm.contrib.graph_executor import GraphModule, create
from s2s.tvm.relay import frontend
from s2s.tvm.runtime import load_module
from s2s.tvm.runtime.library import LibraryModule, create_shared
from s2s.tvm.runtime.packed_func import PackedError
from s2s.types.dtypes import Array, tensor_type
from support.compiled import compiled, quickly_loaded, run_c
from support.graph_json_runner import GraphJsonRunner
from support.operator_cases import network
from support.project import ROOT, SHARED
from support.random_networks import SHAPE
from support.seeded_networks import seeded_networks
from support.tflite_networks import random_network
from support.trees import FAMILIES, artifact_of

DIGITS = ROOT / "examples" / "digits" / "digits.onnx"
MODELS = SHARED / "models" / "onnx"


def made_up_inputs(artifact: Artifact) -> list[Array]:
    return [sample(port.name, tensor_type(port.element, port.shape), seed=1) for port in artifact.info.inputs]


def assert_same_bits(first: list[Array], second: list[Array]) -> None:
    assert len(first) == len(second)
    for one, other in zip(first, second, strict=True):
        assert (one.dtype, one.shape) == (other.dtype, other.shape)
        assert one.tobytes() == other.tobytes()


def check_executors(aot: Artifact, tables: Artifact, inputs: list[Array]) -> None:
    """Run the network by its run function, by its tables, and by its graph JSON in Python and in C."""
    found = run_c(aot, inputs)
    assert_same_bits(found, run_c(tables, inputs))
    tree, name = tables.tree(), tables.name
    params = load_param_dict(b"".join(pieces(tree.files[f"{name}.params"])))
    runner = GraphJsonRunner(tree.text(f"{name}.graph.json"), str(tables.loaded().path), params)
    assert_same_bits(found, runner.run(inputs))
    assert_same_bits(found, runner.run(inputs))
    assert_same_bits(found, run_json_in_c(tables, params, inputs))


def run_json_in_c(tables: Artifact, params: Mapping[str, Array], inputs: list[Array]) -> list[Array]:
    """Run the graph JSON by the loader of the runtime on the kernels of the tree as packed functions."""
    network = tables.info.graph
    assert network is not None
    functions = with_library(Tree({}), network, tables.name, b"").files
    library = tables.loaded()
    with TemporaryDirectory() as folder:
        for path, content in functions.items():
            (Path(folder) / Path(path).name).write_bytes(b"".join(pieces(content)))
        prototypes = tables.tree().files[f"src/{tables.name}_kernels.h"]
        (Path(folder) / f"{tables.name}_kernels.h").write_bytes(b"".join(pieces(prototypes)))
        path, sources = Path(folder) / "functions.so", sorted(Path(folder).glob("*.c"))
        create_shared(path, [*sources, library.path], ["-O1", f"-I{folder}", f"-I{ROOT / 'runtime_c' / 'include'}"])
        module = create(dump(network), LibraryModule(path))
        module.load_params(save_param_dict(params))
        for index, value in enumerate(inputs):
            module.set_input(index, value)
        module.run()
        return [module.get_output(index).numpy() for index in range(module.get_num_outputs())]


@pytest.mark.sample(1)
@pytest.mark.parametrize("target", ["c", "host"])
def test_random_networks_have_the_same_bits(target: str):
    module, weights = seeded_networks(range(40, 60))
    inputs = [np.random.default_rng(5).standard_normal(SHAPE).astype(np.float32)]
    with (
        compiled(module, weights, executor="aot", target=target) as aot,
        compiled(module, weights, executor="graph", target=target) as tables,
    ):
        check_executors(aot, tables, inputs)


@pytest.mark.sample(2)
@pytest.mark.parametrize(
    "family",
    [
        *("indices", "shapes", "reductions", "quantised"),
        *("products", "normalisations", "convolutions", "pools"),
    ],
)
def test_operators_have_the_same_bits(family: str):
    _, inputs = network(FAMILIES[family]())
    check_executors(artifact_of(family, "host"), artifact_of(family, "host", executor="graph"), inputs)


@pytest.mark.sample(3)
@pytest.mark.parametrize(
    "path",
    [DIGITS, *sorted(MODELS.glob("tiny_*.onnx")), *sorted(MODELS.glob("op_*.onnx")), MODELS / "mlp.onnx"],
    ids=lambda path: path.stem,
)
def test_models_have_the_same_bits(path: Path):
    if not path.is_file():
        pytest.skip("the model is not there")
    with api.compile(path) as aot, api.compile(path, executor="graph") as tables:
        check_executors(aot, tables, made_up_inputs(aot))


@pytest.mark.sample(2)
@pytest.mark.parametrize("seed", range(6))
def test_tflite_networks_have_the_same_bits(seed: int):
    model = random_network(seed).data
    with api.compile(model, executor="graph", target="c") as tables, api.compile(model, target="c") as aot:
        check_executors(aot, tables, made_up_inputs(aot))


@pytest.mark.parametrize(("name", "why"), [("gru_kws", "loops or branches"), ("lstm", "loops or branches")])
def test_networks_that_tables_cannot_say_are_refused(name: str, why: str):
    if not (MODELS / f"{name}.onnx").is_file():
        pytest.skip("the model is not there")
    with pytest.raises(UnsupportedError, match=why):
        api.compile(MODELS / f"{name}.onnx", executor="graph")


@pytest.fixture(scope="module")
def tables():
    """The digits network for the graph executor, built."""
    with api.compile(DIGITS, executor="graph", target="c") as artifact:
        quickly_loaded(artifact)
        yield artifact


def test_graph_json_and_params_stand_beside_the_tables(tables: Artifact):
    tree = tables.tree()
    described = json.loads(tree.text("digits.graph.json"))
    params = load_param_dict(b"".join(pieces(tree.files["digits.params"])))
    names = [node["name"] for node in described["nodes"]]
    sources = [names[number] for number in described["arg_nodes"]]
    assert sources[: len(tables.info.inputs)] == [port.name for port in tables.info.inputs]
    assert set(params) <= set(sources)
    functions = {node["attrs"]["func_name"] for node in described["nodes"] if node["op"] == "tvm_op"}
    assert all(f"{name}(" in tree.text("src/digits_kernels.h") for name in functions if name != "__nop")


def test_params_of_the_file_are_those_of_the_library(tables: Artifact):
    tree = tables.tree()
    module = GraphModule(Session(tables.loaded()))
    [image] = made_up_inputs(tables)
    module.run(image=image)
    before = module.get_output(0).numpy()
    module.load_params(b"".join(pieces(tree.files["digits.params"])))
    module.run()
    assert module.get_output(0).tobytes() == before.tobytes()


def test_graph_module_runs_a_compiled_network(tables: Artifact):
    text = tables.tree().text("digits.graph.json")
    module = create(text, tables.loaded(), api.cpu())
    [image] = made_up_inputs(tables)
    module.set_input("image", image)
    module.run()
    found = module.get_output(0).numpy()
    with api.compile(DIGITS, target="c") as aot:
        assert_same_bits([found], run_c(aot, [image]))


def test_two_contexts_interleave(tables: Artifact):
    first, second = (GraphModule(Session(tables.loaded())) for _ in range(2))
    [image] = made_up_inputs(tables)
    first.set_input("image", image)
    second.set_input("image", -image)
    first.run()
    second.run()
    kept = first.get_output(0).numpy()
    first.run()
    assert first.get_output(0).tobytes() == kept.tobytes()
    assert second.get_output(0).tobytes() != kept.tobytes()


def test_build_gives_what_compile_gives(tables: Artifact):
    module, params = frontend.from_onnx(DIGITS)
    library = s2s.build(module, target="c", params=params)
    runtime = GraphModule(library["default"](api.cpu()))
    [image] = made_up_inputs(tables)
    runtime.run(image=image)
    assert_same_bits([runtime.get_output(0).numpy()], list(tables.run({"image": image}).values()))
    assert graph_json_reader.load(library.get_graph_json()).outputs
    assert set(library.get_params()) <= set(library.get_graph_json().split('"'))


def test_build_takes_the_values_of_params():
    module, params = frontend.from_onnx(DIGITS)
    zeros = {name: np.zeros_like(value) for name, value in params.items()}
    text = str(module)
    runtime = GraphModule(s2s.build(module, target="c", params=zeros)["default"](None))
    runtime.run(image=np.ones((1, 1, 8, 8), np.float32))
    assert len(set(runtime.get_output(0).numpy().ravel().tolist())) == 1
    assert str(module) == text


def test_build_refuses_params_that_do_not_fit():
    module, params = frontend.from_onnx(DIGITS)
    name, value = next(iter(params.items()))
    with pytest.raises(InputError, match=r"weight '.*': params hold no value for it; give one"):
        s2s.build(module.module, params={key: array for key, array in params.items() if key != name})
    with pytest.raises(InputError, match=r"params hold float64\[.*\], the module wants tensor<"):
        s2s.build(module, params={**params, name: value.astype(np.float64)})


def test_library_holds_one_network_for_one_executor():
    module, params = frontend.from_onnx(DIGITS)
    library = s2s.build(module, target="c", params=params, executor="aot", mod_name="digits")
    with pytest.raises(InputError, match="the library holds 'digits'"):
        library["default"]
    with pytest.raises(InputError, match="executor aot, which has no graph JSON"):
        library.get_graph_json()


@pytest.mark.parametrize("ending", ["so", "tar"])
def test_libraries_are_exported_and_loaded(ending: str, tables: Artifact, tmp_path: Path):
    path = tmp_path / f"digits.{ending}"
    export_library(tables, "default", path)
    module = load_module(path)
    assert module.type_key == "GraphExecutorFactory"
    [kernels] = module.imported_modules
    [image] = made_up_inputs(tables)
    found = GraphModule(module["default"](api.cpu()))
    found.run(image=image)
    assert_same_bits([found.get_output(0).numpy()], list(tables.run({"image": image}).values()))
    assert module["get_graph_json"]() == tables.tree().text("digits.graph.json")
    x = np.arange(-5, 5, dtype=np.float32).reshape(1, 10)
    y, scratch = np.zeros_like(x), [np.zeros(10, np.float32)]
    kernels["digits_softmax"](x, y, *scratch)
    np.testing.assert_allclose(y, np.exp(x) / np.exp(x).sum(), rtol=1e-5)
    with pytest.raises(PackedError, match="another element type"):
        kernels["digits_softmax"](x.astype(np.int32), y, *scratch)


def test_other_files_are_no_modules(tmp_path: Path):
    for ending, fact in (("so", "cannot be loaded"), ("tar", "is no")):
        (tmp_path / f"junk.{ending}").write_bytes(b"junk")
        with pytest.raises(InputError, match=fact):
            load_module(tmp_path / f"junk.{ending}")
    with pytest.raises(InputError, match="there is no such file"):
        load_module(tmp_path / "missing.so")
