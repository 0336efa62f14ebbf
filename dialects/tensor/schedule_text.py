"""How the parts of a schedule are written."""

from collections.abc import Sequence
from typing import Any

from xdsl.parser import AttrParser

from s2s.dialects.tensor.attributes import PackAttr, parse_integers


def parse_part(key: str, parser: AttrParser) -> dict[str, Any]:
    """One part of a schedule, as arguments of `ScheduleAttr.of`."""
    match key:
        case "tile" | "order":
            return {key: parse_integers(parser)}
        case "vector":
            vector, lanes = _parse_step(parser)
            return {"vector": vector, "lanes": lanes}
        case "blocks":
            return {key: parser.parse_comma_separated_list(parser.Delimiter.SQUARE, lambda: _parse_pair(parser))}
        case "shared":
            return {key: _parse_walk(parser)}
        case "fetch":
            return {key: _parse_ahead(parser)}
        case "pack":
            return {"packs": parser.parse_comma_separated_list(parser.Delimiter.SQUARE, lambda: _parse_pack(parser))}
        case "stage":
            return _parse_stage(parser)
        case "dot":
            return _parse_dot(parser)
        case _:
            return parser.raise_error(f"unknown part {key!r} of a schedule")


def _parse_stage(parser: AttrParser) -> dict[str, Any]:
    read = parser.parse_integer()
    parser.parse_keyword("at")
    depth = parser.parse_integer()
    if not parser.parse_optional_keyword("as"):
        return {"stage": (read, depth)}
    parser.parse_keyword("bytes")
    return {"stage": (read, depth), "stage_bytes": True} | _parse_start(parser)


def _parse_dot(parser: AttrParser) -> dict[str, Any]:
    size = parser.parse_integer()
    if not parser.parse_optional_keyword("unsigned"):
        return {"dot": size}
    return {"dot": size, "unsigned": True} | _parse_start(parser)


def _parse_start(parser: AttrParser) -> dict[str, Any]:
    return {"stage_start": parser.parse_integer()} if parser.parse_optional_keyword("from") else {}


def ahead_words(fetches: Sequence[tuple[int, int]]) -> str:
    """Reads, each with the dimension along which it is fetched ahead."""
    return " and ".join(f"{read} along {dim}" for read, dim in fetches)


def words(walk: Sequence[tuple[int, int]], overlaps: Sequence[tuple[int, int]] = ()) -> str:
    """Dimensions, each with the size of its blocks and what these have in common with their neighbours."""
    more = [f" overlap {list(each)}" if any(each) else "" for each in overlaps] or [""] * len(walk)
    return " and ".join(f"{dim} by {size}{text}" for (dim, size), text in zip(walk, more, strict=True))


def _parse_walk(parser: AttrParser) -> list[tuple[int, ...]]:
    walk = list[tuple[int, ...]]()
    while not walk or parser.parse_optional_keyword("and"):
        step = _parse_step(parser)
        walk.append((*step, *_parse_pair(parser)) if parser.parse_optional_keyword("overlap") else step)
    return walk


def _parse_ahead(parser: AttrParser) -> list[tuple[int, int]]:
    fetches = list[tuple[int, int]]()
    while not fetches or parser.parse_optional_keyword("and"):
        read = parser.parse_integer()
        parser.parse_keyword("along")
        fetches.append((read, parser.parse_integer()))
    return fetches


def _parse_step(parser: AttrParser) -> tuple[int, int]:
    dim = parser.parse_integer()
    parser.parse_keyword("by")
    return dim, parser.parse_integer()


def _parse_pair(parser: AttrParser) -> tuple[int, int]:
    pair = parse_integers(parser)
    if len(pair) != 2:
        parser.raise_error(f"expected a dimension and a size, not {pair}")
    return pair[0], pair[1]


def _parse_pack(parser: AttrParser) -> PackAttr:
    pack = parser.parse_attribute()
    if not isinstance(pack, PackAttr):
        parser.raise_error(f"expected a #tensor.pack, not {pack}")
    return pack
