"""The debug aids of the pass manager do what they say."""

import io
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TextIO

import pytest
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.dialects.func import FuncOp
from xdsl.parser import Parser
from xdsl.passes import ModulePass

from s2s.errors import CompilerBug
from s2s.options import DebugOptions
from s2s.passes.context import CompilerContext
from s2s.passes.manager import PassManager
from s2s.support import progress
from support.project import ROOT


@dataclass(frozen=True)
class MarkPass(ModulePass):
    """Leaves its name on the module."""

    name = "mark"
    text: str = "x"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        op.attributes[self.text] = StringAttr(self.text)


@dataclass(frozen=True)
class BreakPass(ModulePass):
    """Leaves a function without a terminator, which does not verify."""

    name = "break"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        op.body.block.add_op(FuncOp("f", ([], [])))


@dataclass(frozen=True)
class RaisePass(ModulePass):
    """Fails."""

    name = "raise"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        raise KeyError("oops")


def run_passes(
    module: ModuleOp, passes: Sequence[ModulePass], debug: DebugOptions | None = None, stream: TextIO | None = None
) -> PassManager:
    manager = PassManager(debug, stream)
    manager.run(CompilerContext(), module, passes)
    return manager


def test_prints_the_module_after_the_named_pass_only():
    out = io.StringIO()
    passes = [MarkPass("a"), RenamedPass("b")]
    run_passes(ModuleOp([]), passes, DebugOptions(print_ir_after=("renamed",)), out)
    assert out.getvalue().count("// IR after") == 1
    assert '// IR after 2. renamed{text="b"}\nbuiltin.module attributes {a = "a", b = "b"}' in out.getvalue()


@dataclass(frozen=True)
class RenamedPass(MarkPass):
    """The same under another name."""

    name = "renamed"


def test_prints_after_all():
    out = io.StringIO()
    run_passes(ModuleOp([]), [MarkPass(), RenamedPass()], DebugOptions(print_ir_after=("all",)), out)
    assert out.getvalue().count("// IR after") == 2


def test_numbers_go_on_through_several_lists():
    out, module, passes = io.StringIO(), ModuleOp([]), [MarkPass("a"), RenamedPass("b")]
    manager = PassManager(DebugOptions(print_ir_after=("all",)), out)
    manager.run(CompilerContext(), module, passes[:1])
    manager.run(CompilerContext(), module, passes[1:])
    assert set(module.attributes) == {"a", "b"}
    assert out.getvalue().count("// IR after 1. mark") == out.getvalue().count("// IR after 2. renamed") == 1


def test_module_that_does_not_verify_is_a_bug_of_the_pass_before():
    with pytest.raises(CompilerBug, match="does not verify after the pass break"):
        run_passes(ModuleOp([]), [BreakPass(), MarkPass()], DebugOptions(verify_each=True))


def test_last_module_is_verified_in_any_case():
    with pytest.raises(CompilerBug, match="does not verify after the pass mark"):
        run_passes(ModuleOp([]), [BreakPass(), MarkPass()])


def test_exception_in_a_pass_names_the_pass():
    with pytest.raises(KeyError) as caught:
        run_passes(ModuleOp([]), [RaisePass()])
    assert caught.value.__notes__ == ["while the pass raise was running"]


def test_times_every_pass():
    out = io.StringIO()
    run = run_passes(ModuleOp([]), [MarkPass(), RenamedPass()], DebugOptions(time_passes=True), out)
    assert [timing.name for timing in run.timings] == ["mark", "renamed"]
    run.finish()
    assert "renamed" in out.getvalue()


def test_steps_reach_the_listener():
    heard: list[str] = []
    with progress.listening(heard.append):
        run_passes(ModuleOp([]), [MarkPass(), RenamedPass()])
    progress.step("nobody listens")
    assert heard == ["mark", "renamed"]


def test_xdsl_passes_run_too():
    from s2s.registry import get_pass

    ctx = CompilerContext()
    module = Parser(ctx, (ROOT / "tests" / "opt" / "xdsl_passes.mlir").read_text()).parse_module()
    run_passes(module, [get_pass("canonicalize")(), get_pass("cse")(), get_pass("dce")()])
    assert "addf" not in str(module)
