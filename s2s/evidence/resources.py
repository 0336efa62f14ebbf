"""State memory, stack and worst case of a network: by the compiler of its target, and on an emulated board."""

from s2s.artifact import Artifact
from s2s.boards import BOARDS, PREFIX
from s2s.errors import S2SError
from s2s.evidence.document import LEFT_OUT, Document, Table, not_measured

Rows = tuple[tuple[str | int, ...], ...]


def stack_document(artifact: Artifact) -> Document:
    """The document about sizes; the stack is the deepest path of calls."""
    name, title = "stack", "Memory and stack"
    report = artifact.report(measure=True)
    if report.measured_by is None:
        target = artifact.info.target
        packages = " ".join(target.packages)
        reason = f"{target.cc} is not installed; on Debian: apt-get install --no-install-recommends {packages}"
        return not_measured(name, title, reason)
    stack = "cannot be determined" if report.stack is None else f"{report.stack:,} bytes of stack"
    measured = artifact.info.measured
    rows: Rows = tuple((what, str(value)) for what, value in report.in_words().items())
    return Document(
        name,
        title,
        f"{stack}; {report.ram:,} bytes of RAM ({report.measured_by})",
        (
            "The stack is the longest path in the call graph that the compiler writes, with each function's frame. "
            "Interrupts, and the caller's own functions, come on top."
            + (f" {report.stack_note}." if report.stack_note else ""),
        ),
        (
            Table("Figures", ("what", "value"), rows),
            Table(
                "Deepest path", ("function",), tuple((entry,) for entry in (measured.stack_path if measured else ()))
            ),
            Table(
                "Stack of each kernel with what it calls", ("kernel", "bytes"), tuple((report.stack_of or {}).items())
            ),
        ),
        holds=report.stack is not None,
    )


def worst_case_document(artifact: Artifact, *, run: bool) -> Document:
    """The document about the worst case of a run, on the emulated board of the target."""
    name, title = "worst-case", "Worst case of a run"
    target = artifact.info.target.name
    board = next((entry for entry in BOARDS if entry.target == target), None)
    if board is None:
        targets = ", ".join(dict.fromkeys(entry.target for entry in BOARDS))
        return not_measured(
            name, title, f"the times of target {target} are not modelled; compile with --target, one of {targets}"
        )
    if not run:
        return not_measured(name, title, LEFT_OUT)
    try:
        verified = artifact.verify_on(f"{PREFIX}{board.name}")
    except S2SError as error:
        return not_measured(name, title, str(error))
    figures, worst = verified.figures(), verified.run.worst_case
    unit = "cycles" if worst is None else worst.unit
    layers: Rows = tuple(
        (nodes, layer.kernel, layer.instructions, "" if layer.greatest is None else layer.greatest)
        for layer, nodes in verified.named_layers()
    )
    result = "the expected outputs" if verified.passed else "OTHER outputs than expected"
    return Document(
        name,
        title,
        f"{'not bounded' if worst is None else worst.describe()}; on {board.description} it gives {result}",
        (
            "The bound is for every input: which instructions run is proved not to depend on data, or the longer side "
            "of each branch counts. Cycles are a model by the manual of the core, without wait states of memories.",
            f"Run under QEMU with {verified.compiler} -{verified.optimise}. Model: {verified.cycle_model}.",
        ),
        (
            Table("Figures", ("what", "value"), tuple((what, str(value)) for what, value in figures.items())),
            Table("Kernel calls", ("node", "kernel", "instructions", f"most {unit} of any run"), layers),
        ),
        holds=verified.passed and worst is not None and worst.most is not None,
    )
