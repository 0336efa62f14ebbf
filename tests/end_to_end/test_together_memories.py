"""Several networks in one tree, in memory pools and on several devices: one arena in each memory for all of them."""

import json
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest

from s2s import api
from s2s.cli import main
from s2s.errors import InputError
from s2s.joint.artifact import JointArtifact
from support.c_compilers import require, run
from support.device_networks import LAYERS, residual, sample
from support.external import Toy, registered

DEVICES: dict[str, dict[str, object]] = {"dsp": {"layers": LAYERS, "target": "x86-64-v3"}}
POOLS = ["tcm=1100", "sram=64KiB"]


def joined(name: str = "both", *, concurrent: bool = False, **options: Any) -> JointArtifact:
    """Two networks that differ in their weights, with the same options."""
    other = residual()
    for array in other.graph.initializer:
        array.CopyFrom(onnx.numpy_helper.from_array(onnx.numpy_helper.to_array(array) * np.float32(0.75), array.name))
    made = [
        api.compile(model, target="c", name=each, **options) for each, model in (("one", residual()), ("two", other))
    ]
    return api.together(made, name=name, concurrent=concurrent)


def alone(joint: JointArtifact, name: str) -> np.ndarray:
    """The output of a network of the tree, from a tree of its own."""
    with joint.networks[name] as artifact:
        return artifact.run(sample())["y"]


def program(joint: JointArtifact, folder: Path) -> list[np.ndarray]:
    """Run both networks in the arenas that the header states, then the first one again, each with guards behind the
    arenas; return the outputs."""
    require("gcc")
    joint.write(folder / "both")
    names = [memory.name for memory in joint.info.memories]
    arenas = [f"S2S_ARENA(arena_{each}, BOTH_ARENA_{each.upper()}_SIZE + 8, BOTH_ARENA_ALIGN);" for each in names]
    guards = [f"for (int i = 0; i < 8; i++) arena_{each}[BOTH_ARENA_{each.upper()}_SIZE + i] = 0x5a;" for each in names]
    checks = [
        f"for (int i = 0; i < 8; i++) if (arena_{each}[BOTH_ARENA_{each.upper()}_SIZE + i] != 0x5a) return 2;"
        for each in names
    ]
    places = {
        network: ", ".join(
            f"arena_{part.name} + BOTH_{network.upper()}_ARENA_{part.name.upper()}" for part in artifact.info.pools
        )
        for network, artifact in joint.networks.items()
    }
    loads = [f"if ({name}_load({places[name]})) return 3;" for name, each in joint.networks.items() if each.info.loaded]
    runs = [
        f'if ({name}_run({places[name]}, x, y)) return 1; for (int i = 0; i < 5; i++) printf("%a\\n", (double)y[i]);'
        for name in ("one", "two", "one")
    ]
    lines = [
        '#include "both.h"', '#include "s2s_arena.h"', "#include <stdio.h>", *arenas,
        "int main(void)", "{", "float x[ONE_X_SIZE], y[ONE_Y_SIZE];",
        "for (int i = 0; i < ONE_X_SIZE; i++) x[i] = (float)(i % 17) * 0.125f - 1.0f;",
        *guards, *loads, *runs, *checks, "return 0;", "}",
    ]  # fmt: skip
    (folder / "main.c").write_text("\n".join(lines) + "\n")
    sources = [str(path) for path in (folder / "both" / "src").rglob("*.c")]
    include = [f"-I{folder / 'both' / each}" for each in ("include", "src", "runtime/include")]
    run(
        [
            "gcc",
            "-std=c99",
            "-ffp-contract=off",
            "-mavx2",
            "-mfma",
            *include,
            "main.c",
            *sources,
            "-lm",
            "-o",
            "program",
        ],
        folder,
    )
    done = subprocess.run([folder / "program"], capture_output=True, text=True, check=False)
    assert done.returncode == 0
    values = [float.fromhex(line) for line in done.stdout.split()]
    return [np.array(values[at : at + 5], np.float32) for at in (0, 5, 10)]


@pytest.mark.sample(2)
@pytest.mark.parametrize(
    "options",
    [
        {"devices": DEVICES},
        {"devices": {"dsp": {"layers": LAYERS, "memory": "shared"}}, "pools": POOLS},
        {"pools": POOLS},
        {"pools": ["tcm=16KiB:loaded", "sram=64KiB"]},
        {"devices": DEVICES, "pools": ["tcm=4KiB", "sram=64KiB"]},
    ],
)
def test_networks_compute_in_common_memories_what_they_do_alone(options: dict[str, Any], tmp_path: Path):
    joint = joined(**options)
    one, two = alone(joint, "one").reshape(-1), alone(joint, "two").reshape(-1)
    for found, expected in zip(program(joint, tmp_path), (one, two, one), strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-5)
    done = subprocess.run(["make", "-s", "test"], cwd=tmp_path / "both", capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_each_memory_is_that_of_the_network_that_takes_most_of_it():
    joint = joined(devices=DEVICES)
    sizes = [{part.name: part.size for part in artifact.info.pools} for artifact in joint.networks.values()]
    assert {each.name: each.size for each in joint.info.memories} == {
        name: max(each[name] for each in sizes) for name in ("main", "dsp")
    }
    assert joint.report().memories == {each.name: each.size for each in joint.info.memories}
    beside = joined(devices=DEVICES, concurrent=True)
    for memory in beside.info.memories:
        assert memory.offsets["two"] >= sizes[0][memory.name]
        assert memory.size >= sum(each[memory.name] for each in sizes)


def test_loaded_constants_of_networks_lie_side_by_side():
    joint = joined(pools=["tcm=16KiB:loaded", "sram=64KiB"])
    offsets = next(memory.offsets for memory in joint.info.memories if memory.name == "tcm")
    assert offsets["two"] >= next(part.size for part in joint.networks["one"].info.pools if part.name == "tcm")
    assert "both_arena_tcm + BOTH_ONE_ARENA_TCM" in joint.tree().text("README.md")
    assert "two_load(" in joint.tree().text("README.md")


def test_shared_kernels_and_constants_stay_on_their_device():
    model = residual()
    artifacts = [api.compile(model, target="c", name=name, devices=DEVICES) for name in ("one", "two")]
    joint = api.together(artifacts, name="both")
    files = joint.tree().files
    assert "src/dsp/both_dsp_kernels.c" in files
    assert "src/dsp/both_dsp_weights.c" in files
    assert not [path for path in files if path.startswith(("src/dsp/one", "src/dsp/two"))]
    assert "s2s_f32x8" in joint.tree().text("src/dsp/both_dsp_kernels.c")
    assert "s2s_f32x8" not in joint.tree().text("src/both_kernels.c")
    record = json.loads(joint.tree().text("metadata.json"))
    assert [(each["name"], each["folder"]) for each in record["devices"]] == [("dsp", "src/dsp")]


def test_one_linker_script_places_the_pools_of_all_networks():
    joint = joined(pools=["tcm=8KiB:at=0x20000000", "sram=64KiB"])
    (size,) = (each.size for each in joint.info.memories if each.name == "tcm")
    assert [path for path in joint.tree().files if path.endswith(".ld")] == ["both_pools.ld"]
    assert f"ORIGIN = {0x20000000 + -(-size // 8) * 8:#x}" in joint.tree().text("both_pools.ld")
    assert "#define BOTH_ARENA_TCM_ADDRESS 0x20000000u" in joint.tree().text("include/both.h")


def test_a_network_may_have_no_part_on_a_device():
    plain = api.compile(residual(), target="c", name="plain", devices={"dsp": {"target": "x86-64-v3"}})
    placed = api.compile(residual(), target="c", name="placed", devices=DEVICES)
    with api.together([plain, placed], name="both") as joint:
        memories = {each.name: dict(each.offsets) for each in joint.info.memories}
        assert memories == {"main": {"plain": 0, "placed": 0}, "dsp": {"placed": 0}}
        for name in ("plain", "placed"):
            assert joint.verify()[name].passed


def test_generators_of_devices_go_with_several_networks():
    with registered(Toy()):
        devices = {"dsp": {"operators": ["matmul"], "external": ["toy=always"]}}
        with joined(devices=devices) as joint:
            assert {"src/dsp/one_dsp_toy.c", "src/dsp/two_dsp_toy.c"} <= set(joint.tree().files)
            assert all(each.passed for each in joint.verify().values())


@pytest.mark.parametrize(
    ("first", "second", "message"),
    [
        ({"pools": POOLS}, {}, "two: its memory pools are not those of one; compile both with the same"),
        ({"devices": DEVICES}, {}, "two: its devices are not those of one; give both the same"),
        (
            {"devices": DEVICES},
            {"devices": {"dsp": {"layers": LAYERS, "memory": "shared", "target": "x86-64-v3"}}},
            "two: its devices are not those of one",
        ),
    ],
)
def test_networks_with_other_memories_are_refused(first: dict[str, Any], second: dict[str, Any], message: str):
    made = [api.compile(residual(), target="c", name=name, **each) for name, each in (("one", first), ("two", second))]
    with pytest.raises(InputError, match=message):
        api.together(made, name="both")


def test_networks_are_planned_for_what_those_before_leave():
    joint = joined(pools=["tcm=1100", "sram=64KiB"])
    sizes = [artifact.compilation.options.pools[0].size for artifact in joint.networks.values()]
    assert sizes[0] == 1100
    assert sizes[1] < 1100


def test_networks_that_do_not_fit_into_a_pool_together_are_refused():
    message = r"both: the networks take \d+ bytes of sram together, and it has 3072: buffers of one \d+, buffers of two"
    with pytest.raises(InputError, match=message):
        joined(pools=["sram=3KiB:buffers"], concurrent=True)


def test_networks_that_do_not_fit_on_a_device_at_the_same_time_are_refused():
    (size,) = (each.size for each in joined(devices={"dsp": {"layers": LAYERS}}).info.memories if each.name == "dsp")
    devices = {"dsp": {"layers": LAYERS, "memory": str(size)}}
    joined(devices=devices)
    with pytest.raises(
        InputError, match=f"both: the networks take {2 * size} bytes of dsp together, and it has {size}"
    ):
        joined(devices=devices, concurrent=True)


def test_the_command_line_divides_layers_among_networks(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    """A layer of one network is none of the other; a layer of neither is refused."""
    other = residual()
    for node in other.graph.node:
        node.name = node.name.replace("block2", "second")
    for name, model in (("one", residual()), ("two", other)):
        (tmp_path / f"{name}.onnx").write_bytes(model.SerializeToString())
    file = tmp_path / "devices.toml"
    file.write_text('[devices.dsp]\nlayers = ["block2/*", "second/c0"]\n')
    command = ["compile", *(str(tmp_path / f"{each}.onnx") for each in ("one", "two")), "--together", "--target", "c"]
    command += ["--devices", str(file), "-o", str(tmp_path / "both")]
    assert main.run(command) == 0
    assert (tmp_path / "both/src/dsp").is_dir()
    assert "dsp" in (tmp_path / "both/src/two.c").read_text()
    file.write_text('[devices.dsp]\nlayers = ["third/*"]\n')
    capsys.readouterr()
    assert main.run(command) != 0
    assert "no node is called third/*" in capsys.readouterr().err
