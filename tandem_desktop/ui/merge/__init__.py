"""Where the disk and a plan meet: three contents beside each other, and what a person says about each region."""
