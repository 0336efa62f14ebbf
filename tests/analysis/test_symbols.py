"""Functions are found by name, also after the module has changed."""

import gc
import weakref

from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.dialects.func import FuncOp

from s2s.types.symbols import function_named


def test_function_is_found_from_inside_the_module():
    inner, other = FuncOp("inner", ([], [])), FuncOp("other", ([], []))
    ModuleOp([inner, other])
    assert function_named(inner, "other") is other
    assert function_named(inner, "missing") is None


def test_function_outside_a_module_sees_nothing():
    assert function_named(FuncOp("alone", ([], [])), "alone") is None


def test_added_renamed_and_erased_functions_are_noticed():
    first = FuncOp("first", ([], []))
    module = ModuleOp([first])
    assert function_named(module, "first") is first
    second = FuncOp("second", ([], []))
    module.body.block.add_op(second)
    assert function_named(module, "second") is second
    second.properties["sym_name"] = StringAttr("renamed")
    assert function_named(module, "second") is None
    assert function_named(module, "renamed") is second
    first.detach()
    assert function_named(module, "first") is None


def test_a_module_that_was_searched_can_die():
    module = ModuleOp([FuncOp("first", ([], []))])
    assert function_named(module, "first") is not None
    watch = weakref.ref(module)
    del module
    gc.collect()
    assert watch() is None
