"""TVM's way in: `s2s.build`."""
