"""Target files: reading gives back what was printed, and what is wrong is refused with file, key, fact and way out."""

import string
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from s2s.errors import InputError
from s2s.targets import TARGET_NAMES, Target, get_target, print_target
from s2s.targets.target import KEYS

FLAGS = st.builds(
    "-m{}={}".format, st.text(string.ascii_lowercase, min_size=1), st.text(string.ascii_letters + "_+.:-")
)
TARGETS = st.builds(
    Target,
    name=st.text(string.ascii_lowercase, min_size=1, max_size=40),
    description=st.text(string.printable[:95], max_size=120),
    lanes=st.sampled_from([1, 4, 8, 16]),
    registers=st.integers(4, 256),
    align=st.sampled_from([64, 128]),
    cflags=st.lists(FLAGS).map(tuple),
    packages=st.lists(st.sampled_from(["gcc", "libc6-dev"])).map(tuple),
    word_bits=st.sampled_from([32, 64]),
    fork_join=st.integers(0, 1 << 40),
    io=st.sampled_from(["caller", "arena"]),
    l2_bytes=st.integers(0, 1 << 40),
    stream_bytes=st.integers(1, 1024),
)


def written(folder: Path, text: str) -> str:
    """The path of a target file."""
    path = folder / "my.toml"
    path.write_text(text, encoding="utf-8")
    return str(path)


def refusal(folder: Path, text: str) -> str:
    """What is said about a target file."""
    path = written(folder, text)
    with pytest.raises(InputError) as raised:
        get_target(path)
    said = str(raised.value)
    assert said.startswith(f"{path}: ")
    assert "\n" not in said
    return said.removeprefix(f"{path}: ")


@pytest.mark.parametrize("name", TARGET_NAMES)
def test_reading_gives_what_was_printed(name: str, tmp_path: Path):
    target = get_target(name)
    found = get_target(written(tmp_path, print_target(target)))
    assert found == target
    assert print_target(found) == print_target(target)


@given(target=TARGETS)
def test_any_target_comes_back_from_its_file(target: Target, tmp_path_factory: pytest.TempPathFactory):
    assert get_target(written(tmp_path_factory.mktemp("target"), print_target(target))) == target


def test_a_file_prints_every_key():
    text = print_target(get_target("c"))
    assert all(f"\n{name} = " in text for name in KEYS)


def test_what_a_file_leaves_out_is_as_in_its_base(tmp_path: Path):
    path = written(tmp_path, 'name = "mine"\nbase = "cortex-m4"\nregisters = 24\n')
    assert get_target(path) == replace(get_target("cortex-m4"), name="mine", registers=24)


def test_what_a_file_without_base_leaves_out_has_defaults(tmp_path: Path):
    assert get_target(written(tmp_path, 'name = "mine"\n')) == Target(name="mine")


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("lane = 4", "'lane': there is no such key; did you mean lanes? the keys are base, name, description, lanes, "),
        ('lanes = "4"', "lanes = '4': is not one of 1, 4, 8, 16; give such a value"),
        ("lanes = 3", "lanes = 3: is not one of 1, 4, 8, 16; give such a value"),
        ("lanes = true", "lanes = true: is not one of 1, 4, 8, 16; give such a value"),
        ("registers = 0", "registers = 0: is not a whole number from 4 to 256; give such a value"),
        ("registers = 16.0", "registers = 16.0: is not a whole number from 4 to 256; give such a value"),
        ("fork_join = -1", "fork_join = -1: is not a whole number from 0 to 1099511627776; give such a value"),
        ("word_bits = 16", "word_bits = 16: is not one of 32, 64; give such a value"),
        ('io = "heap"', "io = 'heap': is not one of caller, arena; give such a value"),
        ('cflags = "-O2"', "cflags = '-O2': is not a list of texts: "),
        ("cflags = [3]", "cflags = [3]: is not a list of texts: "),
        ("lanes = 16\nalign = 32", "align = 32: vectors of 16 lanes take 64 bytes; give a multiple of that"),
        ('base = "cortex-m44"', "base: --target cortex-m44: there is no such target; did you mean cortex-m4? "),
        ("base = 4", "base = 4: is no target; give the name of one that `s2s targets` lists"),
        ('base = "my.toml"', "base = 'my.toml': is a file; give the name of a target"),
        ("name", "is no TOML ("),
        ("[lanes]", "lanes = {}: is not one of 1, 4, 8, 16; give such a value"),
        ('"a\\nb" = 1', r"'a\nb': there is no such key; "),
    ],
)
def test_wrong_keys_and_values_are_refused(line: str, said: str, tmp_path: Path):
    head = "" if line.startswith("name") else 'name = "mine"\n'
    assert refusal(tmp_path, f"{head}{line}\n").startswith(said)


def test_a_file_without_a_name_is_refused(tmp_path: Path):
    assert refusal(tmp_path, "lanes = 4\n") == 'there is no key name; add, for example, name = "my-core"'


@pytest.mark.parametrize(
    "flag",
    [
        "-O2; rm -rf /",
        "-O2 -fplugin=evil",
        "-O2\\n#include",
        "$(touch)",
        "-D$(shell touch)",
        "-DX=`id`",
        "-DX=${HOME}",
        '-DX=\\"',
        "-DX='",
        "-DX=\\\\",
        "-DX=a)b",
        "-DX=a#b",
        "-fplugin=evil",
        "-fprofile-use=x",
        "-fdump-tree-all=x",
        "-MD",
        "-include",
        "-I/usr",
        "-Wl,-T",
        "-wrapper",
        "@flags",
        "-o",
        "evil.c",
        "-specs=/tmp/evil",
        "",
    ],
)
def test_flags_that_could_do_something_else_are_refused(flag: str, tmp_path: Path):
    assert refusal(tmp_path, f'name = "mine"\ncflags = ["-O2", "{flag}"]\n').startswith("cflags = ")


@pytest.mark.parametrize("name", ["", "../mine", "Mine", "a b", "a*/", "a\\nb", "a$b", "é", "a" * 41])
def test_names_that_mean_something_in_c_or_make_are_refused(name: str, tmp_path: Path):
    assert refusal(tmp_path, f'name = "{name}"\n').startswith("name = ")


@pytest.mark.parametrize("cc", ["/bin/sh", "gcc -c", "../cc", "-c", "a;b"])
def test_compilers_are_names_of_programs(cc: str, tmp_path: Path):
    assert refusal(tmp_path, f'name = "mine"\ncc = "{cc}"\n').startswith("cc = ")


def test_descriptions_are_one_line(tmp_path: Path):
    assert refusal(tmp_path, 'name = "mine"\ndescription = "a\\nb"\n').startswith("description = ")


def test_deep_and_large_files_are_refused(tmp_path: Path):
    assert "is no TOML" in refusal(tmp_path, "a = " + "[" * 100_000)
    assert "larger" in refusal(tmp_path, "#" * (1 << 20) + "\n")


def test_a_file_that_is_not_there_is_refused(tmp_path: Path):
    with pytest.raises(InputError, match=r"none\.toml: cannot be read \(No such file or directory\); give a file as"):
        get_target(str(tmp_path / "none.toml"))


def test_bytes_that_are_no_text_are_refused(tmp_path: Path):
    path = tmp_path / "my.toml"
    path.write_bytes(b"name = '\xff'")
    with pytest.raises(InputError, match=r"is no TOML"):
        get_target(str(path))


def test_objects_are_checked_as_files_are():
    with pytest.raises(InputError, match=r"Target: lanes = 3: is not one of 1, 4, 8, 16; give such a value"):
        Target(name="mine", lanes=3)
