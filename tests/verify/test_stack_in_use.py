"""The stack of a compiled network, as measured from its code, against what a run leaves behind on a painted stack."""

import json
import platform
import re
from pathlib import Path

import pytest

from benchmarks.chains import chain
from s2s.api import compile as compile_network
from s2s.targets import get_target
from s2s.verify.footprint import INCLUDE_FOLDERS, SOURCE_FOLDERS, measure_tree
from support.c_compilers import require, run

RETURN_ADDRESS = 8
"""The part of the stack that a function that does nothing has as well."""

SLACK = 128 + 64
"""What a build may save: the red zone below a leaf, and the gap above an aligned frame."""

PAINTED = """
#define _GNU_SOURCE
#include "chain_3.h"
#include <stdio.h>
#include <string.h>
#include <ucontext.h>

#define STACK_SIZE 65536

static unsigned char stack[STACK_SIZE] __attribute__((aligned(64)));
static ucontext_t caller, painted;
static unsigned char arena[CHAIN_3_ARENA_SIZE + 1u] __attribute__((aligned(CHAIN_3_ARENA_ALIGN)));
static float x[CHAIN_3_X_SIZE], y[CHAIN_3_V2_SIZE];

static void run_nothing(void) { __asm__ volatile(""); }
static void run_network(void) { chain_3_run(arena, x, y); }

static int used_by(void (*function)(void))
{
    int unused = 0;

    memset(stack, 0xA5, STACK_SIZE);
    getcontext(&painted);
    painted.uc_stack.ss_sp = stack;
    painted.uc_stack.ss_size = STACK_SIZE;
    painted.uc_link = &caller;
    makecontext(&painted, function, 0);
    swapcontext(&caller, &painted);
    while (stack[unused] == 0xA5) {
        ++unused;
    }
    return STACK_SIZE - unused;
}

int main(void)
{
    printf("%d %d\\n", used_by(run_nothing), used_by(run_network));
    return 0;
}
"""


@pytest.mark.parametrize("target", ["c", "host"])
def test_a_run_uses_no_more_stack_than_was_measured(tmp_path: Path, target: str):
    gcc = require("gcc")
    if platform.machine() != "x86_64" or platform.libc_ver()[0] != "glibc":
        pytest.skip("paints the stack with means of glibc on x86-64")
    tree = compile_network(chain(3, distinct=False), target=target, name="chain_3").write(tmp_path / "tree")
    measured = measure_tree(tree, "chain_3", get_target(target), [gcc]).stack
    assert measured.bytes is not None
    assert measured.outside == ()
    (tmp_path / "main.c").write_text(PAINTED)
    flags = json.loads((tree / "metadata.json").read_text())["target"]["flags"]
    sources = [path for folder in SOURCE_FOLDERS for path in (tree / folder).glob("*.c")]
    includes = [f"-I{tree / folder}" for folder in INCLUDE_FOLDERS]
    run([gcc, *flags, *includes, tmp_path / "main.c", *sources, "-o", "main", "-lm"], tmp_path)
    nothing, network = map(int, re.findall(r"\d+", run(["./main"], tmp_path)))
    used = network - nothing + RETURN_ADDRESS
    assert measured.bytes - SLACK <= used <= measured.bytes
