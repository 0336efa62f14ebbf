"""Random TFLite networks: `operators/` is the table of operators that are drawn, `network` builds a graph operator by
operator, `engines` are the reference kernels of TFLite-Micro and LiteRT, `oracle` gives the expected values with error
bounds, `model` is the campaign's view, `writer` writes the files, for tests as well, and `reader` reads them."""
