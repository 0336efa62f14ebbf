"""The C in pages compiles beside the header of the network that it names; what it declares stands in the emitted files.

A piece is split at its empty lines. Declarations (types, macros, prototypes) have to stand in a file of the tree, word
by word; everything else is compiled as the body of a function. Pieces with a title are programs: the commands of their
pages compile them (`test_commands.py`).
"""

import re
import subprocess
from pathlib import Path

import pytest

from docs.commands import pages
from support.c_compilers import require
from support.c_snippets import GIVEN, Given
from support.project import ROOT

PAGES = (ROOT / "README.md", *sorted((ROOT / "docs" / "how-to").glob("*.md")), *pages())
PIECE = re.compile(r"^ *```c\n(.*?)^ *```$", re.MULTILINE | re.DOTALL)
DECLARATION = re.compile(r"typedef |#define |(?:s2s_status|void) \w+\([^;]*\*[^;]*\);|void \w+\(void\);")
NOT_COMPILED = {
    "README": (0,),
    "add-a-target": (0,),
    "streams": (3, 4),
}
"""Pieces by their place in a page: the tour's kernel (`test_tour.py`), a prototype of the reader's own instruction
(`a-new-target.md` compiles one), and statements out of the middle of an emitted function."""
WARNINGS = ("-Wall", "-Wextra", "-pedantic", "-Werror", "-Wno-unused-variable", "-Wno-unused-but-set-variable")


def pieces(page: Path) -> list[str]:
    """The pieces of C of a page that can be compiled; a mark of omission stands for text of the reader's."""
    found = PIECE.findall(page.read_text(encoding="utf-8"))
    left_out = NOT_COMPILED.get(page.stem, ())
    return [each for place, each in enumerate(found) if place not in left_out and "…" not in each]


def folded(text: str) -> str:
    """Text with its white space folded."""
    return " ".join(text.split())


def paragraphs(piece: str) -> tuple[list[str], list[str]]:
    """Declarations, and statements, of a piece."""
    parts = [part for part in re.split(r"\n\s*\n", piece.strip()) if part]
    declarations = [part for part in parts if DECLARATION.match(part.strip())]
    return declarations, [part for part in parts if part not in declarations]


def check(piece: str, given: Given, folder: Path) -> None:
    """Compile a piece beside its network's header, and look up what it declares."""
    network = given.compiled(folder)
    tree = network.write(folder / "tree")
    emitted = folded("\n".join(file.read_text() for file in tree.rglob("*.[ch]")))
    declarations, statements = paragraphs(piece)
    for declaration in declarations:
        for line in re.split(r"\n(?=#)|(?<=;)\n", declaration):
            assert folded(line) in emitted, f"{line}\nis in no file of the tree"
    lines = "\n\n".join(statements).splitlines()
    includes = [line.strip() for line in lines if line.strip().startswith("#include")]
    body = [line for line in lines if not line.strip().startswith("#include")]
    headers = [f'#include "{name}"' for name in (f"{network.name}.h", *given.headers)]
    program = [*headers, *includes, given.declared, "void piece(void);", "void piece(void)", "{", *body, "}", ""]
    (folder / "piece.c").write_text("\n".join(program))
    paths = [f"-I{tree / name}" for name in ("include", "runtime/include")]
    command = [require("gcc"), "-std=c99", *WARNINGS, *paths, "-c", "piece.c"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


CASES = [
    pytest.param(page, place, id=f"{page.stem}-{place}")
    for page in PAGES
    for place in range(len(pieces(page)))
    if page.parent.name == "how-to" or page.name == "README.md"
]


@pytest.mark.parametrize(("page", "place"), CASES)
def test_the_c_of_a_page_compiles(page: Path, place: int, tmp_path: Path):
    check(pieces(page)[place], GIVEN[page.stem][place], tmp_path)


@pytest.mark.parametrize("page", [page for page in PAGES if pieces(page)], ids=lambda page: page.stem)
def test_every_piece_of_c_has_its_network(page: Path):
    assert len(GIVEN.get(page.stem, ())) == len(pieces(page)), f"{page.name}: see support/c_snippets.py"


@pytest.mark.parametrize("stem", NOT_COMPILED)
def test_pieces_that_are_left_out_are_in_their_page(stem: str):
    (page,) = (each for each in PAGES if each.stem == stem)
    assert max(NOT_COMPILED[stem]) < len(PIECE.findall(page.read_text(encoding="utf-8")))


def test_a_piece_that_does_not_compile_is_found(tmp_path: Path):
    given = GIVEN["threads"][0]
    with pytest.raises(AssertionError, match="resnet50_runs"):
        check("resnet50_runs(NULL);\n", given, tmp_path)


def test_a_declaration_that_is_not_emitted_is_found(tmp_path: Path):
    given = GIVEN["threads"][0]
    with pytest.raises(AssertionError, match="is in no file of the tree"):
        check("s2s_status resnet50_run(void *arena, void *pool);\n", given, tmp_path)
