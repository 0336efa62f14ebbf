"""The configuration of passes as it stands on the command line of the driver: texts `key=value`."""

from collections.abc import Sequence

from s2s.errors import UnsupportedError
from s2s.passes.pass_context import check_loop_config
from s2s.tvm.driver.tvmc.errors import RefusedConfigError, TVMCException
from s2s.tvm.transform import PassContext

Value = bool | int | str


def get_pass_config_value(name: str, value: str, config_type: str) -> Value:
    """Return the value of a key: a Boolean or an integer, or a text for the type `runtime.String`."""
    if config_type == "runtime.String":
        return value
    if value.lower() in ("true", "false"):
        return value.lower() == "true"
    if not value.lstrip("-").isdigit():
        raise TVMCException(f"pass config {name}: {value!r} is no number; give one, true or false")
    return int(value)


def parse_configs(input_configs: Sequence[str] | None) -> dict[str, Value]:
    """Return the configuration of a context of `key=value` texts; an unknown key is refused."""
    configs = PassContext.list_configs()
    values: dict[str, Value] = {}
    for text in input_configs or ():
        key, separator, value = (part.strip() for part in text.partition("="))
        if not separator or not key or "=" in value:
            raise TVMCException(f"pass config {text!r}: is no assignment; give key=value")
        if key not in configs:
            try:
                check_loop_config(key)
            except UnsupportedError as error:
                raise RefusedConfigError(str(error)) from error
            raise TVMCException(f"pass config {key}: is not known; known are {', '.join(configs)}")
        values[key] = get_pass_config_value(key, value, configs[key]["type"])
    return values


__all__ = ["get_pass_config_value", "parse_configs"]
