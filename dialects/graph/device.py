"""Copies between the memories of devices."""

from typing import ClassVar

from xdsl.dialects.builtin import StringAttr
from xdsl.irdl import ParsePropInAttrDict, VarConstraint, operand_def, prop_def, result_def, traits_def
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from s2s.dialects.graph.base import TENSOR, Value, string
from s2s.dialects.graph.interfaces import StepInterface
from s2s.dialects.graph.traits import FusionKind, HasFusionKind
from s2s.dialects.operation import op_definition, value_of


@op_definition
class DeviceCopyOp(StepInterface):
    """`y = x`: a tensor of device `origin`, copied to the memory of device `device`."""

    name = "graph.device_copy"
    T: ClassVar = VarConstraint("T", TENSOR)
    x = operand_def(T)
    origin = prop_def(StringAttr)
    device = prop_def(StringAttr)
    y = result_def(T)
    traits = traits_def(Pure(), HasFusionKind(FusionKind.OPAQUE))
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$x `from` $origin `to` $device attr-dict `:` type($x)"

    def __init__(self, x: Value, *, origin: str, device: str) -> None:
        super().__init__(
            operands=[x],
            properties={"origin": string(origin), "device": string(device)},
            result_types=[value_of(x).type],
        )

    def verify_(self) -> None:
        if self.origin == self.device:
            raise VerifyException(f"{self.name}: copies from {self.origin} to {self.device}, expected two devices")
