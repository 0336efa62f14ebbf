"""The timeline of a network states which step reads what, and when each buffer of the arena holds a value."""

from s2s.api import compile as compile_network
from s2s.passes.loop.timeline import BEFORE, Timeline, timeline_of
from support.onnx_text import onnx_model
from support.project import ROOT

SKIP = """(float[64] x) => (float[64] y) {
    [first] a = Sin (x)
    [second] b = ReduceSum <keepdims = 1> (a)
    [third] c = Cos (b)
    [last] y = Mul (a, c)
}"""


def timeline(text: str) -> Timeline:
    artifact = compile_network(onnx_model(text), target="c")
    return timeline_of(artifact.compilation.at("memory").module)


def test_a_skip_connection_reads_an_earlier_step():
    found = timeline(SKIP)
    names = [step.nodes for step in found.steps]
    last = found.steps[-1]
    assert names[0] == "first"
    assert "last" in names[-1]
    assert last.reads[0] == 0
    assert found.steps[0].reads == (BEFORE,)


def test_a_buffer_lives_until_its_last_reader():
    found = timeline(SKIP)
    held = next(each for each in found.buffers if each.kind == "result" and each.first == 0)
    assert held.size == 64 * 4
    assert held.last == len(found.steps) - 1


def test_live_buffers_lie_apart_unless_the_plan_says_so():
    artifact = compile_network(ROOT / "examples" / "digits" / "digits.onnx", target="c")
    found = timeline_of(artifact.compilation.at("memory").module)
    allowed = len(artifact.info.overlaps)
    clashes = [
        (one, other)
        for number, one in enumerate(found.buffers)
        for other in found.buffers[:number]
        if one.first <= other.last and other.first <= one.last
        if one.offset < other.offset + other.size and other.offset < one.offset + one.size
    ]
    assert len(clashes) <= allowed
    assert max(each.offset + each.size for each in found.buffers) == artifact.info.arena_size
