"""Fill the code blocks of docs/tour.md and README.md with what the compiler prints.

    python docs/tour.py          (or: make docs)

The tour holds the network itself, in the text form of ONNX. A comment above each other block says what belongs there:
`after PASS` is the module after that pass, `function NAME in FILE` a piece of the emitted tree. A test compares the
pages with what this writes.
"""

import re
from pathlib import Path

import onnx
import onnx.parser

from s2s import api
from s2s.options import DebugOptions

TOUR = Path(__file__).with_name("tour.md")
PAGES = (TOUR, TOUR.parents[1] / "README.md")
NETWORK = re.compile(r"```onnx\n(.*?)```", re.DOTALL)
BLOCK = re.compile(r"(<!-- ([^\n]*?) -->\n```\w+\n)(.*?)(```)", re.DOTALL)
HASH = re.compile(r'hash = "([0-9a-f]{4})[0-9a-f]{60}"')


def render(page: str) -> str:
    """`page` with its blocks filled."""
    source = NETWORK.search(TOUR.read_text())
    assert source is not None, "the tour holds no network"
    model = onnx.parser.parse_model(source[1])
    return BLOCK.sub(lambda block: f"{block[1]}{fill(model, block[2]).strip()}\n{block[4]}", page)


def fill(model: onnx.ModelProto, what: str) -> str:
    """The content of the block called `what`."""
    match what.split():
        case ["after", name]:
            return module_after(model, name)
        case ["function", name, "in", path]:
            return function(api.compile(model, target="c").tree().text(path), name)
        case _:
            raise ValueError(f"{what!r}: is neither `after PASS` nor `function NAME in FILE`")


def module_after(model: onnx.ModelProto, name: str) -> str:
    """The module after the pass called `name`, hashes cut and the outermost braces left out."""
    debug = DebugOptions(stop_after=name)
    lines = api.compile(model, target="c", debug=debug).ir().splitlines()
    body = [line for line in lines if line not in ("ModuleOp(", ")")][1:-1]
    indent = min(len(line) - len(line.lstrip()) for line in body if line)
    return HASH.sub(r'hash = "\1…"', "\n".join(line[indent:] for line in body))


def function(text: str, name: str) -> str:
    """The definition of a function in C, with the comment above it."""
    found = re.search(rf"(/\*(?:(?!\*/).)*\*/\n)?[^\n;*/]*\b{name}\([^;{{]*\)\n\{{\n.*?\n\}}\n", text, re.DOTALL)
    assert found is not None, f"no function {name} in the emitted C"
    return found[0]


def main() -> None:
    """Write the pages again."""
    for page in PAGES:
        page.write_text(render(page.read_text()))


if __name__ == "__main__":
    main()
