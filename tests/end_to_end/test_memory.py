"""Networks in small arenas: outputs over inputs, inputs and outputs in the arena, poison on everything that is dead."""

from pathlib import Path
from typing import Literal

import numpy as np
import pytest

from s2s import api
from s2s.errors import InputError
from s2s.targets.flags import STANDARD
from support.c_compilers import SANITIZERS, require_sanitizers, run
from support.compiled import compiled, differences, run_c
from support.project import SHARED
from support.random_networks import SHAPE
from support.seeded_networks import seeded_networks
from support.trees import DIGITS, artifact_of, command

FOLDER = SHARED / "models" / "mlperf_tiny"
INPUT = np.random.default_rng(5).standard_normal(SHAPE).astype(np.float32)
RAM = {
    "kws_ref_model_int8": ("y", 16_000, 10_000),
    "vww_96_int8": ("y", 55_296, 38_000),
    "pretrainedResnet_quant": ("y", 49_152, 36_000),
    "ad01_int8": ("y_double_rounding", 768, 768),
}
"""For each network the golden outputs, and the most RAM that it may take: by default, and at the least."""

BOTH_WAYS = """
#include "net.h"
#include "net_vectors.h"
#include "s2s_arena.h"
#include <string.h>
S2S_ARENA(arena, NET_ARENA_SIZE, NET_ARENA_ALIGN);
static float apart[NET_PROBABILITIES_SIZE];
int main(void)
{
    float *const x = (float *)(void *)(arena + NET_IMAGE_OFFSET);
    float *const y = (float *)(void *)(arena + NET_PROBABILITIES_OFFSET);
    int failed = net_run(arena, net_image_0, apart) != S2S_OK;
    memset(arena, 0xA5, sizeof arena);
    memcpy(x, net_image_0, sizeof net_image_0);
    failed |= net_run(arena, x, y) != S2S_OK;
    return failed || memcmp(y, apart, sizeof apart) != 0;
}
"""


@pytest.mark.sample(1)
@pytest.mark.parametrize("network", ["digits", "convolutions", "pools", "reductions"])
def test_sanitizers_find_nothing_where_inputs_and_outputs_lie_in_the_arena(network: str, tmp_path: Path) -> None:
    require_sanitizers("gcc", tmp_path)
    tree = artifact_of(network, "c", io="arena").write(tmp_path / "tree")
    run([*command(tree, "gcc", "c", *STANDARD, "-O0", *SANITIZERS, "-o", str(tmp_path / "test")), "-lm"], tree)
    run([tmp_path / "test"], tmp_path)


def test_inputs_and_outputs_may_lie_inside_of_the_arena_and_outside(tmp_path: Path) -> None:
    require_sanitizers("gcc", tmp_path)
    tree = artifact_of("digits", "c", io="arena").write(tmp_path / "tree")
    (tree / "test" / "net_test.c").write_text(BOTH_WAYS)
    for optimise in ("-O0", "-O3"):
        flags = (*STANDARD, optimise, *SANITIZERS, "-Itest", "-o", str(tmp_path / "test"))
        run([*command(tree, "gcc", "c", *flags), "-lm"], tree)
        run([tmp_path / "test"], tmp_path)


@pytest.mark.parametrize(("target", "seeds"), [("c", range(40, 50)), ("cortex-m4", range(50, 60))], ids=str)
def test_random_networks_keep_their_numbers_in_a_poisoned_arena(target: str, seeds: range) -> None:
    module, store = seeded_networks(seeds)
    with compiled(module, store, target=target, io="arena", poison=True) as artifact:
        labels = [port.name for port in artifact.info.outputs]
        assert differences(artifact, module, [INPUT], labels, store) == {}


@pytest.mark.skipif(not FOLDER.is_dir(), reason="the models are not there")
@pytest.mark.sample(3)
@pytest.mark.parametrize(("name", "budget"), [*((name, None) for name in RAM), ("vww_96_int8", "min")], ids=str)
def test_networks_of_microcontrollers_fit_and_keep_their_golden_integers(
    name: str, budget: Literal["min"] | None
) -> None:
    outputs, *most = RAM[name]
    stored = np.load(FOLDER / f"{name}_golden.npz")
    with api.compile(FOLDER / f"{name}.tflite", target="cortex-m4", poison=True, ram_budget=budget) as artifact:
        assert artifact.info.io == "arena"
        assert artifact.info.arena_size + artifact.info.ports_size <= most[budget is not None]
        for image, expected in zip(stored["x"], stored[outputs], strict=True):
            (found,) = run_c(artifact, [image])
            np.testing.assert_array_equal(found.reshape(-1), expected.reshape(-1))
            (apart,) = artifact.loaded().run({artifact.info.inputs[0].name: image}, io="caller").values()
            np.testing.assert_array_equal(apart.reshape(-1), expected.reshape(-1))


def test_a_budget_below_the_least_is_refused_with_the_least() -> None:
    least = api.compile(DIGITS, target="cortex-m4", ram_budget="min").info.arena_size
    with pytest.raises(InputError, match=f"--ram-budget {least - 1}: the network takes at least {least} bytes of RAM"):
        api.compile(DIGITS, target="cortex-m4", ram_budget=least - 1)
    assert api.compile(DIGITS, target="cortex-m4", ram_budget=least).info.arena_size == least


def test_the_caller_may_keep_inputs_and_outputs() -> None:
    kept = api.compile(DIGITS, target="cortex-m4", io="caller").info
    assert [port.offset for port in (*kept.inputs, *kept.outputs)] == [None, None]
    assert kept.arena_size + kept.ports_size >= api.compile(DIGITS, target="cortex-m4").info.arena_size


def test_tables_take_buffers_of_the_caller() -> None:
    assert api.compile(DIGITS, target="cortex-m4", executor="graph").info.io == "caller"
    with pytest.raises(InputError, match="--io arena: the tables of executor graph take buffers of the caller"):
        api.compile(DIGITS, executor="graph", io="arena")
