"""What values of the IR are: element types, shapes, affine maps, symbols, constants."""
