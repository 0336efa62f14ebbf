"""The description of an intrinsic: an instruction that sums several products of small integers."""

from collections.abc import Mapping
from dataclasses import field, fields
from typing import Any, Literal, get_args

from s2s.support.frozen import frozen
from s2s.targets.keys import DESCRIPTION, METADATA, Key, Number, Numbers, OneOf, Text, check_fields, key

NAME = Text(r"[a-z0-9][a-z0-9_-]{0,39}", "small letters, digits and _ -, at most 40")
FUNCTION = Text(
    r"[A-Za-z_][A-Za-z0-9_]{0,79}(\{lanes\}[A-Za-z0-9_]{0,40})?",
    "the name of a C function, in which {lanes} stands for their number",
)
HEADER = Text(r"[A-Za-z][A-Za-z0-9_]{0,60}\.h", "the name of a header")
SOURCE = Text(r"[^\x00-\x08\x0b-\x1f\x7f]*", "C, without control characters")
Form = Literal[
    "dot", "dot_pairs", "dot_points", "dot_taps", "dot_next", "dot_two", "dot_lanes", "dot_rows", "dot_half_rows",
    "dot_window", "dot_group", "dot_strips",
]  # fmt: skip
FORMS: tuple[str, ...] = get_args(Form)
Element = Literal["i8", "u8", "i16"]

OPERANDS: Mapping[str, tuple[tuple[Element, Element], ...]] = {
    "dot": (("i16", "i16"),),
    "dot_pairs": (("i16", "i16"),),
    "dot_points": (("i16", "i16"),),
    "dot_taps": (("i16", "i16"),),
    "dot_next": (("i16", "i16"),),
    "dot_two": (("i16", "i16"),),
    "dot_lanes": (("i8", "i8"), ("u8", "i8"), ("i8", "u8"), ("i16", "i16")),
    "dot_rows": (("i8", "i8"), ("i16", "i8")),
    "dot_half_rows": (("i8", "u8"),),
    "dot_window": (("i8", "i8"),),
    "dot_group": (("i8", "i8"),),
    "dot_strips": (("i8", "i8"),),
}
"""The types of both factors that the lowering can make for each form."""
BYTES = {"i8": 1, "u8": 1, "i16": 2}
GROUPS: Mapping[str, tuple[int, ...]] = {
    "dot": (4,),
    "dot_pairs": (4,),
    "dot_points": (4,),
    "dot_taps": (4,),
    "dot_next": (4,),
    "dot_two": (4,),
    "dot_lanes": (2, 4),
    "dot_rows": (1, 2, 4, 8, 16, 32, 64, 128),
    "dot_half_rows": (1, 2, 4, 8, 16, 32, 64, 128),
    "dot_window": (8, 16),
    "dot_group": (8, 16),
    "dot_strips": (4,),
}
LANE_BYTES = 4
"""Bytes of a lane, which the group of `dot_lanes` fills."""
LANES: Mapping[str, tuple[int, ...]] = {
    "dot": (1,),
    "dot_pairs": (1,),
    "dot_points": (1,),
    "dot_taps": (1,),
    "dot_next": (1,),
    "dot_two": (1,),
    "dot_lanes": (4, 8, 16),
    "dot_rows": (4,),
    "dot_half_rows": (4,),
    "dot_window": (1,),
    "dot_group": (4,),
    "dot_strips": (1,),
}


@frozen(kw_only=True)
class Intrinsic:
    """A C function that sums products, and the data that the compiler needs about it.

    What it computes follows from `form`, where `x` and `w` are the factors, `w` a constant that is packed for it:

        dot        acc + sum over k < group of x[k] * w[k]                      one sum, factors in registers
        dot_pairs  acc + 256 * sum over k < group of x[k] * w[k]        the same, factors in pairs of bytes
        dot_points acc + 256 * sum over k < group / 2 of x[k] * w[k]    one half of such pairs, for points of a tile
                                                                        whose halves lie side by side
        dot_taps   acc + x[0] * w[0] + x[1] * w[1] + x[2] * w[3]                three taps, where w[1] is w[2]
        dot_next   acc + x[1] * w[0] + x[2] * w[2] + x[3] * w[3]                the same for the next position of x
        dot_two    acc + x[0] * w[0] + x[1] * w[1]                              two of more than three taps
        dot_lanes  acc[c] + sum over k < group of x[c][k] * w[c][k]             a sum a lane, factors in registers;
                                                                                bytes are widened where w is i16
        dot_rows   sum over k < steps of x[k] * w[k / group][c][k % group]      a sum a lane, factors in memory
        dot_window acc + sum over k < group of x[k] * w[k]                      the same, of a row of bytes in the types
                                                                                s2s_row8 and s2s_row16
        dot_group  acc[c] + sum over k < group of x[k] * w[c][k]                a sum a lane, rows in such types
        dot_strips acc + sum over k < group of x[k] * w[k]                      one sum of bytes as stored; in strips, a
                                                                                sum a lane, of the same x
        dot_half_rows  sum over k < steps of x[k] * half(w[n / group][c][n % group])          the same, where bytes
                                                                            hold two constants from 0 to 15

    For `dot_half_rows`, n is k modulo steps / 2; steps of the first half take the lower four bits of a byte.
    Products and sums are of 32 bits and wrap around.
    The fields are the keys of a table `[[intrinsic]]` of a target file.
    """

    name: str = field(metadata=key(NAME, "What `tensorize` and the key `intrinsics` call it."))
    description: str = field(default="", metadata=key(DESCRIPTION, "The instruction in words."))
    form: Form = field(
        metadata=key(
            OneOf(FORMS),
            "What is computed: one sum from registers, 256 times it from pairs of bytes,"
            " or from halves of pairs, that of three taps of a"
            " window, of the next position, or of two more taps, a sum in each lane from registers,"
            " from rows in memory, from rows whose bytes hold two constants of four bits, that of"
            " a row of a window's bytes, a sum in each lane of such a row, or one for each lane of a strip.",
        )
    )
    x: Element = field(default="i8", metadata=key(OneOf(("i8", "u8", "i16")), "The elements of the first factor."))
    w: Element = field(default="i8", metadata=key(OneOf(("i8", "u8", "i16")), "The elements of the constant factor."))
    group: int = field(
        metadata=key(
            Number(1, 128),
            "Steps of a sum whose constants lie side by side for each lane; `dot_rows` is called"
            " with a multiple of it. For `dot_half_rows` bytes, which hold twice as many steps.",
        )
    )
    lanes: tuple[int, ...] = field(
        default=(1,), metadata=key(Numbers((1, 4, 8, 16)), "The numbers of sums that there are functions for.")
    )
    align: int = field(
        default=1,
        metadata=key(OneOf((1, 2, 4, 8, 16, 32, 64)), "Bytes to which the groups of both factors are aligned."),
    )
    function: str = field(metadata=key(FUNCTION, "The C function."))
    header: str = field(
        metadata=key(HEADER, "The header that defines it: of the runtime, or a file beside the target file.")
    )
    source: str = field(
        default="",
        metadata=key(SOURCE, "The text of the header, which is copied into trees; by default that of the file."),
    )

    def __post_init__(self) -> None:
        check_fields("Intrinsic", self, INTRINSIC_KEYS, contradiction_of)


INTRINSIC_KEYS: Mapping[str, Key] = {each.name: each.metadata[METADATA] for each in fields(Intrinsic)}
"""The keys of an intrinsic in their order."""


def contradiction_of(values: Mapping[str, Any]) -> str | None:
    """Return which values of an intrinsic no code supports together, and which ones are supported; None if all is
    well."""
    form, lanes = str(values["form"]), values["lanes"]
    if (values["x"], values["w"]) not in OPERANDS[form]:
        known = " or ".join(f"x = {x}, w = {w}" for x, w in OPERANDS[form])
        return f"x = {values['x']}, w = {values['w']}: form {form} multiplies {known}"
    if values["group"] not in GROUPS[form]:
        return f"group = {values['group']}: form {form} takes {', '.join(map(str, GROUPS[form]))}"
    if form == "dot_lanes" and values["group"] * BYTES[values["x"]] != LANE_BYTES:
        return f"group = {values['group']}: a lane holds {LANE_BYTES // BYTES[values['x']]} factors of {values['x']}"
    if not set(lanes) <= set(LANES[form]):
        return f"lanes = {lanes}: form {form} has {', '.join(map(str, LANES[form]))}"
    if len(lanes) > 1 and "{lanes}" not in str(values["function"]):
        return f"function = {values['function']}: is one for several lanes; put {{lanes}} into its name"
    if values["group"] * BYTES[values["w"]] % values["align"]:
        return f"align = {values['align']}: does not divide the bytes of a group of {values['group']}; give a divisor"
    if values["source"] and str(values["header"]).startswith("s2s_"):
        return f"header = {values['header']}: is a name of the runtime; call it otherwise"
    return None
