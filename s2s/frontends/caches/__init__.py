"""Keep the caches of a network in fewer bits than its model does.

    %old: tensor<2x128x8xf32> {state}
    %new = graph.scatter_elements %old, %at, %rows {axis = 1} : …                 the next value of %old
    %s = graph.matmul %q, %new {transpose_b} : …
->                                                                                `--cache int8`
    %old: tensor<2x128x8xi8> {state}, %old_scale: tensor<2x128x1xf32> {state}
    %scales = graph.clamp (graph.reduce_max |%rows| / 127) : tensor<2x1x1xf32>
    %new = graph.scatter_elements %old, %at, (graph.cast (graph.round %rows / %scales)) {axis = 1} : …
    %new_scale = graph.scatter_elements %old_scale, …, %scales {axis = 1} : …
    %s = (graph.matmul %q, (graph.cast %new) {transpose_b}) * %new_scale : …

A cache is a state of floats whose next value consists of elements of itself and of other tensors, only moved: written
at some positions, picked, transposed, put one behind the other. What is put in is quantised once, by rows along one
axis; so a cached number differs from the one that was put in by what `docs/how-to/language-models.md` states.

Declined for states that are computed otherwise, as those of recurrent cells, and where an operation mixes the elements
of a row with others.
"""

from s2s.frontends.caches.narrow import narrow_caches

__all__ = ["narrow_caches"]
