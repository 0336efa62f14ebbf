"""Write what quantisation costs as a page: the front of choices, accuracy, and the error of each layer."""

from markupsafe import Markup

from s2s.mixed.front import Picked
from s2s.quantization import Quantized
from s2s.report.html.charts import front_chart
from s2s.report.html.page import environment
from s2s.version import current_version

TEMPLATE = "quantised.html.j2"


def quantised_page(name: str, result: Quantized, picked: Picked | None = None) -> str:
    """Return the page of a quantised network as text; `picked` are the choices within the bounds of a device."""
    front = "" if picked is None else front_chart(picked)
    return (
        environment()
        .get_template(TEMPLATE)
        .render(name=name, result=result, picked=picked, front=Markup(front), version=current_version())
    )
