"""The questions to a code generator, and its answers.

    class Dense(CodeGenerator):
        name = "mylib"
        link = ("-lmylib",)

        def patterns(self):
            return [("dense", is_op("matmul")(wildcard(), is_constant()).has_dtype("float32"))]

        def unsupported(self, composite, target):
            return None if composite.shape(0)[1] % 4 == 0 else "the inner dimension is no multiple of 4"

        def code(self, region, target):
            ...
            return Code(f"mylib_dense({m}, {n}, {k}, x0, x1, y0);", headers=('"mylib.h"',))

    register_codegen(Dense())

A package can register its generators through an entry point of the group `s2s.codegens`.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import ClassVar, TypeVar

from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, BlockArgument, Operation, SSAValue

from s2s.dialects import graph
from s2s.dialects.graph import provenance
from s2s.external.pattern import Pattern
from s2s.support.frozen import frozen
from s2s.targets import Target
from s2s.types.dtypes import AnyTensor, Array, as_tensor_type, from_dense

OpT = TypeVar("OpT", bound=Operation)


@frozen
class Composite:
    """Operators that a pattern of a generator has matched, as a function of their inputs."""

    pattern: str
    """The name of the pattern."""
    function: FuncOp
    constants: Mapping[int, Array] = field(default_factory=dict[int, Array])
    """The values of the inputs that are constant, by their numbers."""

    @property
    def ops(self) -> list[Operation]:
        """The operators in order, without constants."""
        ops = self.function.body.block.ops
        return [op for op in ops if not isinstance(op, graph.ConstantInterface | ReturnOp)]

    @property
    def nodes(self) -> tuple[str, ...]:
        """The nodes of the model that the operators come from."""
        return tuple(dict.fromkeys(node for op in self.ops for node in provenance(op)))

    @property
    def inputs(self) -> list[AnyTensor]:
        """The types of the inputs."""
        return list(map(as_tensor_type, self.function.function_type.inputs))

    @property
    def outputs(self) -> list[AnyTensor]:
        """The types of the results."""
        return list(map(as_tensor_type, self.function.function_type.outputs))

    def shape(self, number: int) -> tuple[int, ...]:
        """The shape of an input."""
        return self.inputs[number].get_shape()

    def the(self, kind: type[OpT]) -> OpT:
        """The only operator of a class."""
        (found,) = [op for op in self.ops if isinstance(op, kind)]
        return found

    def find(self, kind: type[OpT]) -> OpT | None:
        """The first operator of a class; None if there is none."""
        return next((op for op in self.ops if isinstance(op, kind)), None)

    def value(self, operand: SSAValue) -> Array | None:
        """The value of an operand of one of the operators; None if it is not constant."""
        if isinstance(operand.owner, graph.ConstantOp):
            return from_dense(operand.owner.value)
        return self.constants.get(operand.index) if isinstance(operand, BlockArgument) else None

    def number(self, operand: SSAValue) -> int | None:
        """Which input an operand of one of the operators is; None if it is none."""
        return operand.index if isinstance(operand, BlockArgument) else None


@frozen
class Step:
    """One composite of a region, with the names in C of the tensors that it reads and writes."""

    composite: Composite
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]


@frozen
class Region:
    """A sub-graph that one generator computes in one call."""

    steps: tuple[Step, ...]
    inputs: tuple[Attribute, ...]
    """The types of `x0`, `x1`, …"""
    outputs: tuple[Attribute, ...]
    """The types of `y0`, `y1`, …"""
    constants: Mapping[str, Array]
    """The values of the inputs that are constant, by their names in C."""
    inner: Mapping[str, Attribute]
    """The types of `t0`, `t1`, …, which steps pass to later steps and nobody else reads. The code finds a place for
    them, in its scratch or in memory of its own."""


@frozen
class Code:
    """The C that computes a region: the body of a function of `y0, …, x0, …`, pointers to the elements of tensors."""

    body: str
    """Statements."""
    headers: tuple[str, ...] = ()
    """What the file includes: `<cblas.h>`, `"arm_nnfunctions.h"`."""
    definitions: str = ""
    """C in front of the function; equal texts of several functions are written once."""
    constants: Mapping[str, Array] = field(default_factory=dict[str, Array])
    """Constants in the generator's own layout, each a further parameter of its name. They are no parameters of the
    network."""
    replaced: frozenset[str] = frozenset()
    """Constant inputs that the body does not read, since `constants` hold their values; they are not passed."""
    scratch: int = 0
    """Bytes of memory that the body uses while it runs, aligned to 8: the parameter `scratch`, of type `int64_t *`."""


class CodeGenerator(ABC):
    """Computes parts of a network by code that it brings, or by a library."""

    name: ClassVar[str]
    """What users call it."""
    link: tuple[str, ...] = ()
    """Flags of the linker."""
    include: tuple[str, ...] = ()
    """Folders of headers. `$NAME/…` begins with a variable that the build is given."""
    sources: tuple[str, ...] = ()
    """C files to compile beside the tree, with wildcards; folders as in `include`."""
    regions: ClassVar[bool] = False
    """Whether one call computes several composites; else each is a call of its own."""

    keeps_order: ClassVar[bool] = True
    """Whether it adds floats in the order of the model. If not, it computes nothing with `--exact`."""

    @abstractmethod
    def patterns(self) -> Sequence[tuple[str, Pattern]]:
        """The patterns by name, the preferred ones first."""

    def unsupported(self, composite: Composite, target: Target) -> str | None:
        """Why the generator cannot compute `composite`; None if it can."""
        return None

    def cost(self, composite: Composite, target: Target) -> float | None:
        """Cycles that `composite` takes; None if nobody knows: it is then claimed only where the user says so."""
        return None

    def own_cost(self, composite: Composite, target: Target) -> float | None:
        """Cycles that the kernels of s2s take for `composite`, in the unit of `cost`; None if nobody knows."""
        return None

    @abstractmethod
    def code(self, region: Region, target: Target) -> Code:
        """The C for `region`, all of whose composites are supported."""

    def get_const_vars(self, region: Region, target: Target) -> list[str]:
        """Return the names of the constants that the code of `region` has in a layout of its own, under TVM's name.

        They are no parameters of the network: neither `.params` nor the graph JSON knows them.
        """
        return list(self.code(region, target).constants)
