"""`s2s report --html` writes one page, which needs no network and shows hostile names as text."""

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from s2s.api import compile as compile_network
from s2s.cli.main import run
from s2s.projects import project_board
from s2s.report.comparison import compare
from s2s.report.figures import Figures, figures_of
from s2s.report.gauge import gauge
from s2s.report.html.charts import memory_chart, network_chart
from s2s.report.html.page import page
from s2s.report.record import figures_of_page
from support.c_compilers import require
from support.onnx_text import onnx_model
from support.project import ROOT

DIGITS = ROOT / "examples" / "digits" / "digits.onnx"
VOID = {"meta", "link", "wbr", "br", "img", "path", "use", "input", "hr"}
LEFT_OPEN = {"tr", "td", "th", "li"}
"""Elements whose end tag HTML lets one leave out."""


class Page(HTMLParser):
    """The elements of a page, with their attributes, and whether they are nested well."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID | LEFT_OPEN:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID | LEFT_OPEN:
            assert self.open.pop() == tag


@pytest.fixture(scope="module")
def digits() -> Figures:
    return figures_of(compile_network(DIGITS, target="c"))


def test_the_page_asks_for_nothing_from_outside(digits: Figures):
    found = Page(page(digits))
    assert found.open == []
    for tag, attributes in found.elements:
        for name in ("src", "href", "xlink:href", "action", "data"):
            assert (attributes.get(name) or "#").startswith("#"), (tag, attributes)
        assert tag != "script" or attributes["type"] == "application/json"


def test_the_page_shows_every_kernel_and_constant(digits: Figures):
    text = page(digits).replace("<wbr>", "")
    for layer in digits.layers:
        assert f"<code>{layer.kernel.removeprefix('digits_')}</code>" in text
    assert sum(size for _, size in digits.constants) == digits.sizes["weights"]
    assert f"<b>{digits.sizes['arena']:,}</b>" in text


def test_the_page_shows_the_stack_of_each_kernel(digits: Figures):
    text = page(digits).replace("<wbr>", "").partition("stack of each kernel")[2]
    stacks = digits.sizes["stack_of"]
    assert stacks
    assert all(f'<code>{name}</code><td class="n">{size:,}' in text for name, size in stacks.items())


def test_a_page_has_the_same_bytes_on_every_run(digits: Figures):
    assert page(digits) == page(digits)


def test_hostile_names_are_text():
    evil = "</script><script>alert(1)</script>"
    model = onnx_model("(float[4] x) => (float[4] y) { [victim] a = Sin (x) y = Exp (a) }")
    for node in model.graph.node:
        if node.name == "victim":
            node.name = evil
    text = page(figures_of(compile_network(model, target="c")))
    assert evil not in text
    assert "&lt;/script&gt;&lt;script&gt;alert(1)" in text
    assert len(re.findall("<script", text)) == 1


def test_the_memory_map_has_a_box_for_every_buffer(digits: Figures):
    chart = memory_chart(digits)
    titles = re.findall(r'<g id="buffer-\d+"><title>(.*?)</title>', chart)
    assert len(titles) == len(digits.timeline.buffers)
    for each, title in zip(digits.timeline.buffers, titles, strict=True):
        assert f"{each.kind}, {each.size:,} bytes at {each.offset:,}, steps" in title
    assert "KiB of the arena" in chart


def test_the_picture_names_every_layer(digits: Figures):
    chart = network_chart(digits)
    for layer in digits.layers:
        assert layer.nodes[:20] in chart
        assert layer.operator[:20] in chart


def test_the_fullest_step_reaches_the_end_of_the_arena(digits: Figures):
    assert max(each.offset + each.size for each in digits.timeline.live(digits.timeline.fullest)) == digits.arena


def test_a_page_is_compared_with_an_earlier_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    before, now = tmp_path / "before.html", tmp_path / "now.html"
    assert run(["report", str(DIGITS), "--target", "c", "--html", str(before)]) == 0
    command = ["report", str(DIGITS), "--target", "c", "--schedule", "reference", "--html", str(now)]
    assert run([*command, "--against", str(before)]) == 0
    assert "Compared with digits on c" in now.read_text()
    change = compare(figures_of_page(before), figures_of_page(now))
    code = next(each for each in change.sizes if each.what == "code")
    assert code.ratio is not None
    assert code.ratio != 1.0
    assert any("schedule" in each.what for each in change.decisions)


@pytest.mark.parametrize(
    "text",
    [
        "no page",
        '<script type="application/json" id="s2s-figures">{"schema": 1}</script>',
        '<script type="application/json" id="s2s-figures">' + "[" * 100_000 + "</script>",
    ],
)
def test_what_is_no_page_is_refused(text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    other, out = tmp_path / "other.html", tmp_path / "out.html"
    other.write_text(text)
    assert run(["report", str(DIGITS), "--html", str(out), "--against", str(other)]) == 2
    assert f"{other}: is no report of s2s" in capsys.readouterr().err.replace("\n", " ")
    assert not out.exists()


def test_a_page_shows_the_instructions_on_a_board(tmp_path: Path):
    require("arm-none-eabi-gcc")
    require("qemu-system-arm")
    out = tmp_path / "out.html"
    assert run(["report", str(DIGITS), "--html", str(out), "--on", "qemu:m4"]) == 0
    text, found = out.read_text(), figures_of_page(out)
    assert found["target"] == "cortex-m4"
    counts = [layer["instructions"] for layer in found["layers"]]
    assert all(count > 0 for count in counts)
    assert sum(counts) <= found["sizes"]["instructions on qemu:m4"]
    for count in counts:
        assert f'data-of="instructions">{count:,}' in text
    assert re.search(r"✓ \S.* what .* gives, on qemu:m4", text)
    assert "share of instructions" in text


def test_this_machine_is_not_timed_for_another_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    assert run(["report", str(DIGITS), "--html", str(tmp_path / "o.html"), "--time", "--on", "qemu:m4"]) == 2
    assert "--time: times this machine, and --on qemu:m4 counts on another one" in capsys.readouterr().err


@pytest.mark.parametrize("option", [["--time"], ["--against", "other.html"]])
def test_options_of_a_page_want_a_page(option: list[str], capsys: pytest.CaptureFixture[str]):
    assert run(["report", str(DIGITS), *option]) == 2
    assert f"{option[0]}: is for a page; add --html FILE" in capsys.readouterr().err


def test_the_terminal_shows_the_instructions_on_a_board(capsys: pytest.CaptureFixture[str]):
    require("arm-none-eabi-gcc")
    require("qemu-system-arm")
    assert run(["report", str(DIGITS), "--on", "qemu:m4", "--board", "stm32f4-discovery"]) == 0
    shown = capsys.readouterr().out
    assert re.search(r"qemu:m4: [\d,]+ instructions a run; (bit for bit|within the tolerance) what .* gives", shown)
    assert re.search(r"share of flash +\d+\.\d% of 1,048,576 bytes", shown)
    assert re.search(r"share of RAM, stack included +\d+\.\d% of 196,608 bytes", shown)


def test_the_page_says_how_much_of_a_board_is_taken(tmp_path: Path):
    require("arm-none-eabi-gcc")
    out = tmp_path / "out.html"
    assert run(["report", str(DIGITS), "--html", str(out), "--board", "rp2040"]) == 0
    assert figures_of_page(out)["target"] == "cortex-m0plus"
    text = out.read_text()
    assert "rp2040 (Raspberry Pi Pico, Cortex-M0+)" in text
    assert ">2.0 MiB<" in text
    assert ">264.0 KiB<" in text


def test_an_emulated_board_has_no_sizes():
    sizes = {"flash": 1000, "ram": 100, "stack": 10}
    assert list(gauge(sizes, project_board("qemu-m4"))) == []
    (_, flash, _), (_, ram, there) = gauge(sizes, project_board("nrf52840"))
    assert (flash, ram, there) == (1000, 110, 256 << 10)


def test_a_page_with_times_has_a_roofline(tmp_path: Path):
    out = tmp_path / "out.html"
    assert run(["report", str(DIGITS), "--html", str(out), "--time"]) == 0
    assert "billions of operations per second" in out.read_text()
