"""Check what operations declare of their operands, results and attributes faster than the general verifier of xDSL.

xDSL asks for every operation again which of its values belongs to which declaration, and makes messages on the way.
Where an operation has values at fixed positions, and at most one declaration of several values (or of one or none)
behind them, all of that is known when the operation is defined.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import (
    AnyAttr,
    AttrConstraint,
    AttributeDef,
    BaseAttr,
    OperandDef,
    OptAttributeDef,
    OptionalDef,
    OptPropertyDef,
    PropertyDef,
    RangeConstraint,
    RangeLengthConstraint,
    RangeOf,
    ResultDef,
    VariadicDef,
    VerificationContext,
)
from xdsl.irdl.operations import OpDef
from xdsl.utils.exceptions import VerifyException

Declared = OperandDef | ResultDef


def names_at_fixed_positions(defs: Sequence[tuple[str, Declared]]) -> list[str]:
    """The names of the declarations of one value each, up to the first one of several values or none."""
    first = next((index for index, (_, each) in enumerate(defs) if isinstance(each, VariadicDef)), len(defs))
    return [name for name, _ in defs[:first]]


class DeclaredValues(NamedTuple):
    """What is declared of the operands, or of the results, of an operation."""

    least: int
    """The least number: the ones at fixed positions."""
    most: int | None
    """How many there are at most, if that is limited."""
    fixed: Sequence[tuple[int, AttrConstraint]]
    """The fixed positions of which something is declared."""
    rest: RangeConstraint | None
    """The declaration of the ones behind the fixed positions."""

    @staticmethod
    def of(defs: Sequence[tuple[str, Declared]]) -> "DeclaredValues | None":
        """Separate values at fixed positions from the rest; None where values have to be counted to tell them apart."""
        least = len(names_at_fixed_positions(defs))
        constraints = [_of_one(each.constr) for _, each in defs[:least]]
        several = [each for _, each in defs[least:]]
        if len(several) > 1 or None in constraints:
            return None
        fixed = [(index, each) for index, each in enumerate(constraints) if not isinstance(each, AnyAttr | None)]
        if not several:
            return DeclaredValues(least, least, fixed, None)
        most = least + 1 if isinstance(several[0], OptionalDef) else None
        return DeclaredValues(least, most, fixed, None if _is_any(several[0].constr) else several[0].constr)

    def hold(self, values: Sequence[SSAValue], context: VerificationContext) -> bool:
        """Whether there are enough values; `VerifyException` where one of them has a wrong type."""
        count = len(values)
        if count != self.least and (count < self.least or (self.most is not None and count > self.most)):
            return False
        if self.fixed:
            every = tuple(values)
            for index, constraint in self.fixed:
                constraint.verify(every[index].type, context)
        if self.rest is not None:
            self.rest.verify([value.type for value in values[self.least :]], context)
        return True


def _of_one(constraint: RangeConstraint) -> AttrConstraint | None:
    """What is declared of a single value."""
    if isinstance(constraint, RangeLengthConstraint) and isinstance(constraint.constraint, RangeOf):
        return constraint.constraint.constr
    return None


def _is_any(constraint: RangeConstraint) -> bool:
    """Whether values of any types satisfy `constraint`, apart from how many they are."""
    inner = constraint.constraint if isinstance(constraint, RangeLengthConstraint) else constraint
    return isinstance(inner, RangeOf) and isinstance(inner.constr, AnyAttr)


class DeclaredAttributes(NamedTuple):
    """What is declared of the properties, or of the attributes, of an operation."""

    required: Sequence[tuple[str, AttrConstraint]]
    optional: Mapping[str, AttrConstraint]

    @staticmethod
    def of(defs: Mapping[str, PropertyDef] | Mapping[str, AttributeDef]) -> "DeclaredAttributes":
        """Separate required from optional attributes."""
        is_optional = {name: isinstance(each, OptPropertyDef | OptAttributeDef) for name, each in defs.items()}
        return DeclaredAttributes(
            [(name, each.constr) for name, each in defs.items() if not is_optional[name]],
            {name: each.constr for name, each in defs.items() if is_optional[name]},
        )

    def hold(self, given: Mapping[str, Attribute], context: VerificationContext, *, others: bool) -> bool:
        """Whether all that has to be there is there, and with `others` unset, nothing that is not declared;
        `VerifyException` where one of them is wrong."""
        for name, constraint in self.required:
            attribute = given.get(name)
            if attribute is None:
                return False
            if not (type(constraint) is BaseAttr and isinstance(attribute, constraint.attr)):
                constraint.verify(attribute, context)
        found = len(self.required)
        if len(given) > found:
            for name, constraint in self.optional.items():
                if (attribute := given.get(name)) is not None:
                    constraint.verify(attribute, context)
                    found += 1
        return others or len(given) == found


class Declaration(NamedTuple):
    """What an operation without regions and successors declares, as far as one look at each value can check it."""

    operands: DeclaredValues
    results: DeclaredValues
    properties: DeclaredAttributes
    attributes: DeclaredAttributes

    @staticmethod
    def of(definition: OpDef) -> "Declaration | None":
        """Return what `definition` declares; None where xDSL has to check everything."""
        operands, results = DeclaredValues.of(definition.operands), DeclaredValues.of(definition.results)
        if definition.regions or definition.successors or operands is None or results is None:
            return None
        return Declaration(
            operands,
            results,
            DeclaredAttributes.of(definition.properties),
            DeclaredAttributes.of(definition.attributes),
        )

    def holds(self, operands: Sequence[SSAValue], op: Operation) -> bool:
        """Whether `op` with these operands is as declared; the message about what is not comes from xDSL."""
        context = VerificationContext()
        try:
            return (
                self.operands.hold(operands, context)
                and self.results.hold(op.results, context)
                and self.properties.hold(op.properties, context, others=False)
                and self.attributes.hold(op.attributes, context, others=True)
            )
        except VerifyException:
            return False
