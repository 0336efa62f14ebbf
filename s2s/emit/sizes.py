"""Write sizes that vary as a reader of C knows them."""

from collections.abc import Iterable, Mapping

from xdsl.ir.affine import AffineMap

from s2s.c_syntax.identifiers import c_macro, size_identifiers, sizes_type
from s2s.emit.definitions import SizeField
from s2s.emit.info import NetworkInfo
from s2s.types.sizes import spelled


def size_formula(name: str, given: Iterable[str], derived: Mapping[str, AffineMap]) -> str:
    """Return size `name` as an expression of the fields of the structure: `(width + 1) / 2`."""
    fields = size_identifiers(given)
    if name in fields:
        return fields[name]
    text = spelled(derived[name].results[0], list(fields.values()))
    return text.replace(" floordiv ", " / ").replace(" mod ", " % ")


def dims(info: NetworkInfo) -> tuple[SizeField, ...]:
    """Return the sizes that vary."""
    fields = size_identifiers(info.sizes)
    return tuple(SizeField(fields[name], size.least, size.most, size.step) for name, size in info.sizes.items())


def computed_dims(info: NetworkInfo) -> tuple[str, ...]:
    """Return the fields of the sizes that a run computes."""
    fields = size_identifiers(info.sizes)
    return tuple(fields[name] for name in info.computed_sizes)


def graph_sizes(info: NetworkInfo) -> str:
    """Return the macro with the number of sizes that the graph executor takes; empty if no size varies."""
    return f"{c_macro(info.name)}_GRAPH_SIZES" if info.executor == "graph" and info.sizes else ""


def sample_dims(info: NetworkInfo, name: str) -> list[str]:
    """Return the definition of the greatest sizes of a run, none if no size varies."""
    if not info.sizes:
        return []
    written = computed_dims(info)
    if count := graph_sizes(info):
        sizes = ", ".join(f"{c_macro(f'{info.name}_{row.name}')}_MAX" for row in dims(info) if row.name not in written)
        return [f"static int32_t {name}[{count}] = {{{sizes or 0}}};"]
    values = ", ".join(
        "0" if row.name in written else f"{c_macro(f'{info.name}_{row.name}')}_MAX" for row in dims(info)
    )
    return [f"static {'' if written else 'const '}{sizes_type(info.name)} {name} = {{{values}}};"]


def found_sizes(info: NetworkInfo, name: str) -> list[str]:
    """Return a comment for each size that a run computes: where an example finds it in `name`."""
    fields = computed_dims(info)
    if graph_sizes(info):
        places = [f"{name}[{c_macro(f'{info.name}_{field}')}_INDEX]" for field in fields]
    else:
        places = [f"{name}.{field}" for field in fields]
    return [f"/* {place} says how much of the outputs counts */" for place in places]
