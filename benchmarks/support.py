"""What s2s reads of each operator of ONNX: the element types, and how many of ONNX's node tests pass.

    python ../shared/conformance/run.py benchmarks.conformance_adapters:run --kind node --json results.json
    python -m benchmarks.support results.json [--cases CASES] [--page docs]

Each node test is imported with every element type that its operator may have in place of its own; what a body computes
that does not take the type is left out. Writes `onnx_support.json` into the folder of `--page`, from which
`docs/generate.py` makes the page of support.
"""

import argparse
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any

import onnx
from onnx import helper, numpy_helper

from s2s.errors import S2SError
from s2s.frontends.onnx import import_model

CASES = Path(__file__).parents[2] / "shared" / "conformance" / "cases.txt"
FILE = "onnx_support.json"
TRIED = 6
"""The models that are tried for each operator and type."""
NAMING_TYPES = frozenset(["BitCast", "Constant"])
"""Operators whose attributes name a type: they keep their own."""


@dataclass
class Support:
    """What is found of one operator."""

    passed: int = 0
    failed: int = 0
    types: set[str] = field(default_factory=set[str])
    refused: dict[str, str] = field(default_factory=dict[str, str])
    """The types that no case can be imported with, with the reason that the last one gives."""

    def entry(self) -> dict[str, Any]:
        """The data of the page."""
        refused = {name: reason for name, reason in sorted(self.refused.items()) if name not in self.types}
        return {"passed": self.passed, "failed": self.failed, "types": sorted(self.types), "refused": refused}


def main() -> None:
    """Read the results, try the types, and write the file."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("results", type=Path, help="what the conformance runner has written with --json")
    parser.add_argument("--cases", type=Path, default=CASES, help="the list of cases, with their bound inputs")
    parser.add_argument("--page", type=Path, metavar="DIR", help="the folder of the file that is written")
    arguments = parser.parse_args()
    results = json.loads(arguments.results.read_text(encoding="utf-8"))["cases"]
    found = support(results, bound_inputs(arguments.cases.read_text(encoding="utf-8")))
    operators = {name: found[name].entry() for name in sorted(found)}
    print(f"{len(operators)} operators, {sum(each['passed'] for each in operators.values())} passes of their cases")
    if arguments.page is not None:
        text = json.dumps({"onnx": onnx.__version__, "operators": operators}, indent=1)
        (arguments.page / FILE).write_text(text + "\n", encoding="utf-8")


def bound_inputs(text: str) -> dict[str, Sequence[str]]:
    """The inputs of each case that are constants."""
    rows = [line.split("#", 1)[0].split() for line in text.splitlines()]
    return {row[0]: () if row[3] == "-" else row[3].split(",") for row in rows if row}


def support(results: Sequence[Mapping[str, Any]], bound: Mapping[str, Sequence[str]]) -> dict[str, Support]:
    """What is found of each operator that is the only one of a node test."""
    loader: Any = import_module("onnx.backend.test.loader")
    passed = {case["name"]: bool(case["passed"]) for case in results}
    found: dict[str, Support] = {}
    tried: dict[tuple[str, str], int] = {}
    for case in loader.load_model_tests(kind="node"):
        model, nodes = case.model, case.model.graph.node if case.model is not None else ()
        if case.name not in passed or len(nodes) != 1:
            continue
        [node] = nodes
        key = ".".join(filter(None, (node.domain, node.op_type)))
        entry = found.setdefault(key, Support())
        entry.passed += passed[case.name]
        entry.failed += not passed[case.name]
        inputs = [
            numpy_helper.to_array(each) if isinstance(each, onnx.TensorProto) else each for each in case.data_sets[0][0]
        ]
        constant = with_constants(model, inputs, bound.get(case.name, ()))
        for name, retyped in variants(constant):
            if name in entry.types or tried.get((key, name), 0) >= TRIED:
                continue
            tried[key, name] = tried.get((key, name), 0) + 1
            try:
                import_model(retyped.SerializeToString())
            except S2SError as error:
                entry.refused[name] = str(error)
            else:
                entry.types.add(name)
    return found


def with_constants(model: onnx.ModelProto, inputs: Sequence[Any], bound: Sequence[str]) -> onnx.ModelProto:
    """The model with constants in place of the inputs that are bound."""
    made = onnx.ModelProto()
    made.CopyFrom(model)
    del made.graph.input[:]
    for info, value in zip(model.graph.input, inputs, strict=False):
        if info.name in bound:
            made.graph.initializer.append(numpy_helper.from_array(value, info.name))
        else:
            made.graph.input.append(info)
    return made


def variants(model: onnx.ModelProto) -> Iterator[tuple[str, onnx.ModelProto]]:
    """The model with each element type that its operator may have, by the name of the type."""
    [node] = model.graph.node
    versions = {each.domain or "": each.version for each in model.opset_import}
    schema = onnx.defs.get_schema(node.op_type, versions[node.domain], node.domain)
    own = declared_type(model)
    if node.op_type in NAMING_TYPES:
        yield own, model
        return
    kind = schema.inputs[0].type_str if schema.inputs else schema.outputs[0].type_str
    allowed = {each.type_param_str: set(each.allowed_type_strs) for each in schema.type_constraints}
    for text in sorted(allowed.get(kind, {kind})):
        name = text.removeprefix("tensor(").removesuffix(")")
        element = getattr(onnx.TensorProto, name.upper(), None)
        if not text.startswith("tensor(") or element is None:
            continue
        for kinds in ({each for each, texts in allowed.items() if text in texts}, {kind}):
            alike = _names_of(node.input, schema.inputs, kinds) | _names_of(node.output, schema.outputs, kinds)
            yield name, retyped(model, {each for each in alike if _type_in(model, each) in (None, own)}, element)


def declared_type(model: onnx.ModelProto) -> str:
    """The element type of the first operand, or else of the result."""
    [node] = model.graph.node
    first = next((_type_in(model, name) for name in [*node.input, *node.output] if _type_in(model, name)), None)
    return first or "float"


def _type_in(model: onnx.ModelProto, name: str) -> str | None:
    """The element type of a value of the model, in ONNX's words."""
    for info in [*model.graph.input, *model.graph.output]:
        if info.name == name:
            return onnx.TensorProto.DataType.Name(info.type.tensor_type.elem_type).lower()
    stored = (each.data_type for each in model.graph.initializer if each.name == name)
    return next((onnx.TensorProto.DataType.Name(each).lower() for each in stored), None)


def _names_of(names: Sequence[str], formal: Sequence[Any], kinds: set[str]) -> set[str]:
    """The values among `names` whose formal parameter has one of the type variables `kinds`."""
    last = len(formal) - 1
    return {name for place, name in enumerate(names) if name and formal[min(place, last)].type_str in kinds}


def retyped(model: onnx.ModelProto, names: set[str], element: int) -> onnx.ModelProto:
    """The model with another element type of some values."""
    made = onnx.ModelProto()
    made.CopyFrom(model)
    for info in [*made.graph.input, *made.graph.output]:
        if info.name in names:
            info.type.tensor_type.elem_type = element
    for place, stored in enumerate(made.graph.initializer):
        if stored.name in names and stored.data_type != element and element != onnx.TensorProto.STRING:
            array = numpy_helper.to_array(stored).astype(helper.tensor_dtype_to_np_dtype(element))
            made.graph.initializer[place].CopyFrom(numpy_helper.from_array(array, stored.name))
    given = getattr(onnx.TensorProto, declared_type(model).upper())
    versions = {each.domain or "": each.version for each in model.opset_import}
    for body in (each.g for node in made.graph.node for each in node.attribute if each.HasField("g")):
        _retype_body(body, given, element, versions)
    return made


def _retype_body(body: onnx.GraphProto, given: int, element: int, versions: Mapping[str, int]) -> None:
    """Give values of a body another element type, and put Identity in the place of operators that do not take it.

    Scan of int8 with a body of Add (opset 9): Add takes no int8, but Scan does.
    """
    for info in [*body.input, *body.output]:
        if info.type.tensor_type.elem_type == given:
            info.type.tensor_type.elem_type = element
    text = f"tensor({onnx.TensorProto.DataType.Name(element).lower()})"
    for node in body.node:
        schema = onnx.defs.get_schema(node.op_type, versions[node.domain], node.domain)
        if element != given and schema.inputs and text not in schema.inputs[0].types:
            node.CopyFrom(helper.make_node("Identity", node.input[:1], node.output[:1], node.name))


if __name__ == "__main__":
    main()
