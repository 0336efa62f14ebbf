"""What a model means: its operators, read from the file and executed on atoms."""
