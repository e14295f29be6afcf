"""The settings as a page: every field of the file, explained, with the control that fits it."""
