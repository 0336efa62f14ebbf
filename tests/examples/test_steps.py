"""A control task of 1 ms is called in time beside a network in steps, and late beside one in one piece."""

import re
import runpy
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from support.boards import board_or_skip
from support.project import ROOT

FOLDER = ROOT / "examples" / "steps"
LINE = re.compile(r"(.*): late by at most (\d+) cycles in (\d+) calls, periods missed: (\d+)")
FREERTOS = {
    "FreeRTOS.h": """#include <stddef.h>
typedef long BaseType_t; typedef unsigned long UBaseType_t, TickType_t, StackType_t;
#define pdTRUE 1
#define portMAX_DELAY 0xffffffffUL
#define configMINIMAL_STACK_SIZE 128
""",
    "task.h": """#define tskIDLE_PRIORITY 0
#define taskYIELD() ((void)0)
BaseType_t xTaskCreate(void (*)(void *), const char *, size_t, void *, UBaseType_t, void **);
""",
    "queue.h": """typedef struct QueueDefinition *QueueHandle_t;
QueueHandle_t xQueueCreate(UBaseType_t, UBaseType_t);
BaseType_t xQueueReceive(QueueHandle_t, void *, TickType_t);
BaseType_t xQueueSend(QueueHandle_t, const void *, TickType_t);
""",
}
"""What the task takes of FreeRTOS, as its manual declares it: Debian has no package of it."""


@pytest.fixture(scope="module")
def example() -> dict[str, Any]:
    board_or_skip("qemu:m4")
    return runpy.run_path(str(FOLDER / "steps.py"))


def test_control_task_is_late_beside_one_piece_only(
    example: dict[str, Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    main: Callable[[Path], int] = example["main"]
    assert main(tmp_path) == 0
    found = [LINE.fullmatch(line) for line in capsys.readouterr().out.splitlines()]
    titles = {match[1]: [int(match[group]) for group in (2, 3, 4)] for match in found if match}
    assert list(titles) == ["one piece", "steps", "scheduler"]
    whole, steps, scheduler = titles.values()
    assert whole[0] > 10 * steps[0]
    assert whole[2] > 10
    assert steps[2] == scheduler[2] == 0
    assert steps[1] >= whole[2]
    assert scheduler[1] > 100, "three images in 100 ms"


def test_task_of_freertos_compiles(example: dict[str, Any], tmp_path: Path):
    example["compile_digits"](tmp_path)
    for name, text in FREERTOS.items():
        (tmp_path / name).write_text(text)
    tree = tmp_path / "digits"
    includes = [f"-I{each}" for each in (tmp_path, tree / "include", tree / "runtime" / "include")]
    flags = ("-std=c99", "-Wall", "-Wextra", "-Werror", "-fsyntax-only")
    subprocess.run(["gcc", *flags, *includes, FOLDER / "freertos_task.c"], check=True)
