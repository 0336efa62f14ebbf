"""Write how a run function learns the sizes of a run: from its caller, and from the kernels that compute some.

const int32_t n = dims->n;
if (n < NET_N_MIN || n > NET_N_MAX) {
    return S2S_ERR_SHAPE;
}
net_mask(mask, count, x, n);
const int32_t found = count[0];
if (found < 0 || found > NET_FOUND_MAX) {
    return S2S_ERR_SHAPE;
}
dims->found = found;
net_nonzero(places, mask, count);
"""

from collections.abc import Mapping, Set
from typing import NamedTuple

from xdsl.dialects.builtin import IndexType
from xdsl.ir import Attribute, Block, SSAValue

from s2s.c_syntax.identifiers import c_identifier, c_macro, size_identifiers, sizes_type
from s2s.dialects import c, loop
from s2s.passes.loop.lower_to_c.affine import index_expression
from s2s.passes.loop.lower_to_c.builder import Builder
from s2s.passes.loop.lower_to_c.names import Names
from s2s.types.sizes import SizeRange, computed_of, counted_of, derived_of, sizes_of

_INDEX = IndexType()


def refuse(b: Builder, test: SSAValue, status: str) -> None:
    """Return `status` from the run function where `test` holds."""
    then = Block()
    with b.inside(then):
        then.add_op(c.ReturnOp(b.add(c.SymbolOp(status, c.STATUS))))
    b.block.add_op(c.IfOp(test, then))


class KnownSizes(NamedTuple):
    """The sizes of a run that a network which another one runs takes as parameters, by name."""

    values: Mapping[str, SSAValue]


class RunSizes:
    """The sizes of a run, by name, as values of the run function: more of them from kernel to kernel."""

    def __init__(self, attributes: Mapping[str, Attribute], names: Names, steps: Set[str]) -> None:
        self.bounds, self.derived, self.computed = sizes_of(attributes), derived_of(attributes), computed_of(attributes)
        self.counted, self.prefix = counted_of(attributes), names.prefix
        self.fields = size_identifiers(name for name in self.bounds if name not in self.counted)
        """The fields of the caller's structure, by size."""
        self.used = {name for each in names.sizes.values() for name in each} | steps
        self.values: dict[str, SSAValue] = {}
        self.dims: SSAValue | None = None

    @property
    def type(self) -> c.PtrType:
        """The type of the parameter: a structure that the function writes to only if kernels compute sizes."""
        return c.PtrType(c.NamedType(sizes_type(self.prefix)), const=not self.computed)

    def enter(self, b: Builder, dims: SSAValue) -> None:
        """Read the sizes that the caller gives, and check them."""
        self.dims = dims
        for name in self.fields:
            if name not in self.computed:
                self._add(b, name, b.add(c.LoadOp(b.add(c.MemberOp(dims, self.fields[name], _INDEX)))))
        self._derive(b)

    def count(self, b: Builder, inputs: Mapping[str, SSAValue]) -> None:
        """Compute sizes from values of inputs: `x[0] < 0 || x[0] > 384 ? 512 : (int32_t)x[0] + 128`."""
        for name, counted in self.counted.items():
            size, port = self.bounds[name], b.value(inputs[counted.input])
            value = b.add(c.LoadOp(b.add(c.SubscriptOp(port, b.literal(0, _INDEX)))))
            ends = (("<", 0), (">", size.most - counted.plus))
            low, high = (b.binary(sign, value, b.literal(end, value.type)) for sign, end in ends)
            sum = b.binary("+", b.cast(value, _INDEX), b.literal(counted.plus, _INDEX))
            outside = b.binary("||", low, high)
            found = b.add(c.ConditionalOp(outside, b.literal(size.most, _INDEX), sum))
            found.name_hint = c_identifier(name)
            self.values[name] = found

    def read(self, b: Builder, op: loop.ReadSizeOp) -> None:
        """Read a size that a kernel has computed, and tell the caller."""
        name = op.size.data
        found = b.add(c.LoadOp(b.add(c.SubscriptOp(b.value(op.source), b.literal(0, _INDEX)))))
        self._add(b, name, b.add(c.CastOp(found, _INDEX)))
        assert self.dims is not None
        place = b.add(c.MemberOp(self.dims, self.fields[name], _INDEX))
        b.block.add_op(c.AssignOp(place, self.values[name]))
        self._derive(b)

    def _add(self, b: Builder, name: str, value: SSAValue) -> None:
        """Check that the size `name`, which is `value`, is within its bounds, and use it from here on."""
        field = self.fields[name]
        self.values[name] = value
        value.name_hint = field
        b.values[value], b.ranges[value] = value, (self.bounds[name].least, self.bounds[name].most)
        macro = c_macro(f"{self.prefix}_{field}")
        low, high = (b.add(c.SymbolOp(f"{macro}_{end}", _INDEX)) for end in ("MIN", "MAX"))
        outside = b.binary("||", b.binary("<", value, low), b.binary(">", value, high))
        if self.bounds[name].step > 1:
            outside = b.binary("||", outside, self._between_steps(b, value, macro, self.bounds[name]))
        refuse(b, outside, "S2S_ERR_SHAPE")

    def _between_steps(self, b: Builder, value: SSAValue, macro: str, size: SizeRange) -> SSAValue:
        """Test whether `value` is not one of the least size, one step more, and so on."""
        step = b.add(c.SymbolOp(f"{macro}_STEP", _INDEX))
        if size.least % size.step:
            value = b.binary("-", value, b.add(c.SymbolOp(f"{macro}_MIN", _INDEX)))
        return b.binary("!=", b.binary("%", value, step), b.literal(0, _INDEX))

    def _derive(self, b: Builder) -> None:
        """Compute the sizes that kernels use and that follow from the sizes known before."""
        for name, map in self.derived.items():
            needed = [list(self.bounds)[dim] for dim in map.results[0].used_dims()]
            if name in self.values or name not in self.used or not all(each in self.values for each in needed):
                continue
            known = next(iter(self.values.values()))
            operands = [self.values.get(each, known) for each in self.bounds]
            value = self.values[name] = index_expression(b, map.results[0], operands)
            value.name_hint = c_identifier(name)
