import {{package}}


def test_the_version_is_told() -> None:
    assert {{package}}.__version__
