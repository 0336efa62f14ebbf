"""Devices that are handed kernels and copies, and waited for: a thread stands in for the second device."""

import re
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest

from s2s import api
from support.c_compilers import require

QUEUE = """
#include "net.h"
#include "net_kernels.h"
#include "s2s_arena.h"
#include <pthread.h>
#include <stdio.h>
#include <string.h>

/* What a second core does: it takes work from a queue, in order. */
enum { MAX_WORK = 16 };
struct work { void (*run)(void *const *); void *with[8]; };
static struct work queue[MAX_WORK];
static int handed, done, at_most;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

static void hand_over(void (*run)(void *const *), void *const *with, size_t count)
{
    pthread_mutex_lock(&lock);
    queue[handed].run = run;
    memcpy(queue[handed].with, with, count * sizeof *with);
    handed++;
    at_most = handed - done > at_most ? handed - done : at_most;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
}

static void *device(void *unused)
{
    (void)unused;
    for (;;) {
        pthread_mutex_lock(&lock);
        while (done == handed) {
            pthread_cond_wait(&changed, &lock);
        }
        struct work next = queue[done];
        pthread_mutex_unlock(&lock);
        next.run(next.with);
        pthread_mutex_lock(&lock);
        done++;
        pthread_cond_broadcast(&changed);
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

static void wait_for_device(void)
{
    pthread_mutex_lock(&lock);
    while (done < handed) {
        pthread_cond_wait(&changed, &lock);
    }
    pthread_mutex_unlock(&lock);
}

void net_start_dsp(void) { printf("start "); }
void net_wait_for_dsp(void) { printf("wait "); wait_for_device(); }
@COPIES@
@KERNELS@

@ARENAS@
static float x[NET_X_SIZE], y[NET_Y_SIZE], z[NET_Z_SIZE];

int main(void)
{
    pthread_t thread;
    s2s_status status;

    for (size_t i = 0; i < NET_X_SIZE; i++) {
        x[i] = (float)(i % 17) * 0.125f - 1.0f;
    }
    pthread_create(&thread, NULL, device, NULL);
    status = net_run(@CALL@, x, y, z);
    printf("\\n");
    for (size_t i = 0; i < NET_Y_SIZE; i++) {
        printf("%a\\n", (double)y[i]);
    }
    for (size_t i = 0; i < NET_Z_SIZE; i++) {
        printf("%a\\n", (double)z[i]);
    }
    fflush(stdout);
    _exit(status);
}
"""
WHOLE = """
void net_copy_to_dsp(void *t, const void *s, size_t n) { printf("to "); memcpy(t, s, n); }
void net_copy_from_dsp(void *t, const void *s, size_t n) { printf("from "); memcpy(t, s, n); }
"""
STARTED = """
static size_t sizes[MAX_WORK];
static int copies;
static void copy(void *const *with) { memcpy(with[0], with[1], *(const size_t *)with[2]); }
static void start(void *t, const void *s, size_t n)
{
    void *with[] = {t, (void *)(size_t)s, &sizes[copies]};

    sizes[copies++] = n;
    hand_over(copy, with, 3);
}
void net_start_copy_to_dsp(void *t, const void *s, size_t n) { printf("to "); start(t, s, n); }
void net_start_copy_from_dsp(void *t, const void *s, size_t n) { printf("from "); start(t, s, n); }
"""


def branches() -> onnx.ModelProto:
    """Two branches that have nothing but their input in common."""
    model = onnx.parser.parse_model("""
    <ir_version: 8, opset_import: ["" : 17]>
    net (float[1, 3, 8, 8] x) => (float[1, 5, 8, 8] y, float[1, 4, 8, 8] z) {
        a = Conv <kernel_shape = [3, 3], pads = [1, 1, 1, 1]> (x, w0)
        y = Conv <kernel_shape = [3, 3], pads = [1, 1, 1, 1]> (a, w1)
        z = Conv <kernel_shape = [5, 5], pads = [2, 2, 2, 2]> (x, w2)
    }
    """)
    for node in model.graph.node:
        node.name = f"{'main' if node.output[0] == 'z' else 'dsp'}/{node.output[0]}"
    generator = np.random.default_rng(0)
    for name, shape in {"w0": (6, 3, 3, 3), "w1": (5, 6, 3, 3), "w2": (4, 3, 5, 5)}.items():
        array = generator.standard_normal(shape).astype(np.float32)
        model.graph.initializer.append(onnx.numpy_helper.from_array(array, name))
    return model


def handed_over(header: str) -> tuple[str, list[str]]:
    """Write functions in place of the kernels of the device that hand the calls over; return their names, too."""
    text: list[str] = []
    names: list[str] = []
    for name, listed in re.findall(r"^void (net_dsp_\w+)\((.*?)\);", header, re.MULTILINE | re.DOTALL):
        types = [each.replace("restrict", "").rsplit("*", 1)[0] + "*" for each in listed.split(",")]
        numbers = range(len(types))
        parameters = ", ".join(f"{type} p{n}" for n, type in zip(numbers, types, strict=True))
        text += [
            f"void __real_{name}({', '.join(types)});",
            f"static void run_{name}(void *const *w) {{ __real_{name}({', '.join(f'w[{n}]' for n in numbers)}); }}",
            f"void __wrap_{name}({parameters});",
            f"void __wrap_{name}({parameters})",
            "{",
            f"    void *with[] = {{{', '.join(f'(void *)(size_t)p{n}' for n in numbers)}}};",
            f"    hand_over(run_{name}, with, {len(types)});",
            "}",
        ]
        names.append(name)
    return "\n".join(text), names


CASES: dict[str, tuple[dict[str, Any], str, str]] = {
    "copies at once": ({}, WHOLE, "to start wait from"),
    "copies in the queue": ({"copy": "start-wait"}, STARTED, "to wait start from wait"),
    "one memory": ({"memory": "shared"}, "", "start wait"),
}


@pytest.mark.sample(1)
@pytest.mark.parametrize("case", CASES)
def test_a_device_computes_beside_the_first_one(case: str, tmp_path: Path):
    """Under the thread sanitizer: nobody touches what the other one still computes."""
    require("gcc")
    options, copies, expected = CASES[case]
    devices = {"dsp": {"layers": ["dsp/*"], "calls": "start-wait", **options}}
    x = {"x": ((np.arange(3 * 64) % 17) * 0.125 - 1).astype(np.float32).reshape(1, 3, 8, 8)}
    with api.compile(branches(), target="c", name="net", devices=devices) as found:
        assert found.verify().passed
        results = found.run(x)
        found.write(tmp_path / "net")
    root = tmp_path / "net"
    run = (root / "src/net.c").read_text()
    assert run.index("net_start_dsp();") < run.index("net_conv_5x5(") < run.rindex("net_wait_for_dsp();")
    kernels, names = handed_over((root / "src/net_kernels.h").read_text())
    assert names
    arenas = ["arena"] if "NET_ARENA_SIZE" in (root / "include/net.h").read_text() else ["arena_main", "arena_dsp"]
    used = [each for each in arenas if f"*{each}" in run]
    lines = [f"S2S_ARENA({each}, NET_{each.upper()}_SIZE + 1, NET_ARENA_ALIGN);" for each in used]
    program = QUEUE.replace("@COPIES@", copies).replace("@KERNELS@", kernels)
    program = program.replace("@ARENAS@", "\n".join(lines)).replace("@CALL@", ", ".join(used))
    (root / "queue.c").write_text("#include <unistd.h>\n" + program)
    includes = [f"-I{root / folder}" for folder in ("include", "src", "runtime/include")]
    sources = [path for folder in ("src", "src/dsp") for path in sorted((root / folder).glob("*.c"))]
    wrapped = [f"-Wl,--wrap={name}" for name in names]
    flags = ["-std=gnu99", "-O1", "-g", "-ffp-contract=off", "-fsanitize=thread", "-pthread", "-DNET_DSP_HOOKS"]
    command = ["gcc", *flags, *wrapped, *includes, *sources, root / "queue.c", "-lm", "-o", root / "queue"]
    subprocess.run(command, check=True)
    done = subprocess.run([root / "queue"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    hooks, *values = done.stdout.splitlines()
    assert hooks.split() == expected.split()
    wanted = np.concatenate([results["y"].reshape(-1), results["z"].reshape(-1)])
    assert [float.fromhex(value) for value in values] == [float(each) for each in wanted]
