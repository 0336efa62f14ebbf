"""Text of a model never breaks out of where it is printed, whatever it is."""

import re
import shutil
import subprocess
import tempfile
from pathlib import Path

from hypothesis import example, given, settings
from hypothesis import strategies as st

from s2s.c_syntax.identifiers import (
    SIGNIFICANT,
    c_comment,
    c_identifier,
    c_string,
    line_comment,
    markdown_code,
    port_identifiers,
    size_identifiers,
    unique_identifiers,
)
from s2s.c_syntax.reserved import RESERVED
from support.c_compilers import COMPILERS, WARNINGS, run
from support.work import calls_in

NASTY = st.sampled_from(
    [
        *(
            "*/",
            "/*",
            "//",
            "??/",
            "??'",
            "\\",
            "\\\n",
            "\n",
            "\r",
            "\t",
            '"',
            "'",
            "%s",
            "${CC}",
            "#include <x>",
            "]]",
        ),
        *(
            "$(shell id)",
            "\x00",
            "\x7f",
            "\u202e",
            "é",
            "字",
            "\ud800",
            "int",
            "for",
            "conv/1:0",
            "",
            " ",
            "0",
            "_",
            "`",
        ),
    ]
)
TEXT = st.lists(st.one_of(NASTY, st.text(max_size=8)), max_size=8).map("".join)


@given(st.lists(TEXT, min_size=1, max_size=30))
@settings(max_examples=25)
def test_any_text_compiles_as_name_comment_and_string(texts: list[str]) -> None:
    names = unique_identifiers(texts, prefix="net_")
    lines = [
        f"/* {c_comment(text)} */ extern int {name}; int {name} = 1;" for name, text in zip(names, texts, strict=True)
    ]
    lines += [
        f"extern const char s{number}[]; const char s{number}[] = {c_string(text)};"
        for number, text in enumerate(texts)
    ]
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "unit.c").write_text("\n".join(lines) + "\n", encoding="ascii")
        for compiler in filter(shutil.which, COMPILERS):
            run([compiler, *WARNINGS, "-Wno-overlength-strings", "-fsyntax-only", "unit.c"], Path(folder))


@given(st.lists(TEXT, max_size=12))
@settings(max_examples=25)
def test_a_string_reads_back_as_the_same_bytes(texts: list[str]) -> None:
    texts = [text for text in texts if "\x00" not in text]
    prints = "".join(f"fwrite({c_string(text)}, 1, sizeof {c_string(text)}, stdout);\n" for text in texts)
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "unit.c").write_text(f"#include <stdio.h>\nint main(void) {{ {prints} return 0; }}\n")
        run(["gcc", "-std=c99", "-w", "unit.c", "-o", "unit"], Path(folder))
        found = subprocess.run([Path(folder, "unit")], capture_output=True, check=True).stdout
    assert found == b"".join(text.encode("utf-8", "surrogatepass") + b"\0" for text in texts)


@given(st.lists(TEXT, max_size=40), st.integers(12, 60))
def test_identifiers_differ_where_every_compiler_looks(texts: list[str], longest: int) -> None:
    names = unique_identifiers(texts, longest=longest)
    assert len({name[:SIGNIFICANT] for name in names}) == len(texts)
    for name in names:
        assert re.fullmatch("[a-z][a-z0-9_]*", name)
        assert len(name) <= longest
        assert name not in RESERVED


def test_a_name_may_be_long_while_its_beginning_is_its_own() -> None:
    kernels = ["conv_1x1_add_relu", "conv_1x1_add_relu_2", "conv_3x3_relu"]
    assert unique_identifiers(kernels, prefix="light_resnet50_") == [
        "light_resnet50_conv_1x1_add_relu",
        "light_resnet50_2_conv_1x1_add_relu_2",
        "light_resnet50_conv_3x3_relu",
    ]


def is_plain(line: str) -> bool:
    return line.isascii() and line.isprintable()


@given(TEXT)
@example("????/")
def test_a_comment_stays_a_comment(text: str) -> None:
    line = c_comment(text)
    assert not any(mark in line for mark in ("*/", "/*", "??"))
    assert not line.endswith("\\")
    assert is_plain(line)


@given(TEXT)
def test_a_line_comment_stays_on_its_line(text: str) -> None:
    line = line_comment(text)
    assert is_plain(line)
    assert not line.endswith("\\")
    assert "[[" not in line


@given(TEXT)
def test_code_in_markdown_stays_code(text: str) -> None:
    code = markdown_code(text)
    fence = re.match("`+", code)
    assert fence is not None
    assert code.endswith(fence[0])
    assert "\n" not in code
    inside = code[len(fence[0]) : -len(fence[0])]
    assert fence[0] not in re.findall("`+", inside)


def test_names_read_like_the_text_they_come_from() -> None:
    assert c_identifier("Conv_1/weight:0") == "conv_1_weight_0"
    assert c_identifier("0") == "n0"
    assert c_identifier("for") == "for_"
    assert c_identifier("Größe") == "groe"
    assert c_identifier("字") == "unnamed"


def test_a_long_name_keeps_its_beginning_and_differs_from_its_likes() -> None:
    long = "block_of_the_network_with_a_very_long_name_"
    first, second = c_identifier(f"{long}1"), c_identifier(f"{long}2")
    assert first != second
    assert first.startswith("block_of_the_network_wit")


def test_parameters_do_not_hide_the_arena() -> None:
    assert port_identifiers(["arena", "x"], ["x", "a"]) == (["arena_2", "x"], ["x_2", "a_2"])


def test_what_is_taken_is_not_used_again() -> None:
    assert unique_identifiers(["run", "run"], prefix="kws_", taken={"kws_run"}) == ["kws_run_2", "kws_run_3"]


def test_a_size_with_a_reserved_name_has_a_field_without_underscore():
    assert size_identifiers(["index", "index size", "n"]) == {
        "index": "index_size",
        "index size": "index_size_2",
        "n": "n",
    }


def test_a_thousand_equal_names_are_numbered_without_trying_each_number_again():
    names: list[str] = []
    calls = calls_in(lambda: names.extend(unique_identifiers(["conv"] * 1000)))
    assert [*names[:3], names[-1]] == ["conv", "conv_2", "conv_3", "conv_1000"]
    assert calls.total() < 50 * 1000
