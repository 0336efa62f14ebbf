"""The kinds of directives there are, and whether a schedule fits a computation."""

from xdsl.utils.exceptions import VerifyException

from s2s.dialects import tensor
from s2s.schedules.directives import Schedule
from s2s.schedules.directives.registered import registered_directives


def kinds() -> list[type[tensor.Directive]]:
    """Return the kinds of directives, in the order in which a schedule has them best."""
    return [*(kind for kind in Schedule.attributes if issubclass(kind, tensor.Directive)), *registered_directives()]


def refusal(op: tensor.Computation, schedule: tensor.ScheduleAttr) -> str | None:
    """Return why `op` cannot be carried out by `schedule`; None where it can."""
    try:
        schedule.verify_for(op)
    except VerifyException as error:
        return str(error)
    return None
