"""Imports go one way: from rooms further down the list to those further up, and never round in a circle."""

from support.import_graph import circles, import_graph

ROOMS = (
    "errors",
    "version",
    "support",
    "prove",
    "types",
    "chat",
    "dialects",
    "c_syntax",
    "analysis",
    "interpret",
    "memory",
    "targets",
    "schedules",
    "external",
    "decisions",
    "options",
    "data",
    "frontends",
    "passes",
    "registry",
    "pipeline_step",
    "pipeline",
    "executor",
    "emit",
    "stages",
    "compilation",
    "reproducer",
    "quantization",
    "boards",
    "verify",
    "budgets",
    "packagings",
    "projects",
    "inspection",
    "artifact",
    "joint",
    "fuzz",
    "profiling",
    "mixed",
    "tuning",
    "farm",
    "testing",
    "demos",
    "api",
    "onnx_backend",
    "torch_backend",
    "report",
    "evidence",
    "tvm",
    "cli",
    "__main__",
)
"""The packages and modules right under `s2s`, lowest first: each imports only itself and what stands before it."""

WITHOUT_CODE = {"templates", "runtime_c"}
EXCEPTIONS: set[tuple[str, str]] = set()
"""Imports against the order that are known, by module; an exception that is no more true fails, too."""


def room(module: str) -> str:
    """`passes` of `s2s.passes.loop.split_kernels`; the package itself is the lowest room."""
    return module.split(".")[1] if "." in module else ""


def rank(module: str) -> int:
    return ("", *ROOMS).index(room(module))


def test_every_module_has_its_place_in_the_order() -> None:
    rooms = {room(module) for module in import_graph()} - {""}
    assert rooms - WITHOUT_CODE == set(ROOMS)


def upward_imports() -> list[tuple[str, str]]:
    """The imports against the order, as pairs of modules."""
    return sorted(
        (module, other)
        for module, imported in import_graph().items()
        for other in imported
        if room(module) and room(other) not in WITHOUT_CODE and rank(other) > rank(module)
    )


def test_packages_import_downwards_only() -> None:
    assert upward_imports() == sorted(EXCEPTIONS)


def test_the_compiler_does_not_import_the_interface_of_tvm() -> None:
    """`s2s` gives names of it when they are asked for, and the command line calls it."""
    faces = ("", "tvm", "cli")
    others = [module for module in import_graph() if room(module) not in faces]
    assert [module for module in others if any(room(each) == "tvm" for each in import_graph()[module])] == []


def test_no_module_imports_itself_in_a_circle() -> None:
    assert circles(import_graph()) == []
