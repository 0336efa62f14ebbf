"""What tests of several folders share. Imported as `support`."""
