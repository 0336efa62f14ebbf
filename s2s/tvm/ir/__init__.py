"""Modules, types and operators, under TVM's names."""

from typing import TYPE_CHECKING

from s2s.errors import UnsupportedError
from s2s.tvm.ir import container, instrument, memory_pools, module, transform
from s2s.tvm.ir.memory_pools import (
    ConstantMemoryPools,
    ConstantPoolInfo,
    PoolInfo,
    PoolInfoProperties,
    WorkspaceMemoryPools,
    WorkspacePoolInfo,
)
from s2s.tvm.ir.structural import assert_structural_equal, structural_equal, structural_hash
from s2s.tvm.refusals import refusing
from s2s.tvm.relay.function import GlobalVar
from s2s.tvm.relay.module import IRModule
from s2s.tvm.relay.op_attributes import register_op_attr
from s2s.tvm.relay.operators import Attrs, Op
from s2s.tvm.relay.ty import FuncType, IncompleteType, TensorType, TupleType, Type, TypeVar
from s2s.tvm.te.intrinsics import register_intrin_lowering
from s2s.tvm.transform import PassContext


def make_node(type_key: str, **kwargs: object) -> Attrs:
    """Return a node of a kind of TVM: of `DictAttrs`, the attributes of functions; others are made by their classes."""
    if type_key != "DictAttrs":
        raise UnsupportedError(f"tvm.ir.make_node {type_key}: nodes are made by functions of relay and te; call these")
    return Attrs(kwargs)


def save_json(node: object) -> str:
    """TVM's text of an object with its inner ids; refused."""
    raise UnsupportedError("tvm.ir.save_json: objects have no JSON; write astext(), which tvm.parser.fromtext reads")


def load_json(json_str: str) -> object:
    """Read TVM's text of an object; refused."""
    raise UnsupportedError("tvm.ir.load_json: objects have no JSON; read astext() with tvm.parser.fromtext")


__all__ = [
    "Attrs",
    "ConstantMemoryPools",
    "ConstantPoolInfo",
    "FuncType",
    "GlobalVar",
    "IRModule",
    "IncompleteType",
    "Op",
    "PassContext",
    "PoolInfo",
    "PoolInfoProperties",
    "TensorType",
    "TupleType",
    "Type",
    "TypeVar",
    "WorkspaceMemoryPools",
    "WorkspacePoolInfo",
    "assert_structural_equal",
    "container",
    "instrument",
    "load_json",
    "make_node",
    "memory_pools",
    "module",
    "register_intrin_lowering",
    "register_op_attr",
    "save_json",
    "structural_equal",
    "structural_hash",
    "transform",
]

if not TYPE_CHECKING:  # a checker would take every name for an object
    __getattr__ = refusing("ir")
