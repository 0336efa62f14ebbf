"""How names, types, numbers and expressions are written in C: passes need it too, so it stands below them."""
