from {{package}} import {{package}}


def test_the_name_is_told() -> None:
    assert {{package}}() == "{{name}}"
