"""The page of what is read of TFLite: element types, options, constants, and how many random cases agree.

What no program reads off the code is found by `benchmarks.tflite_operators --page docs` and stored in
`docs/tflite_support.json`: for each operator the types, the cases that agree with the reference kernels, and what of
the options the importer has read.
"""

import inspect
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from docs.onnx_support import CONSTANTS, NOTICE, constant_operands

if TYPE_CHECKING:
    from s2s.frontends.tflite.node import Importer

FOUND = Path(__file__).with_name("tflite_support.json")
_INTRODUCTION = (
    "Builtin operators of schema version 3. `versions` are those of the operator that are read: all that LiteRT 2.3 "
    "knows; newer ones are refused, and so are options that are newer than the schema of the package `tflite`. `types` "
    "are those with which random cases are compared with the reference kernels of TFLite-Micro, or of LiteRT where "
    "TFLite-Micro lacks the operator, and `cases` how many agree of how many (integers bit for bit). Where there are "
    "none, `tests/frontends/tflite` has cases of another form. `options` in italics were read in none of these cases: "
    "they have no effect there (`AsymmetricQuantizeInputs` has one where weights are integers and activations floats). "
    "Weights may be of int8, int4 or int2, those of float layers too (dynamic range); uint8 is read as int8. Others "
    "but those below are imported by `s2s.register_custom_op`. "
)


def tflite_page() -> str:
    """Every builtin operator of TFLite, and what s2s does with it."""
    from s2s.frontends.tflite import mediapipe
    from s2s.frontends.tflite.micro.table import MICRO_IMPORTERS
    from s2s.frontends.tflite.schema import enum_names
    from s2s.frontends.tflite.table import IMPORTERS, refusal_of

    found: Mapping[str, Any] = json.loads(FOUND.read_text(encoding="utf-8"))
    lines = [
        NOTICE,
        "# TFLite\n",
        f"{_INTRODUCTION}{CONSTANTS}\n",
        "| operator | | versions | types | cases | options | constants |",
        "|---|---|---|---|---|---|---|",
    ]
    for name in sorted(enum_names("BuiltinOperator").values()):
        if name.startswith(("CUSTOM", "DELEGATE", "PLACEHOLDER")):
            continue
        if name not in IMPORTERS:
            lines.append(f"| `{name}` | refused: {'; '.join(refusal_of(name))} | | | | | |")
            continue
        cells = [*_cells(name, found.get(name)), ", ".join(constant_operands(IMPORTERS.get(name)))]
        lines.append(f"| `{name}` | supported | {_versions(name)} | {' | '.join(cells)} |")
    micro = "Integers equal TFLite-Micro's bit for bit; what they keep from run to run becomes state of the network."
    lines += _custom("TFLite-Micro", micro, MICRO_IMPORTERS)
    lines += _custom("MediaPipe", "Compared with their definitions; LiteRT does not run them.", mediapipe.IMPORTERS)
    return "\n".join(lines) + "\n"


def _custom(package: str, about: str, importers: "Mapping[str, Importer]") -> Iterator[str]:
    """A section about custom operators, one line each."""
    yield f"\n## Custom operators of {package}\n"
    yield f"{about}\n"
    yield from ("| operator | | constants |", "|---|---|---|")
    for name, importer in sorted(importers.items()):
        text = " ".join((inspect.getdoc(importer) or "").split())
        yield f"| `{name}` | {text} | {', '.join(constant_operands(importer))} |"


def _versions(name: str) -> str:
    """The versions of an operator that are read."""
    from s2s.frontends.tflite.versions import newest_version

    newest = newest_version(name)
    return "1" if newest == 1 else f"1 to {newest}"


def _cells(name: str, found: Mapping[str, Any] | None) -> Sequence[str]:
    """Types, cases and options of an operator."""
    options = options_of(name)
    if found is None:
        return "", "", ", ".join(options)
    types: Mapping[str, tuple[int, int]] = found["types"]
    passed, cases = (sum(each[place] for each in types.values()) for place in (0, 1))
    marked = [each if each in found["read"] else f"*{each}*" for each in options]
    return ", ".join(types), f"{passed} of {cases}", ", ".join(marked)


def options_of(builtin: str) -> list[str]:
    """The fields of the options of an operator, by the names of the schema's accessors."""
    from s2s.frontends.tflite.schema import fields_of, options_class

    name = options_class(builtin)
    if name is None:
        return []
    return list(fields_of(name))
