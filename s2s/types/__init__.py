"""The values of the IR: element types, shapes, affine maps, symbols, constants."""
