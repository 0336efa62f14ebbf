"""What instructions cost on a core by its manual: tables as data, and the price of a run that an emulator counted."""
