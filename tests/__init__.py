"""The promises of Tandem, each as a sentence that would be false if the code broke."""
