"""The prover shares no code with the compiler it checks."""

from support.import_graph import import_graph

OWN = ("s2s.prove", "s2s.errors", "s2s.support.frozen", "s2s.version")


def test_the_prover_imports_nothing_of_the_compiler():
    graph = import_graph()
    others = {other for module in graph if module.startswith("s2s.prove") for other in graph[module]}
    assert {other for other in others if not other.startswith(OWN) and other != "s2s"} == set()
