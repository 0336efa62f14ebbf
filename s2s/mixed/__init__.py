"""Mixed precision with true prices: which layers get weights of 4 bits so that a network fits a device."""
