"""Outline calls of functions outside of the network as declarations of C functions, which are kernels from here on.

    %y = graph.extern "my_blur"(%x) {source = "void my_blur(…"} : (tensor<4xi8>) -> tensor<4xi8>
->
    func.func private @my_blur(tensor<4xi8>) -> tensor<4xi8> attributes {callback = "my_blur", source = "void …"}
    %y = graph.call @my_blur(%x) : (tensor<4xi8>) -> tensor<4xi8>
    builtin.module @meanings { func.func private @my_blur(%x: …) -> … { graph.extern "my_blur"(%x) … } }

The operation moves to the module `@meanings`, by which interpreters of all levels compute what the function does. A
packed function is called by a C function that the pass writes, with the tensors as arguments (`packed_calls`):

    %y = graph.extern "app.scale"(%x) {packed} : (tensor<4xi8>) -> tensor<4xi8>
->
    func.func private @app_scale(tensor<4xi8>) -> tensor<4xi8> attributes {callback = "net_app_scale_1f0c…",
      packed = "app.scale", source = "void net_app_scale_1f0c…(int8_t *y0, const int8_t *x0) …"}

Refused for two calls of one C function with different element types, since C has one prototype for each function.
"""

import re
from collections.abc import Sequence

from xdsl.context import Context
from xdsl.dialects.builtin import ArrayAttr, ModuleOp, StringAttr
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, Block, Region
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from s2s.analysis.network.functions import CALLBACK, DEFINITIONS, HEADERS, PACKED, SOURCE, add_meaning, is_network
from s2s.dialects import graph
from s2s.dialects.graph import copy_provenance, provenance
from s2s.dialects.walk import walk
from s2s.errors import InputError
from s2s.passes.graph.fuse_ops.names import UniqueNames
from s2s.passes.graph.packed_calls import PackedCall
from s2s.support.frozen import frozen
from s2s.types.dtypes import AnyTensor, as_tensor_type


@frozen
class OutlineExternsPass(ModulePass):
    """Declare the functions of C that `graph.extern` calls."""

    name = "graph-outline-externs"

    prefix: str = "net"
    """The name of the network in C."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        functions = [each for each in op.body.block.ops if isinstance(each, FuncOp)]
        names = UniqueNames([each.sym_name.data for each in functions])
        calls = [(each, func) for func in functions if is_network(func) for each in walk(func)]
        externs = [(each, func) for each, func in calls if isinstance(each, graph.ExternOp)]
        _check_prototypes([each for each, _ in externs])
        for extern, func in externs:
            name = names.make(re.sub(r"\W", "_", extern.function.data))
            declaration = FuncOp(name, (extern.operand_types, extern.result_types), Region(), visibility="private")
            declaration.attributes |= _attributes(extern, self.prefix)
            op.body.block.insert_op_before(declaration, func)
            _replace(op, extern, name)


def _replace(module: ModuleOp, extern: graph.ExternOp, name: str) -> None:
    """Call the declaration, and move the operation to the module of meanings."""
    call = graph.CallOp(name, list(extern.operands), extern.result_types)
    copy_provenance(call, extern)
    for old, new in zip(extern.results, call.results, strict=True):
        new.name_hint = old.name_hint
    block = Block(arg_types=extern.operand_types)
    meaning = extern.clone(dict(zip(extern.operands, block.args, strict=False)))
    for number, argument in enumerate(block.args):
        meaning.operands[number] = argument
    block.add_ops([meaning, ReturnOp(*meaning.results)])
    add_meaning(module, FuncOp(name, (extern.operand_types, extern.result_types), Region(block), visibility="private"))
    Rewriter.replace_op(extern, call)


def _attributes(extern: graph.ExternOp, prefix: str) -> dict[str, Attribute]:
    """What the declaration says of the C function."""
    if extern.packed is None:
        plain: dict[str, Attribute] = {CALLBACK: extern.function}
        return plain if extern.source is None else {**plain, SOURCE: extern.source}
    call = PackedCall(
        extern.function.data,
        prefix,
        None if extern.source is None else extern.source.data,
        tuple(map(as_tensor_type, extern.operand_types)),
        tuple(map(as_tensor_type, extern.result_types)),
        extern.values,
    )
    return {
        CALLBACK: StringAttr(call.name),
        PACKED: extern.function,
        SOURCE: StringAttr(call.text),
        DEFINITIONS: StringAttr(call.definitions),
        HEADERS: ArrayAttr([StringAttr('"s2s_packed.h"')]),
    }


def _check_prototypes(externs: Sequence[graph.ExternOp]) -> None:
    """Refuse calls of one C function with different element types."""
    found: dict[str, list[Attribute]] = {}
    for extern in externs:
        name, types = extern.function.data, (*extern.result_types, *extern.operand_types)
        elements = [_element(type) for type in types]
        if extern.packed is None and found.setdefault(name, elements) != elements:
            raise InputError(
                f"{', '.join(provenance(extern)) or 'network'}: C function {name} takes other element types in another "
                "operator; register two functions"
            )


def _element(type: Attribute) -> Attribute:
    kind: AnyTensor = as_tensor_type(type)
    return kind.element_type
