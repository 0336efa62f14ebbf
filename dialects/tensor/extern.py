"""Functions of C in kernels: `tensor.extern`, a routine of the runtime that is no loop nest over a domain, and
`tensor.call_blocks`, which calls functions of the user on blocks."""

from collections.abc import Sequence
from itertools import pairwise

from xdsl.dialects.builtin import I64, ArrayAttr, DenseArrayBase, IndexType, IntegerAttr, StringAttr, TensorType, i64
from xdsl.ir import Attribute, ParametrizedAttribute, SSAValue, TypeAttribute
from xdsl.irdl import (
    ParsePropInAttrDict,
    irdl_attr_definition,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from s2s.dialects.operation import Op, op_definition
from s2s.dialects.tensor.attributes import AccessAttr, integers, values_of
from s2s.types.affine import bounds, ranges
from s2s.types.dtypes import as_tensor_type
from s2s.types.hints import isa


@op_definition
class ExternOp(Op):
    """`results… = routine(inputs…, numbers…)`: a routine of `runtime_c`, which reads and writes whole tensors.

    In C it is a function `s2s_<routine>` that takes results, scratch, inputs and numbers in this order. `scratch` lists
    the types of its scratch arrays.

        %p = tensor.extern "largest_f32"(%x) {numbers = array<i64: 4, 100, 5>, scratch = [tensor<656xui32>]}
               : (tensor<4x100xf32>) -> tensor<4x5xi32>
    """

    name = "tensor.extern"

    routine = prop_def(StringAttr)
    numbers = prop_def(DenseArrayBase.constr(i64))
    scratch = prop_def(ArrayAttr[TypeAttribute])
    inputs = var_operand_def(TensorType)
    res = var_result_def(TensorType)

    irdl_options = (ParsePropInAttrDict(),)
    traits = traits_def(Pure())
    assembly_format = "$routine `(` $inputs `)` attr-dict `:` functional-type($inputs, $res)"

    def __init__(
        self,
        routine: str,
        inputs: Sequence[SSAValue],
        numbers: Sequence[int],
        result_types: Sequence[Attribute],
        scratch: Sequence[TypeAttribute] = (),
    ) -> None:
        super().__init__(
            operands=[inputs],
            properties={
                "routine": StringAttr(routine),
                "numbers": integers(numbers),
                "scratch": ArrayAttr(list(scratch)),
            },
            result_types=[result_types],
        )

    @property
    def values(self) -> tuple[int, ...]:
        """The numbers that the routine takes."""
        return values_of(self.numbers)

    def verify_(self) -> None:
        if not self.res:
            raise VerifyException(f"{self.name}: {self.routine.data} has no results, expected at least one")
        for scratch in self.scratch:
            if len(as_tensor_type(scratch).get_shape()) != 1:
                raise VerifyException(f"{self.name}: scratch {scratch} is not a row of elements")


@irdl_attr_definition
class BlockCallAttr(ParametrizedAttribute):
    """A call `function(arguments…)`: a number of type `index` stands for a block, 0 for the result's; all others are
    passed as they are.

        #tensor.block_call<"gemv_update", [0 : index, 1 : index, 2 : index, 16 : i32]>
    """

    name = "tensor.block_call"

    function: StringAttr
    arguments: ArrayAttr[Attribute]

    @property
    def blocks(self) -> tuple[int, ...]:
        """The blocks that the function takes, in order."""
        blocks = [block for block in self.arguments if isa(block, IntegerAttr) and isinstance(block.type, IndexType)]
        return tuple(block.value.data for block in blocks)


@op_definition
class CallBlocksOp(Op):
    """`result`, each block of which C functions compute from blocks of the inputs.

    The loops of `domain` run in their order. At each point a block of each tensor begins at its access, the result
    first, and has the size that `blocks` gives. Loops `reduced` are a reduction: if there are `starts`, they run before
    the first of these loops, for each block; else `first` runs in place of `steps` where all of them are 0. Without
    such loops there is `steps` alone. The C of the functions is in the header `header`.

        %c = tensor.call_blocks (%a, %b) {domain = array<i64: 8, 4>, reduced = array<i64>, blocks = [array<i64: 1, 16>,
               array<i64: 1, 64>, array<i64: 16, 64>], accesses = […], steps = [#tensor.block_call<…>], header = "c.h"}
               : (tensor<8x64xf32>, tensor<64x64xf32>) -> tensor<8x64xf32>
    """

    name = "tensor.call_blocks"

    domain = prop_def(DenseArrayBase.constr(i64))
    reduced = prop_def(DenseArrayBase.constr(i64))
    accesses = prop_def(ArrayAttr[AccessAttr])
    blocks = prop_def(ArrayAttr[DenseArrayBase[I64]])
    starts = opt_prop_def(ArrayAttr[BlockCallAttr])
    first = opt_prop_def(ArrayAttr[BlockCallAttr])
    steps = prop_def(ArrayAttr[BlockCallAttr])
    header = prop_def(StringAttr)
    inputs = var_operand_def(TensorType)
    res = result_def(TensorType)

    irdl_options = (ParsePropInAttrDict(),)
    traits = traits_def(Pure())
    assembly_format = "`(` $inputs `)` attr-dict `:` functional-type($inputs, $res)"

    def __init__(
        self,
        domain: Sequence[int],
        reduced: Sequence[int],
        tensors: Sequence[tuple[SSAValue | TensorType[Attribute], AccessAttr, Sequence[int]]],
        *,
        steps: Sequence[BlockCallAttr],
        starts: Sequence[BlockCallAttr] | None = None,
        first: Sequence[BlockCallAttr] | None = None,
        header: str,
    ) -> None:
        (result, *_), *inputs = tensors
        assert isinstance(result, TensorType)
        super().__init__(
            operands=[[tensor for tensor, _, _ in inputs if isinstance(tensor, SSAValue)]],
            properties={
                "domain": integers(domain),
                "reduced": integers(reduced),
                "accesses": ArrayAttr([access for _, access, _ in tensors]),
                "blocks": ArrayAttr([integers(block) for _, _, block in tensors]),
                "starts": None if starts is None else ArrayAttr(list(starts)),
                "first": None if first is None else ArrayAttr(list(first)),
                "steps": ArrayAttr(list(steps)),
                "header": StringAttr(header),
            },
            result_types=[result],
        )

    @property
    def sizes(self) -> tuple[int, ...]:
        """The size of each loop."""
        return values_of(self.domain)

    @property
    def reductions(self) -> tuple[int, ...]:
        """The loops of the reduction."""
        return values_of(self.reduced)

    @property
    def block_sizes(self) -> list[tuple[int, ...]]:
        """The sizes of the block of each tensor."""
        return [values_of(block) for block in self.blocks]

    def verify_(self) -> None:
        tensors = [self.res, *self.inputs]
        if not len(tensors) == len(self.accesses) == len(self.block_sizes):
            raise VerifyException(f"{self.name}: {len(tensors)} tensors, expected an access and a block for each")
        if any(size < 1 for size in self.sizes) or not self.steps.data:
            raise VerifyException(f"{self.name}: loops {list(self.sizes)} with {len(self.steps)} calls")
        if any(later <= dim for dim, later in pairwise((-1, *self.reductions, len(self.sizes)))):
            raise VerifyException(f"{self.name}: {list(self.reductions)} are no loops of {list(self.sizes)}")
        if bool(self.reductions) != (self.starts is not None or self.first is not None):
            raise VerifyException(f"{self.name}: starts or first belong to a reduction outside of the blocks")
        for tensor, access, block in zip(tensors, self.accesses, self.block_sizes, strict=True):
            self._check_block(tensor, access, block)
        for call in (*self.steps, *(self.starts or ()), *(self.first or ())):
            if any(not 0 <= number < len(tensors) for number in call.blocks):
                raise VerifyException(f"{self.name}: {call.function.data} takes block {list(call.blocks)}")

    def _check_block(self, tensor: SSAValue, access: AccessAttr, block: Sequence[int]) -> None:
        shape, starts = as_tensor_type(tensor.type).get_shape(), access.map.data.results
        if access.map.data.num_dims != len(self.sizes) or not len(starts) == len(block) == len(shape):
            raise VerifyException(
                f"{self.name}: {access.map.data} with blocks {list(block)} does not fit {tensor.type}"
            )
        for start, size, extent in zip(starts, block, shape, strict=True):
            low, high = bounds(start, ranges(self.sizes))
            if low < 0 or high + size > extent:
                raise VerifyException(
                    f"{self.name}: blocks of {size} from {low} to {high} leave a dimension of {extent} of {tensor.type}"
                )
