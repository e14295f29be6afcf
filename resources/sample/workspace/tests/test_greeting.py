"""The greeting is polite."""

import unittest

from greeter.greeting import greeting


class GreetingTest(unittest.TestCase):
    def test_the_name_is_greeted(self) -> None:
        self.assertIn("Ada", greeting("Ada"))
