"""Stage `tree`: render the files of the emitted tree."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from s2s.c_syntax.interface import Port, Threads
from s2s.emit.files import Tree
from s2s.emit.info import DeviceInfo, NetworkInfo
from s2s.emit.stream import pieces
from s2s.emit.tree import render
from s2s.options.recorded import recorded
from s2s.stages.c import Lowered
from s2s.stages.graph import Grouped
from s2s.stages.memory import Planned
from s2s.stages.read import Read
from s2s.stages.request import Request
from s2s.stages.settle import Settled
from s2s.stages.simplify import Simplified
from s2s.stages.state import Facts, State
from s2s.stages.tensor import Scheduled
from s2s.support import progress
from s2s.targets import get_target
from s2s.targets.flags import target_for
from s2s.types.sizes import Extents


class Written(NamedTuple):
    """The tree in memory."""

    tree: Tree

    @property
    def sizes(self) -> Mapping[str, int]:
        """Bytes of each file."""
        return {path: sum(map(len, pieces(content))) for path, content in self.tree.files.items()}


def written(state: State, request: Request) -> Written:
    """Fill the templates."""
    progress.step("writing C")
    info = network_info(state.facts, request)
    return Written(render(state.module, info, state.weights))


def network_info(facts: Facts, request: Request) -> NetworkInfo:
    """Collect the facts that emission needs beside the C."""
    options, findings = request.options, request.findings
    network, settled, plan = facts[Read], facts[Settled], facts[Planned]
    return NetworkInfo(
        name=network.name,
        source=network.source,
        sha256=network.sha256,
        target=target_for(options.target, options.prefer),
        inputs=_placed(network.inputs, plan.inputs, plan.input_extents),
        outputs=_placed(network.outputs, plan.outputs, plan.output_extents),
        sizes=plan.sizes,
        index_bounds=plan.index_bounds,
        checks_indices=plan.checks_indices,
        computed_sizes=plan.computed_sizes,
        derived_sizes=plan.derived_sizes,
        arena_size=plan.arena,
        arena_align=plan.align,
        arena_lower_bound=plan.lower_bound,
        arena_apart_bound=plan.apart_bound,
        overlaps=plan.overlaps,
        line_buffers=facts[Grouped].line_buffers,
        pushed=facts[Grouped].pushed,
        steps=plan.steps,
        extra_operations=findings.extra_operations,
        executor=options.executor,
        profile=options.profile,
        interface=options.interface,
        pack=options.weights == "pack",
        threads=Threads(options.threads, options.threading) if options.threads > 1 else None,
        pools=plan.pools,
        lasting=plan.lasting,
        loaded=plan.loaded,
        memories=tuple(pool for pool in options.pools if pool.address is not None),
        code=plan.code,
        devices=tuple(
            DeviceInfo(each.name, get_target(options.target if each.target is None else each.target), each.shared)
            for each in options.devices
        ),
        states=plan.states,
        graph=plan.tables,
        measured=findings.measured,
        golden=settled.golden if findings.golden is None else findings.golden,
        language=network.language,
        empty_inputs=network.empty_inputs,
        empty_outputs=network.empty_outputs,
        sums=settled.sums,
        removed_channels=facts[Simplified].removed,
        paths=plan.paths,
        decisions=facts[Lowered].decisions,
        tolerance=facts[Scheduled].tolerance,
        options=recorded(options),
    )


def _placed(ports: Sequence[Port], offsets: Sequence[int | None], extents: Sequence[Extents]) -> tuple[Port, ...]:
    every = zip(ports, offsets, extents, strict=True)
    return tuple(replace(port, offset=offset, varies=sizes if any(sizes) else ()) for port, offset, sizes in every)
