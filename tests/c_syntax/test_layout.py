"""Where long lines break."""

from hypothesis import given
from hypothesis import strategies as st

from s2s.c_syntax.layout import Breakable, Text, call, flat, lay_out, lay_out_assignment


def written_call(name: str, arguments: list[Text]) -> Text:
    return call(f"{name}(", arguments)


WORDS = st.text("abcdefgh", min_size=1, max_size=14)
TEXTS: st.SearchStrategy[Text] = st.recursive(
    WORDS,
    lambda inner: st.builds(written_call, WORDS, st.lists(inner, max_size=6)),
    max_leaves=30,
)


def test_what_fits_stays_on_one_line() -> None:
    assert lay_out(call("f(", ["a", "b"], ");"), 4) == ["    f(a, b);"]


def test_arguments_stand_below_each_other() -> None:
    arguments = [f"argument{number}" for number in range(12)]
    assert lay_out(call("function(", arguments, ");"), 4, width=60) == [
        "    function(argument0, argument1, argument2, argument3,",
        "             argument4, argument5, argument6, argument7,",
        "             argument8, argument9, argument10, argument11);",
    ]


def test_an_operator_begins_the_next_line() -> None:
    total = Breakable(
        "x = ", (Breakable("", ("a" * 20, Breakable("+ ", ("b" * 20,)), Breakable("+ ", ("c" * 20,)))),), ";"
    )
    assert lay_out(total, 0, width=50) == [
        "x = aaaaaaaaaaaaaaaaaaaa + bbbbbbbbbbbbbbbbbbbb",
        "    + cccccccccccccccccccc;",
    ]


def test_what_would_begin_too_far_right_hangs() -> None:
    lines = lay_out(call("a_function_with_quite_a_long_name(", ["x" * 20, "y" * 60]), 4, width=80)
    assert lines == ["    a_function_with_quite_a_long_name(" + "x" * 20 + ",", "            " + "y" * 60 + ")"]


def test_a_value_that_needs_a_line_gets_it_whole() -> None:
    value = call("function(", ["a" * 30, "b" * 30])
    assert lay_out_assignment("const float value =", value, 4, width=90) == [
        "    const float value =",
        f"        function({'a' * 30}, {'b' * 30});",
    ]
    assert lay_out_assignment("x =", value, 4, width=90) == [f"    x = {flat(value)};"]


@given(TEXTS, st.integers(0, 3), st.integers(40, 110))
def test_breaking_changes_nothing_but_white_space(text: Text, indent: int, width: int) -> None:
    lines = lay_out(text, 4 * indent, width)
    assert "".join(" ".join(lines).split()) == "".join(flat(text).split())
    assert all(line == line.rstrip() for line in lines)
