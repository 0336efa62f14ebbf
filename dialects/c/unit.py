"""What stands in a C file beside statements: functions, global tables, includes."""

from collections.abc import Sequence
from typing import Self

from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseArrayBase,
    DenseIntOrFPElementsAttr,
    DictionaryAttr,
    FunctionType,
    StringAttr,
    SymbolNameConstraint,
    UnitAttr,
    i64,
)
from xdsl.dialects.utils import parse_func_op_like, print_func_op_like
from xdsl.ir import Attribute, Block, BlockArgument, Region
from xdsl.irdl import (
    ParsePropInAttrDict,
    opt_prop_def,
    prop_def,
    region_def,
    traits_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import NoTerminator, SymbolOpInterface
from xdsl.utils.exceptions import VerifyException

from s2s.dialects.c.types import VOID
from s2s.dialects.isolation import ComputedBeforeUse
from s2s.dialects.operation import Op, op_definition

_PRINTED_PROPERTIES = ("parameters", "extents", "doc", "restrict_macro", "outline", "section")


@op_definition
class FuncOp(Op):
    """A function, or without a body its prototype.

        c.func static @relu(%y : !c.ptr<f32>, %x : !c.ptr<f32, const>) attributes {doc = "y[i] = max(x[i], 0)"} { … }

    `parameters` are the names in the source; `c-name-temporaries` makes them from the name hints where they are not
    given. An entry of `extents` that is not empty writes its parameter as `const int8_t x[KWS_X_SIZE]`, which tells a
    reader, and the compiler, how much is behind the pointer. `doc` is the comment above the function. With
    `restrict_macro` the qualifier is written as the macro S2S_RESTRICT, which a project may define to nothing. A static
    function with `outline` is never inlined: what is around its loops would take their registers. `section` is a macro
    in front of the definition, which says in which section it goes.
    """

    name = "c.func"

    sym_name = prop_def(SymbolNameConstraint())
    function_type = prop_def(FunctionType)
    parameters = opt_prop_def(ArrayAttr[StringAttr])
    extents = opt_prop_def(ArrayAttr[StringAttr])
    static = opt_prop_def(UnitAttr)
    doc = opt_prop_def(StringAttr)
    restrict_macro = opt_prop_def(UnitAttr)
    outline = opt_prop_def(UnitAttr)
    section = opt_prop_def(StringAttr)
    body = region_def()

    traits = traits_def(ComputedBeforeUse(), SymbolOpInterface(), NoTerminator())

    def __init__(
        self,
        name: str,
        inputs: Sequence[Attribute],
        output: Attribute = VOID,
        body: Region | Block | None = None,
        *,
        parameters: Sequence[str] | None = None,
        extents: Sequence[str] | None = None,
        static: bool = False,
        doc: str | None = None,
        restrict_macro: bool = False,
        outline: bool = False,
        section: str | None = None,
    ) -> None:
        if body is None:
            body = Region(Block(arg_types=inputs))
        super().__init__(
            properties={
                "sym_name": StringAttr(name),
                "function_type": FunctionType.from_lists(inputs, [output]),
                "parameters": None if parameters is None else ArrayAttr(StringAttr(name) for name in parameters),
                "extents": None if extents is None else ArrayAttr(StringAttr(extent) for extent in extents),
                "static": UnitAttr() if static else None,
                "doc": None if doc is None else StringAttr(doc),
                "restrict_macro": UnitAttr() if restrict_macro else None,
                "outline": UnitAttr() if outline else None,
                "section": None if section is None else StringAttr(section),
            },
            regions=[Region(body) if isinstance(body, Block) else body],
        )

    @property
    def output(self) -> Attribute:
        """The type of what the function returns; `void` where it returns nothing."""
        return self.function_type.outputs.data[0]

    @property
    def args(self) -> Sequence[BlockArgument]:
        """The parameters, as the body sees them."""
        return self.body.block.args

    def verify_(self) -> None:
        name, inputs = self.sym_name.data, self.function_type.inputs.data
        if len(self.function_type.outputs.data) != 1:
            raise VerifyException(
                f"{self.name}: {name} gives {len(self.function_type.outputs.data)} values, C gives one"
            )
        if self.body.blocks and tuple(self.body.block.arg_types) != inputs:
            raise VerifyException(f"{self.name}: {name}: body and function type differ in their parameters")
        if self.outline is not None and self.static is None:
            raise VerifyException(f"{self.name}: {name}: what other files call is no outlined function")
        for given in (self.parameters, self.extents):
            if given is not None and len(given) != len(inputs):
                raise VerifyException(f"{self.name}: {name}: {len(given)} names for {len(inputs)} parameters")

    def print(self, printer: Printer) -> None:
        if self.static is not None:
            printer.print_string(" static")
        shown = {name: self.properties[name] for name in _PRINTED_PROPERTIES if name in self.properties}
        print_func_op_like(
            printer,
            self.sym_name,
            FunctionType.from_lists(self.function_type.inputs.data, self._printed_outputs),
            self.body,
            shown | self.attributes,
            reserved_attr_names=(),
        )

    @property
    def _printed_outputs(self) -> tuple[Attribute, ...]:
        return () if self.output == VOID else (self.output,)

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        static = parser.parse_optional_keyword("static") is not None
        name, inputs, outputs, body, extra, *_ = parse_func_op_like(parser, reserved_attr_names=("sym_name",))
        op = cls(name, inputs, outputs[0] if outputs else VOID, body, static=static)
        if extra is not None:
            op.properties |= {key: value for key, value in extra.data.items() if key in _PRINTED_PROPERTIES}
            op.attributes |= {key: value for key, value in extra.data.items() if key not in _PRINTED_PROPERTIES}
        return op


@op_definition
class OverlayOp(Op):
    """A type whose objects lie over each other, each `offsets[i]` bytes from the beginning.

        c.overlay @net_arena members ["conv1", "pool1"] offsets [0, 64] types [!c.array<16 x f32>, !c.array<4 x f32>]
    ->
        typedef union net_arena {
            struct { float data[16]; } conv1;
            struct { uint8_t before[64]; float data[4]; } pool1;
        } net_arena;
    """

    name = "c.overlay"

    sym_name = prop_def(SymbolNameConstraint())
    members = prop_def(ArrayAttr[StringAttr])
    offsets = prop_def(DenseArrayBase.constr(i64))
    types = prop_def(ArrayAttr[Attribute])

    irdl_options = (ParsePropInAttrDict(),)
    traits = traits_def(SymbolOpInterface())
    assembly_format = "$sym_name `members` $members `offsets` $offsets `types` $types attr-dict"

    def __init__(self, name: str, members: Sequence[str], offsets: Sequence[int], types: Sequence[Attribute]) -> None:
        super().__init__(
            properties={
                "sym_name": StringAttr(name),
                "members": ArrayAttr(StringAttr(member) for member in members),
                "offsets": DenseArrayBase.from_list(i64, list(offsets)),
                "types": ArrayAttr(types),
            }
        )

    def verify_(self) -> None:
        names = [member.data for member in self.members]
        if not len(names) == len(self.offsets) == len(self.types):
            raise VerifyException(
                f"{self.name}: {len(names)} members, {len(self.offsets)} offsets, {len(self.types)} types"
            )
        if len(set(names)) != len(names):
            raise VerifyException(f"{self.name}: {self.sym_name.data} has two members of one name")
        if any(offset < 0 for offset in self.offsets.get_values()):
            raise VerifyException(f"{self.name}: {self.sym_name.data} has a member before its beginning")


@op_definition
class StructOp(Op):
    """A structure, for functions that take many values by one pointer.

        c.struct @net_conv_task members ["y", "x"] types [!c.ptr<f32>, !c.ptr<f32, const>]
    ->
        typedef struct net_conv_task {
            float *y;
            const float *x;
        } net_conv_task;
    """

    name = "c.struct"

    sym_name = prop_def(SymbolNameConstraint())
    members = prop_def(ArrayAttr[StringAttr])
    types = prop_def(ArrayAttr[Attribute])

    irdl_options = (ParsePropInAttrDict(),)
    traits = traits_def(SymbolOpInterface())
    assembly_format = "$sym_name `members` $members `types` $types attr-dict"

    def __init__(self, name: str, members: Sequence[str], types: Sequence[Attribute]) -> None:
        super().__init__(
            properties={
                "sym_name": StringAttr(name),
                "members": ArrayAttr(StringAttr(member) for member in members),
                "types": ArrayAttr(types),
            }
        )

    def verify_(self) -> None:
        names = [member.data for member in self.members]
        if len(names) != len(self.types) or not names:
            raise VerifyException(f"{self.name}: {len(names)} members, {len(self.types)} types")
        if len(set(names)) != len(names):
            raise VerifyException(f"{self.name}: {self.sym_name.data} has two members of one name")


@op_definition
class GlobalOp(Op):
    """A constant table at file scope: `static const int8_t name[4] = {1, 2, 3, 4};`.

    `value` gives the elements: dense numbers, nested arrays (rows of structures), or a dictionary (a structure by its
    fields) of integers, floats, strings (C strings) and symbols (names of other objects). With `weight` instead the
    values are in the weight store under that name, and the weights unit defines the table.
    """

    name = "c.global"

    sym_name = prop_def(SymbolNameConstraint())
    type = prop_def(Attribute)
    value = opt_prop_def(DenseIntOrFPElementsAttr | ArrayAttr | DictionaryAttr)
    weight = opt_prop_def(StringAttr)
    static = opt_prop_def(UnitAttr)
    comment = opt_prop_def(StringAttr)

    irdl_options = (ParsePropInAttrDict(),)
    traits = traits_def(SymbolOpInterface())
    assembly_format = "(`static` $static^)? $sym_name `:` $type (`=` $value^)? (`weight` $weight^)? attr-dict"

    def __init__(
        self,
        name: str,
        type: Attribute,
        *,
        value: Attribute | None = None,
        weight: str | None = None,
        static: bool = False,
        comment: str | None = None,
    ) -> None:
        super().__init__(
            properties={
                "sym_name": StringAttr(name),
                "type": type,
                "value": value,
                "weight": None if weight is None else StringAttr(weight),
                "static": UnitAttr() if static else None,
                "comment": None if comment is None else StringAttr(comment),
            }
        )

    def verify_(self) -> None:
        if (self.value is None) == (self.weight is None):
            raise VerifyException(f"{self.name}: {self.sym_name.data} has not exactly one of value and weight")


@op_definition
class IncludeOp(Op):
    """`#include "header"`, or `#include <header>` with `system`."""

    name = "c.include"

    header = prop_def(StringAttr)
    system = opt_prop_def(UnitAttr)

    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$header attr-dict"

    def __init__(self, header: str, *, system: bool = False) -> None:
        super().__init__(properties={"header": StringAttr(header), "system": UnitAttr() if system else None})
