"""The core of ATen, as the installed torch tags it."""
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false

from typing import Any

from s2s.frontends.torch.capture import import_torch


def core_overloads() -> list[str]:
    """The overloads that are tagged as core, by name: `add.Tensor`. The dispatcher knows those not used yet, too."""
    torch: Any = import_torch()
    found: list[str] = []
    for name in torch._C._dispatch_get_all_op_names():
        namespace, _, operator = name.partition("::")
        packet, _, overload = operator.partition(".")
        if namespace != "aten" or not hasattr(torch.ops.aten, packet):
            continue
        known = getattr(getattr(torch.ops.aten, packet), overload or "default", None)
        if known is not None and torch.Tag.core in known.tags:
            found.append(f"{packet}.{overload or 'default'}")
    return sorted(found)
