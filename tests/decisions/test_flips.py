"""Another choice than the compiler's, for every kind of decisions about networks: obeyed, and the numbers are right."""

from typing import Any

import onnx
import pytest

from s2s.api import compile as compile_network
from s2s.decisions.decision import Decision
from s2s.decisions.names import KINDS
from s2s.errors import InputError
from support.decided_networks import (
    ATTENTION,
    BRANCHES,
    FUSED,
    GROUPS,
    JOINED,
    LARGE_WINDOWS,
    NEEDLESS,
    PRODUCT,
    SMALL_PRODUCT,
    SMALL_WINDOWS,
    THREADS,
    TRANSPOSED,
    TREES,
    WINDOWS,
    WINOGRAD,
    bottleneck,
)
from support.onnx_text import onnx_model
from support.project import ROOT

CASES: dict[str, tuple[onnx.ModelProto, str, str, dict[str, Any]]] = {
    "fusion": (FUSED, "fusion", "a kernel each", {}),
    "attention": (ATTENTION, "attention", "a kernel each", {}),
    "order": (BRANCHES, "order", "1 0 2", {}),
    "all channels": (NEEDLESS, "channels", "3", {"target": "c"}),
    "whole images": (bottleneck(), "row tiles", "whole images", {"target": "x86-64-v3"}),
    "fewer rows": (bottleneck(), "row tiles", "4 rows", {"target": "x86-64-v3"}),
    "one thread": (THREADS, "threads", "one thread", {"threads": 2}),
    "fused rows": (ATTENTION, "fused rows", "16", {"target": "x86-64-v2"}),
    "panels": (PRODUCT, "panels", "as it lies", {"target": "x86-64-v3"}),
    "no panels": (SMALL_PRODUCT, "panels", "copied", {"target": "x86-64-v3"}),
    "images": (WINDOWS, "images", "as it lies", {"target": "x86-64-v3"}),
    "no images": (SMALL_WINDOWS, "images", "copied", {"target": "x86-64-v3"}),
    "transposed as it is": (TRANSPOSED, "transposed convolution", "as it is", {"target": "x86-64-v3"}),
    "phases at once": (TRANSPOSED, "transposed convolution", "one convolution", {"target": "x86-64-v3"}),
    "pool by dimension": (WINDOWS, "pool windows", "one dimension after the other", {"target": "x86-64-v3"}),
    "pool by windows": (LARGE_WINDOWS, "pool windows", "whole windows", {"target": "x86-64-v3"}),
    "channels first": (WINDOWS, "channel order", "channels first", {"target": "c", "push": "x:2"}),
    "groups as they are": (GROUPS, "convolution groups", "1", {"target": "x86-64-v3"}),
    "one group": (GROUPS, "convolution groups", "4", {"target": "x86-64-v3"}),
    "concatenation": (JOINED, "concatenation", "copied", {"target": "x86-64-v3"}),
    "tile rows": (WINOGRAD, "winograd blocks", "2 tile rows", {"target": "x86-64-v3"}),
    "output channels": (WINOGRAD, "winograd blocks", "24 output channels", {"target": "x86-64-v3"}),
    "trees": (TREES, "trees", "tables", {}),
    "constants": (GROUPS, "constants", "binary file", {}),
    "small kernels divided": (ATTENTION, "threads", "divided", {"threads": 2}),
}

ELSEWHERE = {
    "algorithm": "decisions/test_algorithm.py",
    "code": "end_to_end/test_code_pools.py",
    "constant bits": "end_to_end/test_four_bit_constants.py",
    "constant codes": "end_to_end/test_coded_constants.py",
    "device": "end_to_end/test_devices.py",
    "external": "external/test_generators.py",
    "implementation": "tvm/relay/test_strategy.py",
    "layout": "decisions/test_layout.py",
    "packed weights": "frontends/onnx/test_packed_weights.py",
    "line buffers": "decisions/test_budget_choices.py",
    "pool": "end_to_end/test_pools.py",
    "pools": "end_to_end/test_pools.py",
    "schedule": "decisions/test_schedule.py",
    "scratch": "decisions/test_budget_choices.py",
    "streams": "end_to_end/test_streamed_constants.py",
    "window slack": "decisions/test_kinds.py",
    "weight blocks": "end_to_end/test_streamed_constants.py",
}
"""Where other choices of kinds are tested that want more than a network and options."""


def decisions(model: onnx.ModelProto, kind: str, **options: Any) -> list[Decision]:
    return [each for each in compile_network(model, **options).decisions if each.kind == kind]


def given(found: list[Decision], chosen: str) -> dict[str, Any]:
    entries = [{"kind": each.kind, "subject": each.subject, "chosen": chosen} for each in found]
    return {"format": 1, "decisions": entries}


def test_another_choice_is_tested_for_every_kind():
    assert {kind for _, kind, _, _ in CASES.values()} == set(KINDS) - set(ELSEWHERE)
    for kind, file in ELSEWHERE.items():
        assert f'"{kind}"' in (ROOT / "tests" / file).read_text(encoding="utf-8")


@pytest.mark.sample(8)
@pytest.mark.parametrize("case", CASES)
def test_another_choice_is_obeyed_and_right(case: str):
    model, kind, chosen, options = CASES[case]
    found = decisions(model, kind, **options)
    assert found
    assert {each.chosen for each in found} != {chosen}
    with compile_network(model, decisions=given(found, chosen), **options) as artifact:
        assert {(each.chosen, each.by) for each in artifact.decisions if each.kind == kind} == {(chosen, "user")}
        assert artifact.verify().passed


@pytest.mark.parametrize(
    ("case", "chosen", "reason"),
    [
        ("fusion", "two kernels", "it is none of one kernel, a kernel each"),
        ("order", "2 1 0", "call 2 reads what call"),
        ("order", "0 1", "names each of the calls 0 … 2 once"),
        ("order", "first to last", "give numbers of calls"),
        ("whole images", "5 rows", "do not make up an image of"),
        ("whole images", "some", "give `whole images`"),
        ("all channels", "1", "2 of its 3 channels are needed"),
        ("all channels", "all", "give a number of channels"),
        ("one group", "3", "4 groups do not divide into 3"),
        ("one group", "all", "give a number of groups"),
        ("tile rows", "99 tile rows", "there are 7 tile rows"),
        ("tile rows", "65 output channels", "give a multiple of"),
        ("tile rows", "some", "give `whole images`, or a number"),
        ("one thread", "all", "it is none of divided, one thread"),
    ],
)
def test_choices_that_are_not_legal(case: str, chosen: str, reason: str):
    model, kind, _, options = CASES[case]
    with pytest.raises(InputError, match=reason):
        compile_network(model, decisions=given(decisions(model, kind, **options), chosen), **options)


def test_kernels_without_parallel_loops_cannot_be_divided():
    model = onnx_model("(float[4096] x) => (float[1] y) { [sum] y = ReduceSum (x) }")
    found = decisions(model, "threads", threads=2)
    with pytest.raises(InputError, match="no outermost loop whose iterations"):
        compile_network(model, decisions=given(found, "divided"), threads=2)


def test_fused_operators_have_one_kernel_each():
    apart = compile_network(FUSED, decisions=given(decisions(FUSED, "fusion"), "a kernel each"))
    assert len(apart.compilation.costs) > len(compile_network(FUSED).compilation.costs)
