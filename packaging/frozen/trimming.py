"""What the frozen program leaves out, each with its reason; plain data and rules, so that tests can read them."""

EXCLUDED_MODULES = [
    *("tkinter", "pydoc_data", "lib2to3", "ensurepip", "setuptools", "pip", "IPython", "numpy", "PIL"),
    *("PySide6.QtQml", "PySide6.QtQuick", "PySide6.QtPdf", "PySide6.QtOpenGL", "PySide6.QtOpenGLWidgets"),
]

_ONE_DESKTOPS_LOOK = ("libqgtk3", "libgtk-3", "libgdk", "libatk", "libatspi", "libepoxy", "libpango", "libcairo")
_SCREENS_WITHOUT_DESKTOP = ("libqeglfs", "libqlinuxfb", "libqminimalegl", "libqvkkhr", "libqvnc", "libQt6EglF")
_NOT_USED = ("libQt6Quick", "libQt6Qml", "libQt6Pdf", "libqpdf", "VirtualKeyboard", "virtualkeyboard")
_THE_SYSTEMS_OWN = ("libstdc++", "libgcc_s")
"""They fit the system's graphics driver; older ones from the bundle would not."""
_NEEDED_BY_THOSE_ALONE = (
    *("libXau", "libXdmcp", "libXext", "libXrender", "libbsd", "libmd.", "libjpeg.", "libpixman"),
    *("libdatrie", "libfribidi", "libgraphite2", "libharfbuzz", "libthai"),
)
_UNWANTED_LIBRARIES = (
    *(*_ONE_DESKTOPS_LOOK, *_SCREENS_WITHOUT_DESKTOP, *_NOT_USED, *_THE_SYSTEMS_OWN),
    *_NEEDED_BY_THOSE_ALONE,
)
_UNWANTED_DATA = ("PySide6/Qt/translations/", "PySide6/Qt/qml/")
_OF_THE_BUILDER = ".dist-info/direct_url.json"
"""Where on the builder's disk a wheel lay."""
_UNWANTED_SCRIPTS = ("pyi_rth_pyside6", "pyi_rth_inspect", "pyi_rth_multiprocessing")
"""They would import Qt, inspect and multiprocessing at every start, also of a relay that only copies bytes. PySide6
finds its folder by itself, there is no source to inspect, and no process is started through multiprocessing."""


def is_wanted_binary(name: str) -> bool:
    return not any(part in name.rpartition("/")[2] for part in _UNWANTED_LIBRARIES)


def is_wanted_data(name: str) -> bool:
    """Links to libraries are among the data; what pip compiled of a sample's sources is nobody's."""
    is_ours = is_wanted_binary(name) and not name.startswith(_UNWANTED_DATA)
    return is_ours and not name.endswith(_OF_THE_BUILDER) and "__pycache__" not in name.split("/")


def is_wanted_script(name: str) -> bool:
    return name not in _UNWANTED_SCRIPTS
