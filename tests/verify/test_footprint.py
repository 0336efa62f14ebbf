"""The figures of small programs written by hand, whose sizes one can count."""

import os
import platform
from pathlib import Path

import pytest

from s2s.errors import InputError, ToolchainError
from s2s.verify.footprint import Footprint, measure
from s2s.verify.toolchain import default_compiler
from support.c_compilers import require

FLAGS = ("-std=c99", "-O2", "-ffp-contract=off")
EXECUTOR = """
typedef void (*kernel)(void *const *args);
extern const kernel nodes[];
void s2s_executor_run(void *const *args, int count)
{
    for (int i = 0; i < count; ++i) {
        nodes[i](args);
    }
}
"""
TABLES = """
typedef void (*kernel)(void *const *args);
static void call_small(void *const *args) { volatile char x[100]; x[0] = 0; *(char *)args[0] = x[0]; }
static void call_large(void *const *args) { volatile char x[900]; x[0] = 0; *(char *)args[0] = x[0]; }
extern const kernel nodes[];
const kernel nodes[] = {call_small, call_large};
"""


def measured(folder: Path, entry: str, compiler: str = "gcc", **texts: str) -> Footprint:
    """Figures of C files; a keyword is a file's name without `.c`."""
    sources: list[Path] = []
    for name, text in texts.items():
        sources.append(folder / f"{name}.c")
        sources[-1].write_text(text)
    return measure(sources, entry=entry, flags=FLAGS, compiler=[require(compiler)], root=folder)


def require_x86() -> None:
    """Skip what is true of this processor alone."""
    if platform.machine() != "x86_64":
        pytest.skip("frames are aligned in another way on this processor")


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_memory_is_split_by_what_a_linker_does_with_it(tmp_path: Path, compiler: str):
    found = measured(
        tmp_path,
        "run",
        compiler,
        net="const float weights[100] = {1, 2}; int first = 4; int zero[20]; int run(void) { return first + zero[3]; }",
    )
    assert found.constants == 400
    assert found.static_ram == 4 + 80
    assert 4 < found.code < 64
    assert found.flash == found.code + 400 + 4


def test_a_table_of_addresses_is_constant_even_where_a_loader_has_to_write_it(tmp_path: Path):
    text = "int a(void) { return 1; } int (*const table[8])(void) = {a, a}; int run(void) { return table[1](); }"
    source = tmp_path / "net.c"
    source.write_text(text)
    found = measure([source], entry="a", flags=[*FLAGS, "-fPIC"], compiler=[require("gcc")])
    assert (found.constants, found.static_ram) == (64, 0)


def test_functions_are_told_apart_the_largest_first(tmp_path: Path):
    loop = "volatile int x; void large(void) { x = 1; x = 2; x = 3; x = 4; x = 5; } static int used(void) { return x; }"
    found = measured(tmp_path, "large", net=f"{loop} int small(void);  int (*const p)(void) = used;")
    assert list(found.functions) == ["large", "used"]
    assert sum(found.functions.values()) <= found.code


def test_objects_are_told_apart(tmp_path: Path):
    found = measured(tmp_path, "run", weights="const int w[3] = {1};", run="int run(void) { return 1; }")
    assert [(each.source, each.constants) for each in found.objects] == [("weights.c", 12), ("run.c", 0)]


def test_stack_is_that_of_the_deepest_calls(tmp_path: Path):
    found = measured(
        tmp_path,
        "net_run",
        net="""
        extern int deep(int), shallow(int);
        static __attribute__((noinline)) int near(int n) { volatile char x[300]; x[n] = 1; return x[0]; }
        int net_run(int n) { volatile char x[40]; x[n] = 1; return shallow(n) + deep(n) + near(n) + x[1]; }
        """,
        kernels="""
        int shallow(int n) { volatile char x[16]; x[n] = 1; return x[0]; }
        int deep(int n) { volatile char x[1000]; x[n] = 1; return x[0]; }
        """,
    )
    assert found.stack.path == ("net_run", "deep")
    assert found.stack.bytes is not None
    assert 1040 <= found.stack.bytes <= 1040 + 160
    assert found.stack.reasons == ()


def test_a_leaf_counts_what_it_would_use_without_taking_it(tmp_path: Path):
    found = measured(tmp_path, "run", net="int run(int n) { volatile int x[25]; x[n] = 1; return x[2]; }")
    assert (found.stack.bytes or 0) >= 100


def test_the_gap_above_an_aligned_frame_counts(tmp_path: Path):
    require_x86()
    text = "int run(int n) {{ volatile char x[64] {}; x[n] = 1; return x[0]; }}"
    plain = measured(tmp_path, "run", net=text.format("")).stack.bytes or 0
    aligned = measured(tmp_path, "run", net=text.format("__attribute__((aligned(256)))")).stack.bytes or 0
    assert aligned - plain >= 256 - 16


def test_static_functions_of_two_files_are_two(tmp_path: Path):
    body = "static __attribute__((noinline)) int same(int n) {{ volatile char x[{}]; x[n] = 1; return x[0]; }}"
    found = measured(
        tmp_path,
        "run",
        a=body.format(2000) + "int unused(int n) { return same(n) + 1; }",
        b=body.format(100) + "int run(int n) { return same(n) + 1; }",
    )
    assert found.stack.path == ("run", "same")
    assert (found.stack.bytes or 0) < 200


def test_functions_of_libraries_are_listed(tmp_path: Path):
    found = measured(
        tmp_path,
        "run",
        net="""
        #include <math.h>
        #include <string.h>
        float run(float *x, unsigned long n) { memset(x, 0, n); return expf(x[n]); }
        float other(float x) { return sinf(x); }
        """,
    )
    assert found.stack.outside == ("expf", "memset")
    assert found.stack.bytes is not None
    assert found.stack.note == "on top comes what expf, memset takes"


def test_the_executor_takes_what_the_largest_kernel_of_its_tables_takes(tmp_path: Path):
    found = measured(tmp_path, "s2s_executor_run", executor=EXECUTOR, net_graph=TABLES)
    assert found.stack.path == ("s2s_executor_run", "call_large")
    assert 900 <= (found.stack.bytes or 0) <= 1100


def test_weak_functions_are_found_by_their_names(tmp_path: Path):
    """Those of the runtime are weak, so that two trees link; gcc names them like static functions."""
    weak = "__attribute__((weak)) int {name}(int n) {{ volatile char x[{size}]; x[0] = (char)n; return {call}; }}"
    found = measured(
        tmp_path,
        "run",
        net="extern int leaf(int);" + weak.format(name="run", size=100, call="leaf(n) + x[0]"),
        other=weak.format(name="leaf", size=900, call="x[0]"),
    )
    assert found.stack.path == ("run", "leaf")
    assert found.stack.outside == ()


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (
            "static __attribute__((noinline)) int f(int n) { return n < 2 ? 1 : n * f(n - 1) + f(n / 2); }"
            "int run(int n) { return f(n) + 1; }",
            "f calls f: recursion has no known depth",
        ),
        (
            "extern int g(int); __attribute__((noinline)) int f(int n) { volatile int x = g(n); return x + 1; }"
            "__attribute__((noinline)) int g(int n) { return n < 1 ? n : f(n / 2) * n; }"
            "int run(int n) { return f(n) + 1; }",
            "f calls g calls f: recursion has no known depth",
        ),
        (
            "int run(int n) { volatile char x[n]; x[0] = 1; return x[n - 1]; }",
            "run (net.c:1:5): its frame grows while it runs",
        ),
        (
            "int run(int (*f)(int)) { return f(2) + 1; }",
            "run (net.c:1:5): calls through a pointer that is not in the tables of a network",
        ),
    ],
    ids=["recursion", "recursion of two", "array of variable length", "unknown pointer"],
)
def test_no_number_is_given_without_a_bound(tmp_path: Path, text: str, reason: str):
    stack = measured(tmp_path, "run", net=text).stack
    assert stack.bytes is None
    assert len(stack.reasons) == 1
    assert reason in stack.reasons[0]


def test_trouble_outside_of_the_calls_does_not_matter(tmp_path: Path):
    text = "int grow(int n) { volatile char x[n]; x[0] = 1; return x[n - 1]; } int run(void) { return 1; }"
    assert measured(tmp_path, "run", net=text).stack.bytes is not None


def test_clang_says_that_it_cannot_tell_the_stack(tmp_path: Path):
    stack = measured(tmp_path, "run", "clang", net="int run(void) { return 1; }").stack
    assert stack.bytes is None
    assert "does not write call graphs; measure with gcc" in stack.reasons[0]


def test_an_unknown_entry_is_refused(tmp_path: Path):
    with pytest.raises(InputError, match="walk: no such function"):
        measured(tmp_path, "walk", net="int run(void) { return 1; }")


def test_what_the_compiler_says_is_shown(tmp_path: Path):
    with pytest.raises(ToolchainError, match=r"(?s)failed with exit code 1.*net\.c:1:.*error"):
        measured(tmp_path, "run", net="int run(void) { return }")


def test_a_missing_compiler_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("CC", raising=False)
    with pytest.raises(ToolchainError, match="no C compiler is installed; install gcc"):
        default_compiler()
    monkeypatch.setenv("CC", "m68k-gcc -O2")
    with pytest.raises(ToolchainError, match="m68k-gcc: there is no such program"):
        default_compiler()


def test_the_compiler_may_come_with_options(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("CC", "gcc -m64")
    assert default_compiler() == (require("gcc"), "-m64")


def test_figures_do_not_depend_on_where_the_tree_is(tmp_path: Path):
    found: list[Footprint] = []
    for name in ("here", "there"):
        (tmp_path / name).mkdir()
        found.append(measured(tmp_path / name, "run", net="int run(void) { return 1; }"))
    assert found[0] == found[1]
    assert os.fspath(tmp_path) not in str(found[0].as_dict())


KERNELS = """
static int deep(volatile char *x) { volatile char y[500]; y[0] = x[0]; return y[0] + x[1]; }
__attribute__((noinline)) int first(int n) { volatile char x[300]; x[0] = (char)n; return deep(x); }
__attribute__((noinline)) int second(int n) { volatile char x[40]; x[0] = (char)n; return x[0]; }
int net_run(int n) { volatile int x = first(n); return x + second(n); }
"""


def test_each_kernel_has_the_stack_that_it_takes_with_its_callees(tmp_path: Path):
    (tmp_path / "src").mkdir()
    text = KERNELS.replace("static int", "static __attribute__((noinline)) int")
    stack = measured(tmp_path, "net_run", **{"src/net": text}).stack
    assert stack.bytes is not None
    assert list(stack.kernels) == ["first", "deep", "second"]
    assert stack.kernels["first"] >= stack.kernels["deep"] + 300 >= 800
    assert 40 <= stack.kernels["second"] < 100
    assert 0 < stack.bytes - stack.kernels["first"] < 100


def test_functions_outside_of_a_network_are_no_kernels(tmp_path: Path):
    assert measured(tmp_path, "net_run", net=KERNELS).stack.kernels == {}
