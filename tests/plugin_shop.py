"""Small distributions with plugins, installed in a folder."""

import importlib
from importlib.metadata import distributions

from anon_transformers import hookspecs
from anon_transformers.registry import ATTRIBUTES, KINDS, create_registry


class Shop:
    """A folder in which small distributions are installed."""

    def __init__(self, folder):
        self.folder = folder
        self.modules = []

    def install(self, distribution, plugins, **sources):
        """Write a distribution; ``plugins`` maps entry points to modules."""
        info = self.folder / f"{distribution.replace('-', '_')}-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(
            f"Metadata-Version: 2.1\nName: {distribution}\nVersion: 1.0\n"
        )
        lines = [f"{name} = {value}" for name, value in plugins.items()]
        (info / "entry_points.txt").write_text(
            "\n".join([f"[{hookspecs.PROJECT}]", *lines])
        )
        for module, source in sources.items():
            (self.folder / f"{module}.py").write_text(source)
            self.modules.append(module)
        importlib.invalidate_caches()

    def offer(self, distribution, hook, name, module=None):
        """Install a distribution that registers one name by one hook."""
        module = module or f"plugin_of_{distribution.replace('-', '_')}"
        self.install(
            distribution, {distribution: module}, **{module: offers(hook, name)}
        )

    def points(self):
        return [
            point
            for distribution in distributions(path=[str(self.folder)])
            for point in distribution.entry_points
            if point.group == hookspecs.PROJECT
        ]

    def registry(self):
        return create_registry(self.points())

    def sound_registry(self):
        """What a release asks for."""
        self.registry().refuse_broken()


TABLE = "type('Thing', (), {'kind': 'table'})"
THINGS = {"register_anonymizers": TABLE} | {
    f"register_{hook}": f"type('Thing', (), dict.fromkeys({ATTRIBUTES[kind]!r}))"
    for hook, kind in KINDS.items()
    if kind in ATTRIBUTES
}


def offers(hook, name, thing=None):
    thing = thing or THINGS.get(hook, "type('Thing', (), {})")
    return (
        "from anon_transformers import hookimpl\n"
        f"THING = {thing}\n"
        "@hookimpl\n"
        f"def {hook}(register):\n"
        f"    register({name!r}, THING)\n"
    )
