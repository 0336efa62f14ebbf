"""Networks on two devices: the same results as on one, and no access of one device to the memory of the other."""

import json
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from s2s import api
from s2s.artifact import compile_artifact
from s2s.compilation import Compilation
from s2s.dialects import graph
from s2s.errors import CompilerBug, InputError
from s2s.options import CompileOptions, Executor
from s2s.tvm import relay
from s2s.types.devices import Device
from s2s.types.relay_operators import RELAY_OPERATORS
from support.c_compilers import require
from support.device_networks import LAYERS, residual, sample
from support.project import SHARED

RESNET = SHARED / "models" / "mlperf_tiny" / "pretrainedResnet_quant.tflite"
HALF = ["model/activation_[3-6]/Relu", "model/batch_normalization_[46]/*", "model/conv2d_[58]/*"]
"""The second and third of the three stacks of ResNet-8."""


@pytest.fixture(scope="module")
def expected() -> np.ndarray:
    """The output of the network on one device."""
    with api.compile(residual(), target="c", name="net") as plain:
        return plain.run(sample())["y"]


@pytest.fixture(scope="module")
def two() -> api.Artifact:
    """The network with its second block on another device."""
    return api.compile(residual(), target="c", name="net", devices={"dsp": {"layers": LAYERS}})


def test_two_devices_give_the_bits_of_one(two: api.Artifact, expected: np.ndarray):
    with two:
        assert two.run(sample())["y"].tobytes() == expected.tobytes()


@pytest.fixture(scope="module")
def tables() -> api.Artifact:
    """The network on two devices as tables."""
    return api.compile(residual(), target="c", name="net", executor="graph", devices={"dsp": {"layers": LAYERS}})


def test_tables_give_the_bits_of_one_device(tables: api.Artifact, expected: np.ndarray):
    with tables:
        assert tables.run(sample())["y"].tobytes() == expected.tobytes()


def test_the_tree_of_tables_tests_itself(tables: api.Artifact, tmp_path: Path):
    require("gcc")
    tables.write(tmp_path / "net")
    done = subprocess.run(["make", "-s", "test"], cwd=tmp_path / "net", capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_graph_json_copies_between_devices(tables: api.Artifact):
    text = tables.tree().text("net.graph.json")
    assert text.count("__copy") == 2


@pytest.mark.parametrize("executor", ["aot", "graph"])
def test_copies_that_are_started_are_waited_for(executor: Executor, expected: np.ndarray):
    devices = {"dsp": {"layers": LAYERS, "copy": "start-wait"}}
    with api.compile(residual(), target="c", name="net", executor=executor, devices=devices) as found:
        text = found.tree().text("src/net.c" if executor == "aot" else "src/net_graph.c")
        assert text.index("start_copy_to_dsp") < text.index("wait_for_dsp")
        assert "void net_wait_for_dsp(void);" in found.tree().text("include/net.h")
        assert found.run(sample())["y"].tobytes() == expected.tobytes()


CALL_HOOKS = """
#include "net.h"
#include "s2s_arena.h"
#include <stdio.h>

S2S_ARENA(arena_main, NET_ARENA_MAIN_SIZE, NET_ARENA_ALIGN);
S2S_ARENA(arena_dsp, NET_ARENA_DSP_SIZE, NET_ARENA_ALIGN);
static float x[NET_X_SIZE], y[NET_Y_SIZE];

static void copy(char *target, const char *source, size_t size) { while (size-- > 0) { *target++ = *source++; } }

void net_copy_to_dsp(void *target, const void *source, size_t size) { printf("to "); copy(target, source, size); }
void net_copy_from_dsp(void *target, const void *source, size_t size) { printf("from "); copy(target, source, size); }
void net_enter_dsp(void) { printf("enter "); }
void net_leave_dsp(void) { printf("leave "); }

int main(void)
{
    for (size_t i = 0; i < NET_X_SIZE; i++) {
        x[i] = (float)(i % 17) * 0.125f - 1.0f;
    }
    return net_run(arena_main, arena_dsp, x, y);
}
"""


def test_hooks_are_called_around_the_kernels_of_a_device(expected: np.ndarray, tmp_path: Path):
    """The hooks of the tree do nothing; those of a project are called after the copy there, and before the one back."""
    require("gcc")
    devices = {"dsp": {"layers": LAYERS, "calls": "hooks"}}
    with api.compile(residual(), target="c", name="net", devices=devices) as found:
        assert found.run(sample())["y"].tobytes() == expected.tobytes()
        found.write(tmp_path / "net")
    (tmp_path / "net" / "hooks.c").write_text(CALL_HOOKS)
    sources = [path for folder in ("src", "src/dsp") for path in sorted((tmp_path / "net" / folder).glob("*.c"))]
    includes = [f"-I{tmp_path / 'net' / folder}" for folder in ("include", "src", "runtime/include")]
    command = ["gcc", "-std=c99", "-DNET_DSP_HOOKS", *includes, *sources, tmp_path / "net" / "hooks.c", "-lm"]
    subprocess.run([*command, "-o", tmp_path / "hooks"], check=True)
    done = subprocess.run([tmp_path / "hooks"], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["to", "enter", "leave", "from"]


def test_tables_call_the_hooks_around_kernels(expected: np.ndarray):
    devices = {"dsp": {"layers": LAYERS, "calls": "hooks", "memory": "shared"}}
    with api.compile(residual(), target="c", name="net", executor="graph", devices=devices) as found:
        text = found.tree().text("src/net_graph.c")
        assert "net_enter_dsp();" in text
        assert found.run(sample())["y"].tobytes() == expected.tobytes()
    assert "void net_leave_dsp(void);" in found.tree().text("include/net.h")


def test_kernels_are_compiled_for_the_target_of_their_device(expected: np.ndarray):
    devices = {"dsp": {"layers": LAYERS, "target": "x86-64-v3"}}
    with api.compile(residual(), target="c", name="net", devices=devices) as found:
        assert "s2s_f32x8" in found.tree().text("src/dsp/net_dsp_kernels.c")
        assert "s2s_f32x8" not in found.tree().text("src/net_kernels.c")
        np.testing.assert_allclose(found.run(sample())["y"], expected, rtol=1e-5)


def divided(**options: Any) -> api.Artifact:
    """The network with kernels on two threads, however short they are."""
    found = api.compile(residual(), target="x86-64-v3", name="net", threads=2, **options)
    subjects = [each.subject for each in found.info.decisions if each.kind == "threads"]
    entries = [{"kind": "threads", "subject": subject, "chosen": "divided"} for subject in subjects[:2]]
    decisions = {"format": 1, "decisions": entries}
    return api.compile(residual(), target="x86-64-v3", name="net", threads=2, decisions=decisions, **options)


def test_threads_share_kernels_of_the_first_device(expected: np.ndarray, tmp_path: Path):
    require("gcc")
    with divided(devices={"dsp": {"layers": LAYERS}}) as found:
        assert "net_run(void *arena_main, void *arena_dsp, s2s_pool *pool," in found.tree().text("src/net.c")
        assert "(pool, " in found.tree().text("src/net.c")
        assert "net_dsp_conv_1x1_s2(a2" in found.tree().text("src/net.c")
        np.testing.assert_allclose(found.run(sample())["y"], expected, rtol=1e-5)
        found.write(tmp_path / "net")
    done = subprocess.run(["make", "-s", "test"], cwd=tmp_path / "net", capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_threads_go_with_memory_pools(expected: np.ndarray):
    with divided(pools=["tcm=1100", "sram=64KiB"]) as found:
        assert "net_run(void *arena_tcm, void *arena_sram, s2s_pool *pool," in found.tree().text("src/net.c")
        assert "(pool, " in found.tree().text("src/net.c")
        np.testing.assert_allclose(found.run(sample())["y"], expected, rtol=1e-5)


def test_devices_that_share_memory_copy_nothing(expected: np.ndarray):
    devices = {"dsp": {"layers": LAYERS, "memory": "shared"}}
    with api.compile(residual(), target="c", name="net", devices=devices) as found:
        assert "copy_to_dsp" not in found.tree().text("include/net.h")
        assert "src/dsp/net_dsp_kernels.c" in found.tree().files
        assert found.run(sample())["y"].tobytes() == expected.tobytes()


@pytest.mark.parametrize("executor", ["aot", "graph"])
def test_half_of_resnet_8_on_another_device_gives_the_bits_of_the_network(executor: Executor):
    if not RESNET.exists():
        pytest.skip("no models beside the project")
    with api.compile(RESNET, target="c", executor=executor, devices={"dsp": {"layers": HALF}}) as found:
        (vector,) = found.info.golden
        names = [port.name for port in found.info.inputs]
        (result,) = found.run(dict(zip(names, vector.inputs, strict=True))).values()
        assert result.tobytes() == vector.outputs[0].tobytes()


def test_a_module_without_a_copy_is_refused(two: api.Artifact):
    state = two.compilation.resume().at("tensor").copy()
    copy = next(op for op in state.module.walk() if op.name == "graph.device_copy")
    copy.results[0].replace_all_uses_with(copy.operands[0])
    copy.detach()
    with pytest.raises(CompilerBug, match="a copy is missing"):
        Compilation.of_state(state, two.compilation.options).run()


def test_metadata_states_each_device_and_its_memory(two: api.Artifact):
    text = two.tree().text("include/net.h")
    assert "bytes of them in dsp" in text
    assert "net_run(void *arena_main, void *arena_dsp," in text
    assert {pool.name for pool in two.info.pools} == {"main", "dsp"}


def test_operators_have_relays_names_too():
    """Each name is one of relay and of dialect graph."""
    found = (getattr(each, "name", None) for each in vars(graph).values())
    names = {name.partition(".")[2] for name in found if isinstance(name, str)}
    for ours in RELAY_OPERATORS.values():
        assert ours in names
    for name in RELAY_OPERATORS:
        assert hasattr(relay.nn, name[3:]) if name.startswith("nn.") else hasattr(relay, name)
    found = api.compile(residual(), target="c", name="net", devices={"dsp": {"operators": ["nn.dense"]}})
    assert [each.nodes for each in found.decisions.entries if each.kind == "device" and each.chosen == "dsp"] == [
        "block1/g"
    ]


def test_why_names_the_device_of_each_node(two: api.Artifact):
    chosen = {each.nodes: (each.chosen, each.why) for each in two.decisions.entries if each.kind == "device"}
    assert chosen["block2/c0"] == ("dsp", "the layers of its table")
    assert chosen["block1/d0"] == ("main", "no table asks for another one")


def test_pools_are_those_of_the_first_device(expected: np.ndarray):
    devices = {"dsp": {"layers": LAYERS}}
    pools = ["tcm=1100", "sram=64KiB"]
    with api.compile(residual(), target="c", name="net", devices=devices, pools=pools) as found:
        assert [pool.name for pool in found.info.pools] == ["tcm", "sram", "dsp"]
        assert found.run(sample())["y"].tobytes() == expected.tobytes()


def test_a_pool_with_the_name_of_a_device_is_refused():
    with pytest.raises(InputError, match="has the name of a device"):
        api.compile(residual(), target="c", devices={"dsp": {"layers": LAYERS}}, pools=["dsp=3KiB"])


def test_cost_places_what_pays(expected: np.ndarray):
    devices = {"dsp": {"placement": "cost", "clock": 8.0, "rate": 64.0, "latency": 10}}
    with api.compile(residual(), target="c", name="net", devices=devices) as found:
        assert found.run(sample())["y"].tobytes() == expected.tobytes()
    chosen = {each.nodes: each for each in found.decisions.entries if each.kind == "device"}
    assert chosen["block1/b0"].chosen == "dsp"
    assert "no placement takes fewer" in chosen["block1/b0"].candidates[0].note


def test_a_decision_moves_an_operator(two: api.Artifact):
    entry = {"kind": "device", "subject": "block1/d0", "chosen": "dsp"}
    decisions = {"format": 1, "target": "c", "decisions": [entry]}
    moved = api.compile(residual(), target="c", name="net", devices={"dsp": {"layers": LAYERS}}, decisions=decisions)
    chosen = {each.nodes: each.chosen for each in moved.decisions.entries if each.kind == "device"}
    assert chosen["block1/d0"] == "dsp"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"poison": True}, "--devices: --poison fills dead bytes of one arena"),
        ({"io": "arena"}, "--devices: inputs and outputs are the caller's"),
        ({"ram_budget": "min"}, "--devices: a budget is about one device"),
    ],
)
def test_options_that_do_not_go_with_devices_are_refused_with_the_reason(options: dict[str, Any], message: str):
    with pytest.raises(InputError, match=message):
        compile_artifact(residual(), CompileOptions(target="c", devices=(Device("dsp"),), **options))


REFUSED: list[tuple[dict[str, dict[str, object]], str]] = [
    ({"dsp": {"layers": ["nothing"]}}, "no node is called nothing; its nodes are"),
    ({"dsp": {"operators": ["lstm"]}}, "the network has no operator lstm; its operators are"),
    ({"dsp": {"layer": ["a"]}}, "there is no key layer; the keys are"),
    ({"main": {}}, "is no name of a device"),
    ({"dsp": {"memory": "some"}}, "is no memory; give own, shared or a size"),
    ({"dsp": {"placement": "fast"}}, "is not known; give asked or cost"),
    ({"dsp": {"clock": 0}}, "clock = 0: is out of range"),
    ({"dsp": {"copy": "dma"}}, "is not known; give copy or start-wait"),
    ({"dsp": {"calls": "rpc"}}, "is not known; give plain, hooks or start-wait"),
    ({"dsp": {"layers": "a"}}, "is no list of texts"),
    ({"dsp": {"layers": LAYERS, "memory": "100"}}, r"its arena takes .* bytes, and it has 100; the largest buffers"),
    ({"dsp": {"target": "z80", "layers": LAYERS}}, "there is no such target"),
    ({}, "holds no table"),
]


@pytest.mark.parametrize(("devices", "message"), REFUSED)
def test_what_cannot_be_is_refused(devices: dict[str, dict[str, object]], message: str):
    with pytest.raises(InputError, match=message):
        api.compile(residual(), target="c", devices=devices)


def test_the_graph_json_states_the_memory_of_each_entry(tables: api.Artifact):
    found = json.loads(tables.tree().text("net.graph.json"))["attrs"]["storage_scope"][1]
    assert set(found) == {"global", "global.dsp"}
