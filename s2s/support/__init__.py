"""What every part of the compiler may use: progress, and the files that come with it."""
