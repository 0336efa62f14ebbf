"""Networks whose buffers and constants are in several memory pools."""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest

import s2s
from s2s import api
from s2s.analysis.cost.traffic import traffic_of
from s2s.errors import InputError, S2SError
from s2s.tvm import relay
from support.c_compilers import require
from support.parse import parse


def layers() -> onnx.ModelProto:
    """Two layers of very different sizes."""
    model = onnx.parser.parse_model("""
    <ir_version: 8, opset_import: ["" : 17]>
    net (float[1, 16] x) => (float[1, 4] y) { a = Gemm(x, w1)  b = Softmax(a)  c = Gemm(b, w2)  y = Softmax(c) }
    """)
    generator = np.random.default_rng(0)
    for name, shape in {"w1": (16, 256), "w2": (256, 4)}.items():
        array = generator.standard_normal(shape).astype(np.float32)
        model.graph.initializer.append(onnx.numpy_helper.from_array(array, name))
    return model


@pytest.fixture(scope="module")
def split() -> api.Artifact:
    """Buffers in both pools."""
    return api.compile(layers(), target="c", name="net", pools={"tcm": 1100, "sram": 8192})


def test_buffers_in_two_pools_give_the_same_bits(split: api.Artifact):
    x = {"x": np.linspace(-1, 1, 16, dtype=np.float32).reshape(1, 16)}
    with api.compile(layers(), target="c", name="net") as plain, split:
        assert len(split.info.pools) == 2
        assert split.run(x)["y"].tobytes() == plain.run(x)["y"].tobytes()


def test_pools_hold_no_more_than_they_have(split: api.Artifact):
    size = {pool.name: pool.size for pool in split.info.pools}
    assert size["tcm"] <= 1100
    assert size["sram"] <= 8192


def test_the_self_test_of_the_tree_passes(split: api.Artifact, tmp_path: Path):
    require("gcc")
    split.write(tmp_path / "net")
    done = subprocess.run(["make", "-s", "test"], cwd=tmp_path / "net", capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_the_run_function_takes_a_pointer_to_each_pool(split: api.Artifact):
    header = split.tree().text("include/net.h")
    assert "net_run(void *arena_tcm, void *arena_sram," in header
    assert "NET_ARENA_TCM_SIZE" in header


def test_constants_name_the_section_of_their_pool(split: api.Artifact):
    weights = split.tree().text("src/net_weights.c")
    assert "#ifndef S2S_POOL_SRAM" in weights
    assert "\nS2S_POOL_SRAM S2S_ALIGNED" in weights


def test_the_assignment_is_a_decision_that_can_be_given_back(split: api.Artifact):
    (decision,) = (each for each in split.info.decisions if each.kind == "pools")
    assert "of the traffic in tcm" in decision.candidates[0].note
    refused = {each.note: each.refused for each in decision.candidates[1:]}
    assert refused["constant w1_packed in tcm"] == "it takes 16,384 bytes, and tcm has 1,100"
    pools = {"tcm": 1100, "sram": 8192}
    again = api.compile(layers(), target="c", name="net", pools=pools, decisions=split.decisions)
    assert again.tree().text("src/net.c") == split.tree().text("src/net.c")


def test_another_assignment_is_obeyed_and_gives_the_same_bits(split: api.Artifact):
    (decision,) = (each for each in split.info.decisions if each.kind == "pools")
    slow = " ".join("1" if place == "0" else place for place in decision.chosen.split())
    entry = {"kind": "pools", "subject": decision.subject, "chosen": slow}
    given = {"format": 1, "decisions": [entry]}
    x = {"x": np.linspace(-1, 1, 16, dtype=np.float32).reshape(1, 16)}
    pools = {"tcm": 1100, "sram": 32768}
    with api.compile(layers(), target="c", name="net", pools=pools, decisions=given) as again, split:
        assert [each.chosen for each in again.decisions if each.kind == "pools"] == [slow] != [decision.chosen]
        assert again.run(x)["y"].tobytes() == split.run(x)["y"].tobytes()


def placed(**chosen: str) -> dict[str, Any]:
    entries = [{"kind": "pool", "subject": subject, "chosen": pool} for subject, pool in chosen.items()]
    return {"format": 1, "decisions": entries}


def test_decisions_place_single_buffers_and_constants_and_the_others_are_planned_around_them(split: api.Artifact):
    pools = {"tcm": 1100, "sram": 32768}
    chosen = {each.subject: each for each in split.info.decisions if each.kind == "pool"}
    assert {each.chosen for each in chosen.values()} == {"planned"}
    assert chosen["constant w2_packed"].nodes == "Gemm_c"
    x = {"x": np.linspace(-1, 1, 16, dtype=np.float32).reshape(1, 16)}
    given = placed(**{"buffer a": "sram", "constant w2_packed": "default"})
    with api.compile(layers(), target="c", name="net", pools=pools, decisions=given) as moved, split:
        arrays = json.loads(moved.tree().text("metadata.json"))["weights"]["arrays"]
        held = {each["name"]: each.get("pool") for each in arrays}
        assert (held["w1_packed"], held["w2_packed"]) == ("sram", None)
        (together,) = (each.chosen for each in moved.info.decisions if each.kind == "pools")
        assert together.split()[0] == "1"
        assert moved.run(x)["y"].tobytes() == split.run(x)["y"].tobytes()
    again = api.compile(layers(), target="c", name="net", pools=pools, decisions=moved.decisions)
    assert again.tree().text("src/net.c") == moved.tree().text("src/net.c")


def test_the_assignment_gives_way_to_a_decision_about_one_buffer(split: api.Artifact):
    """Of written decisions, one entry is changed: the one about all buffers, which the model had made, is made anew."""
    entries = [each.entry() for each in split.decisions.entries]
    changed = [{**each, "chosen": "sram", "by": "user"} if each["subject"] == "buffer a" else each for each in entries]
    pools = {"tcm": 1100, "sram": 32768}
    moved = api.compile(layers(), target="c", name="net", pools=pools, decisions={"format": 1, "decisions": changed})
    (together,) = (each.chosen for each in moved.info.decisions if each.kind == "pools")
    assert together.split()[0] == "1"


@pytest.mark.parametrize(
    ("subject", "pool", "message"),
    [
        ("constant w1_packed", "tcm", "with what else is decided to be in tcm it takes 16,384 of 1,100 bytes"),
        ("constant w1_packed", "flash", "it is none of planned, tcm, sram, default"),
        ("buffer a", "default", "a buffer is in some pool"),
    ],
)
def test_a_pool_that_cannot_hold_an_item_is_refused(subject: str, pool: str, message: str):
    pools = {"tcm": 1100, "sram": 32768}
    with pytest.raises(InputError, match=message):
        api.compile(layers(), target="c", name="net", pools=pools, decisions=placed(**{subject: pool}))


def test_buffers_that_fit_nowhere_are_refused_with_the_largest():
    with pytest.raises(InputError, match=r"--pool sram=1000: .* the largest are .* 1,024.*; give sram"):
        api.compile(layers(), target="c", pools=["tcm=64", "sram=1000"])


def test_the_properties_of_pools_reach_the_planner():
    fast = s2s.PoolInfoProperties(
        size_hint_bytes=1100,
        clock_frequency_hz=400,
        read_bandwidth_bytes_per_cycle=8,
        write_bandwidth_bytes_per_cycle=4,
    )
    slow = s2s.PoolInfoProperties(
        clock_frequency_hz=100,
        read_bandwidth_bytes_per_cycle=4,
        read_latency_cycles=2,
        write_latency_cycles=3,
        target_burst_bytes={"c": 16},
    )
    infos = [s2s.WorkspacePoolInfo("tcm", ["c"], fast), s2s.WorkspacePoolInfo("sram", ["c"], slow)]
    mod, params = s2s.tvm.relay.frontend.from_onnx(layers())
    library = s2s.build(mod, "c", executor="aot", workspace_memory_pools=s2s.WorkspaceMemoryPools(infos), params=params)
    options = [str(pool) for pool in library.artifact.compilation.options.pools]
    assert options[0] == "tcm=1100:buffers:read=8:write=4"
    assert options[1].endswith(":buffers:read=1:read-latency=8:write-latency=12:burst=16")
    (decision,) = (each for each in library.artifact.info.decisions if each.kind == "pools")
    assert "; accesses in pools take" in decision.candidates[0].note


@pytest.mark.parametrize("text", ["tcm", "tcm=", "TCM=4", "tcm=4XB", "tcm=-1", "tcm=" + "9" * 99])
def test_what_is_no_pool_is_refused(text: str):
    with pytest.raises(InputError, match="is no pool"):
        api.compile(layers(), target="c", pools=[text])


def test_traffic_counts_every_repetition():
    module = parse("""
    func.func private @scale(%y: memref<8xf32>, %x: memref<8xf32>, %w: memref<1xf32>) attributes {kernel} {
      loop.for %i = 0 to 8 {
        %v = loop.load %x[affine_map<(d0) -> (d0)>(%i)] : memref<8xf32> -> f32
        %f = loop.load %w[affine_map<() -> (0)>()] : memref<1xf32> -> f32
        %p = arith.mulf %v, %f : f32
        loop.store %p, %y[affine_map<(d0) -> (d0)>(%i)] : f32, memref<8xf32>
      }
      func.return
    }
    """)
    kernel = next(iter(module.ops))
    found = traffic_of(kernel)  # pyright: ignore[reportArgumentType]
    assert [list(moved.values()) for moved in found] == [[32, 32], [32]]


def test_pools_of_tvm_keep_buffers_and_constants_apart():
    mod, params = s2s.tvm.relay.frontend.from_onnx(layers())
    tcm = s2s.WorkspacePoolInfo("TCM", ["c"], s2s.PoolInfoProperties(size_hint_bytes=1100))
    rom = s2s.ConstantPoolInfo("rom", ["c"])
    library = s2s.build(
        mod,
        "c",
        executor="aot",
        workspace_memory_pools=s2s.WorkspaceMemoryPools([tcm, s2s.WorkspacePoolInfo("sram", ["c", "cortex-m4"])]),
        constant_memory_pools=s2s.ConstantMemoryPools([rom]),
        params=params,
        mod_name="net",
    )
    x = {"x": np.linspace(-1, 1, 16, dtype=np.float32).reshape(1, 16)}
    with api.compile(layers(), target="c", name="net") as plain, library.artifact as pooled:
        assert pooled.run(x)["y"].tobytes() == plain.run(x)["y"].tobytes()
    assert [pool.name for pool in pooled.info.pools] == ["tcm", "sram"]
    weights = pooled.tree().text("src/net_weights.c")
    assert weights.count("\nS2S_POOL_ROM S2S_ALIGNED") == 2
    assert "S2S_POOL_SRAM" not in weights


def test_constants_have_a_pool_and_buffers_the_default_one():
    pools = s2s.ConstantMemoryPools([s2s.ConstantPoolInfo("rom", ["c"])])
    mod, params = s2s.tvm.relay.frontend.from_onnx(layers())
    library = s2s.build(mod, "c", executor="aot", constant_memory_pools=pools, params=params)
    assert [pool.name for pool in library.artifact.info.pools] == ["global_workspace"]


def no_pools() -> object:
    return s2s.build(relay.IRModule(), "c", workspace_memory_pools=["tcm"])  # pyright: ignore[reportArgumentType]


def of_another_target() -> object:
    pools = s2s.WorkspaceMemoryPools([s2s.WorkspacePoolInfo("tcm", ["cortex-m4"])])
    return s2s.build(relay.IRModule(), "c", executor="aot", workspace_memory_pools=pools)


def for_tables() -> object:
    pools = s2s.WorkspaceMemoryPools([s2s.WorkspacePoolInfo("tcm", ["c"])])
    return s2s.build(relay.IRModule(), "c", executor="graph", workspace_memory_pools=pools)


def one_bandwidth() -> object:
    tcm = s2s.WorkspacePoolInfo("tcm", ["c"], s2s.PoolInfoProperties(read_bandwidth_bytes_per_cycle=8))
    pools = s2s.WorkspaceMemoryPools([tcm, s2s.WorkspacePoolInfo("sram", ["c"])])
    return s2s.build(relay.IRModule(), "c", executor="aot", workspace_memory_pools=pools)


def one_clock() -> object:
    tcm = s2s.WorkspacePoolInfo("tcm", ["c"], s2s.PoolInfoProperties(clock_frequency_hz=1000))
    pools = s2s.WorkspaceMemoryPools([tcm, s2s.WorkspacePoolInfo("sram", ["c"])])
    return s2s.build(relay.IRModule(), "c", executor="aot", workspace_memory_pools=pools)


def slow_one_first() -> object:
    return api.compile(layers(), target="c", pools=["psram=8KiB:read=0.5", "tcm=64KiB:read=8"])


def chosen_constants() -> object:
    return s2s.ConstantPoolInfo("rom", ["c"], ["w"])


def buffers_nowhere() -> object:
    return api.compile(layers(), target="c", pools=["rom=64KiB:constants"])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (no_pools, r"workspace_memory_pools: list given; give WorkspaceMemoryPools\(\[…\]\)"),
        (of_another_target, "pool tcm: targets cortex-m4 access it, and the network is for c; name that"),
        (for_tables, "--pool: the run function of executor aot takes a pointer to each pool"),
        (one_bandwidth, "--pool sram=.*: tcm states its speed; give read=BYTES_PER_CYCLE here, too"),
        (one_clock, "pool sram: other pools state a clock; give clock_frequency_hz here, too"),
        (slow_one_first, "--pool tcm=.*: is faster than psram; list the fastest pool first"),
        (chosen_constants, "pool rom: constant_info_arr: the compiler chooses the constants of a pool"),
        (buffers_nowhere, "--pool rom=65536:constants: no pool may hold buffers; add one that may"),
    ],
)
def test_pools_that_cannot_be_are_refused(call: Callable[[], object], message: str):
    with pytest.raises(S2SError, match=message):
        call()
