"""A fuzzer of the whole compiler: random models, compiled in many ways and compared with other engines.

    s2s fuzz --models 1000 --seed 7

One seed is one model, whatever else runs. `model` says what a format of models is, `variants` how the C is made and
built, `spread` what roundings may change, `check` compares, `campaign` runs batches of models in child processes,
`reduce` shrinks a failing model and `reproducer` writes it as a test. All else is of ONNX, and `tflite/` of TFLite:
`operators/` is the table of what is drawn, `network` builds a model node by node and computes each value as it goes,
`older` writes nodes as earlier opsets do, `oracle` gives the expected outputs with error bounds, and `forms` writes a
model as exporters might.
"""
