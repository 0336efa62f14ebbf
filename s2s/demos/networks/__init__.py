"""How the networks of demos are made, one file each: data by a formula, and layers that are fitted by least squares."""
