"""The directive `parallel`: the user's word in the decision about threads, obeyed or refused, and equal bits."""

from collections.abc import Sequence
from random import Random
from typing import Any

import numpy as np
import onnx
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from xdsl.dialects.builtin import ModuleOp, StringAttr, UnitAttr
from xdsl.dialects.func import FuncOp

from s2s import api
from s2s.analysis.network.constants import calls_of, constant_arguments
from s2s.artifact import Artifact
from s2s.decisions.decision import Decision
from s2s.dialects import loop, tensor
from s2s.dialects.loop.control import PARALLEL, SERIAL
from s2s.emit.stream import pieces
from s2s.errors import InputError, ScheduleError
from s2s.interpret.loop import run_loop
from s2s.interpret.tensor.run import run_tensor
from s2s.passes.context import CompilerContext
from s2s.passes.loop.divide_among_threads import DivideAmongThreadsPass
from s2s.passes.loop.split_kernels import SplitKernelsPass
from s2s.passes.tensor.fold_zero_points_into_inits import FoldZeroPointsIntoInitsPass
from s2s.passes.tensor.lower_to_loop import LowerToLoopPass
from s2s.passes.tensor.pack_constants import PackConstantsPass
from s2s.schedules.directives import Parallel
from s2s.schedules.directives.legal import refusal
from s2s.schedules.verify import reason_against
from s2s.targets import get_target
from s2s.types.dtypes import Array
from support.device_networks import LAYERS, residual
from support.onnx_text import onnx_model
from support.parse import parse
from support.random_kernels import compute_of, random_kernel
from support.random_schedules import random_schedule

UNLIMITED = 1 << 40
MODEL = onnx_model("(float[24, 40] x, float[40, 32] w) => (float[24, 32] y) { [product] y = MatMul (x, w) }")
X, W = (np.random.default_rng(3).normal(size=shape).astype(np.float32) for shape in ((24, 40), (40, 32)))


def decided(chosen: str, threads: int) -> Artifact:
    """The network with a schedule of the user."""
    found = api.compile(MODEL, target="host").decisions
    (subject,) = [each.subject for each in found if each.kind == "schedule"]
    entry = {"kind": "schedule", "subject": subject, "chosen": f"#tensor.schedule<{chosen}>"}
    given = {"format": 1, "decisions": [entry]}
    return api.compile(MODEL, target="host", decisions=given, threads=threads)


def about_threads(artifact: Artifact) -> Decision:
    (found,) = [each for each in artifact.decisions if each.kind == "threads"]
    return found


def comment(artifact: Artifact) -> str:
    return str(artifact.compilation.at("loop").module)


@pytest.mark.parametrize("chosen", ["[parallel<0>]", "[tile<0 by 2, 1 by 8>, vectorize<1 by 8>, parallel<0, 1>]"])
def test_threads_give_the_bits_of_one_thread(chosen: str):
    results: list[Array] = []
    for threads in (1, 2):
        with decided(chosen, threads) as artifact:
            results.append(artifact.run({"x": X, "w": W})["y"])
    assert results[0].tobytes() == results[1].tobytes()


def test_the_user_has_decided_however_little_work_there_is():
    decision = about_threads(decided("[parallel<0>]", 2))
    assert (decision.chosen, decision.by, decision.why) == ("divided", "user", "a directive of its schedule")


def test_the_comment_says_it():
    text = comment(decided("[tile<0 by 2>, parallel<0, 1>]", 2))
    assert "schedule: tile 2 m; parallel m x n" in text
    assert "threads: 384 iterations of m x n are shared" in text


def test_one_thread_divides_nothing():
    artifact = decided("[parallel<0>]", 1)
    assert not [each for each in artifact.decisions if each.kind == "threads"]
    assert b"s2s_pool" not in b"".join(each for file in artifact.tree().files.values() for each in pieces(file))


def test_written_decisions_give_the_same_tree():
    once = decided("[parallel<0>]", 2)
    entries = [
        {"kind": each.kind, "subject": each.subject, "chosen": each.chosen}
        for each in once.decisions
        if each.kind in ("schedule", "threads")
    ]
    given = {"format": 1, "decisions": entries}
    again = api.compile(MODEL, target="host", decisions=given, threads=2)
    assert about_threads(again) == about_threads(once)


def test_a_loop_that_is_none_is_refused():
    with pytest.raises(InputError, match=r"parallel names the loops over dimensions \[1\]"):
        decided("[parallel<1>]", 2)


STEPS = onnx_model("""(float[6, 1, 16] x, float[1, 64, 16] w, float[1, 64, 16] r) => (float[6, 1, 1, 16] y) {
  [layer] y = LSTM <hidden_size = 16> (x, w, r)
}""")


def refusals(model: onnx.ModelProto, **options: Any) -> list[str]:
    """Why the schedules of a network cannot say `parallel` as well."""
    refused: list[str] = []
    for each in api.compile(model, target="c", **options).decisions:
        if each.kind != "schedule":
            continue
        directives = "" if each.chosen == "#tensor.schedule<[]>" else f"{each.chosen[18:-2]}, "
        entry = {"kind": "schedule", "subject": each.subject, "chosen": f"#tensor.schedule<[{directives}parallel<0>]>"}
        try:
            api.compile(model, target="c", decisions={"format": 1, "decisions": [entry]}, **options)
        except InputError as error:
            refused.append(str(error))
    return refused


@pytest.mark.parametrize("threads", [1, 2])
def test_kernels_of_inner_networks_are_refused(threads: int):
    found = refusals(STEPS, threads=threads)
    assert any("a network that main runs in a loop" in each and "leave parallel out" in each for each in found)


def test_kernels_of_other_devices_are_refused():
    found = refusals(residual(), devices={"dsp": {"layers": LAYERS}})
    assert any("its kernel runs on dsp, and the threads are those of the first device" in each for each in found)


OVERLAPPING = """
func.func private @k(%y: memref<10xf32>, %x: memref<10xf32>) {
  loop.for %i = 0 to 8 step 2 {
    %v = loop.load %x[affine_map<(d0) -> (d0)>(%i)] : memref<10xf32> -> vector<4xf32>
    loop.store %v, %y[affine_map<(d0) -> (d0)>(%i)] : vector<4xf32>, memref<10xf32>
  } {parallelize}
  func.return
}
func.func @main(%y: memref<10xf32>, %x: memref<10xf32>) {
  func.call @k(%y, %x) : (memref<10xf32>, memref<10xf32>) -> ()
  func.return
}"""


def test_what_cannot_be_proven_is_refused():
    reason = "k: its schedule says parallel, .* leaves alone what another one writes to y; leave parallel out"
    with pytest.raises(ScheduleError, match=reason):
        DivideAmongThreadsPass().apply(CompilerContext(), parse(OVERLAPPING))


def test_an_unmarked_loop_that_cannot_be_proven_stays_serial():
    module = parse(OVERLAPPING.replace(" {parallelize}", ""))
    DivideAmongThreadsPass().apply(CompilerContext(), module)
    assert not parallel_loops(module)


def parallel_loops(module: ModuleOp) -> Sequence[loop.ForOp]:
    return [op for op in module.walk() if isinstance(op, loop.ForOp) and op.kind.data == PARALLEL]


def divided(seed: int) -> tuple[CompilerContext, ModuleOp, list[Array], Array] | None:
    """A random kernel whose random schedule says `parallel`, divided among two threads; None if it was refused."""
    random = Random(seed)
    ctx, module, inputs = random_kernel(random).build(random)
    op, target = compute_of(module), get_target(random.choice(["host", "cortex-m4"]))
    kernel = op.parent_op()
    assert isinstance(kernel, FuncOp)
    constants = constant_arguments(kernel, calls_of(module))
    schedule = random_schedule(op, target, constants, random).without(Parallel)
    if refusal(op, schedule) is not None:
        return None
    loops = schedule.on(op).loops
    schedule = schedule.adding(Parallel.of(loops[: random.choice([1, 1, 2])]))
    if refusal(op, schedule) or reason_against(kernel, op, constants, target, {}, schedule):
        return None
    expected = np.ravel(run_tensor(module, inputs, ctx.weights)[0])
    op.properties["schedule"] = schedule
    passes = (
        FoldZeroPointsIntoInitsPass(),
        PackConstantsPass(),
        LowerToLoopPass(),
        SplitKernelsPass(least=UNLIMITED),
        DivideAmongThreadsPass(least=UNLIMITED),
    )
    for each in passes:
        try:
            each.apply(ctx, module)
        except ScheduleError as error:
            if "it is not proven that an iteration leaves alone" not in str(error):
                raise
            return None
        module.verify()
    return ctx, module, inputs, expected


def check_seed(seed: int) -> bool:
    """Run the parallel loops of a case backwards, which independent iterations do not notice; return whether it was
    accepted with a parallel loop."""
    case = divided(seed)
    if case is None:
        return False
    ctx, module, inputs, expected = case
    found = parallel_loops(module)
    for op in found:
        op.kind, op.down = StringAttr(SERIAL), UnitAttr()
    result = np.ravel(run_loop(module, inputs, ctx.weights)[0])
    if result.dtype.kind == "f":
        np.testing.assert_allclose(result, expected, rtol=1e-4, atol=1e-4)
    else:
        np.testing.assert_array_equal(result, expected)
    return bool(found)


@settings(max_examples=60, print_blob=True)
@given(st.integers(0, 2**32))
@example(2097153)  # scratch that two steps of a kernel use
@example(419)  # an element that completes a group is read, and never written: refused, as no proof covers it
@example(8578)  # raw bytes of the constant, whose zero point is 0, beside an operand whose zero point is not
def test_iterations_of_accepted_parallel_loops_are_independent(seed: int) -> None:
    check_seed(seed)


def test_many_parallel_loops_are_accepted() -> None:
    assert sum(check_seed(seed) for seed in range(30)) >= 8


def test_a_directive_is_a_value_to_try():
    module = random_kernel(Random(1)).build(Random(1))[1]
    op = compute_of(module)
    tried = list(Parallel.values(op, get_target("host")))
    assert all(isinstance(each, tensor.Directive) for each in tried)
    assert tried or all(size == 1 for size in op.parallel_sizes)
