"""The contrast of two colours as WCAG measures it."""


def contrast(ink: str, ground: str) -> float:
    """From 1 (the same colour) to 21 (black on white)."""
    darker, lighter = sorted((_luminance(ink), _luminance(ground)))
    return (lighter + 0.05) / (darker + 0.05)


def _luminance(color: str) -> float:
    red, green, blue = (_linear(int(color[at : at + 2], 16) / 255) for at in (1, 3, 5))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _linear(channel: float) -> float:
    return channel / 12.92 if channel <= 0.04045 else float(((channel + 0.055) / 1.055) ** 2.4)
