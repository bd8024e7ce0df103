"""Imports point one way; files and functions stay small."""

import ast
import sys
from pathlib import Path

import pytest

from anon_transformers.lazy import read_homes

ROOT = Path(__file__).parents[1]
LIBRARY = "anon_transformers"

# From the bottom up; a module may import its own layer and those below it.
LAYERS = (
    {"exceptions", "lazy", "parameters", "roles"},
    {"jit"},
    {"_kernels"},
    {"_data", "graphs", "hierarchies"},
    {"engines"},
    {"evidence"},
    {"privacy", "metrics", "attacks"},
    {"base"},
    {"published"},
    {"generalization", "partitioning", "microaggregation", "fuzzy"},
    {"hookspecs", "registry", "testing"},
    {"gx"},
    {"figures"},
    {"ledger"},
    {"policies"},
    {"release"},
    {"proposals"},
    {"airflow", "experiments"},
    {"studio"},
    {"cli"},
)
RANKS = {name: rank for rank, layer in enumerate(LAYERS) for name in layer}
FAMILIES = LAYERS[RANKS["partitioning"]]
# What judges a release never imports what made it.
JUDGES = {"gx", "privacy", "metrics", "attacks"}
MAY_IMPORT_DATASETS = {"cli", "release", "experiments", "datasets"}
DATASETS_MAY_IMPORT = {"hierarchies", "exceptions", "lazy", "parameters", "datasets"}
KERNELS_MAY_IMPORT = {"numpy", "numba"}
# The vocabulary of judging; the models themselves gx gets from the registry.
GX_MAY_NAME = {
    "judge",
    "judge_both",
    "judge_each",
    "judges_values",
    "report_of",
    "describe_exposed",
    "describe_level",
    "Verdict",
    "PrivacyModel",
    "parameters",
    "wanted_columns",
    "AllOf",
}
# Folders in which a class name is defined once, public or private.
NAMED_ONCE = (LIBRARY, "plugins/graphs/src", "plugins/reproductions/src")
LONGEST_FILE = 600
LONGEST_FUNCTION = 60


def sources(*folders):
    return [
        path
        for folder in folders
        for path in sorted((ROOT / folder).rglob("*.py"))
        if "build" not in path.relative_to(ROOT).parts
    ]


def module_name(path):
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def part(module):
    """The module's place in the library: the segment after its name."""
    segments = module.split(".")
    return segments[1] if len(segments) > 1 else ""


def rank(module):
    """Layer of a module of the library; KeyError if it has none.

    A ``_plugin`` needs the hooks and what it offers, whichever is higher.
    """
    own = RANKS[part(module)]
    return max(own, RANKS["registry"]) if is_plugin(module) else own


def is_plugin(module):
    return module.rsplit(".", 1)[-1] == "_plugin"


def exported(path):
    """Public name to home, as a lazy ``__init__`` writes it down."""
    return read_homes(path.read_text(encoding="utf-8"))


HOMES = exported(ROOT / LIBRARY / "__init__.py")
MODULES = {module_name(path) for path in sources(LIBRARY)}


def resolve(module, name):
    """The module that ``from module import name`` really reaches."""
    if f"{module}.{name}" in MODULES:
        return f"{module}.{name}"
    return HOMES.get(name, module) if module == LIBRARY else module


def imports(tree):
    """Every import wherever it stands, as (line, module, name or None)."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name, None) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            for alias in node.names:
                yield node.lineno, node.module, alias.name
        elif isinstance(node, ast.Call) and _is_import_call(node):
            yield node.lineno, node.args[0].value, None


def _is_import_call(node):
    called = getattr(node.func, "attr", getattr(node.func, "id", ""))
    return (
        called in {"import_module", "__import__"}
        and node.args
        and isinstance(node.args[0], ast.Constant)
        and isinstance(node.args[0].value, str)
    )


def library_imports(tree):
    for line, module, name in imports(tree):
        if module == LIBRARY or module.startswith(f"{LIBRARY}."):
            yield line, resolve(module, name) if name else module, name


def import_faults(module, tree):
    """What is wrong with the imports of one module of the library."""
    for line, target, name in library_imports(tree):
        fault = _import_fault(module, target, name)
        if fault:
            yield f"{module}:{line} imports {target}: {fault}"


def _import_fault(module, target, name):  # noqa: PLR0911 - one line a rule
    here, there = part(module), part(target)
    if there == "":
        return "a name of the package root that is exported by nobody"
    if there == "datasets" or here == "datasets":
        return _datasets_fault(here, there)
    if there not in RANKS:
        return "a module without a layer"
    if is_plugin(target):
        return "plugins are reached through entry points only"
    if rank(target) > rank(module):
        return "points up"
    if here in FAMILIES and there in FAMILIES and here != there:
        return "families never import each other"
    if here in JUDGES and there in FAMILIES:
        return "a judge imports what made the release"
    if here == "gx" and there == "privacy" and name not in GX_MAY_NAME:
        return "gx reaches models through the registry"
    return None


def _datasets_fault(here, there):
    if here == "datasets":
        return None if there in DATASETS_MAY_IMPORT else "datasets is a leaf"
    return None if here in MAY_IMPORT_DATASETS else "only the edge may use datasets"


def kernel_faults(module, tree):
    for line, target, _ in imports(tree):
        top = target.split(".")[0]
        inside = target == f"{LIBRARY}.jit" or "_kernels" in target.split(".")
        if (
            not inside
            and top not in KERNELS_MAY_IMPORT
            and top not in sys.stdlib_module_names
        ):
            yield f"{module}:{line} imports {target}"


def private_faults(module, tree):
    for line, target, name in imports(tree):
        if target.split(".")[0] != LIBRARY:
            continue
        if any(s.startswith("_") for s in [*target.split("."), name or ""]):
            yield f"{module}:{line} imports the private {target} {name or ''}"


def relative_faults(module, tree):
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.level:
            yield f"{module}:{node.lineno} is a relative import"


def function_faults(module, tree):
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            length = node.end_lineno - node.lineno + 1 - _docstring_lines(node)
            if length > LONGEST_FUNCTION:
                yield f"{module}:{node.lineno} {node.name} has {length} lines"


def _docstring_lines(node):
    if ast.get_docstring(node) is None:
        return 0
    return node.body[0].end_lineno - node.body[0].lineno + 1


def class_homes(paths):
    """Every class of some files, by name, with the modules that define it."""
    homes = {}
    for path in paths:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef):
                homes.setdefault(node.name, []).append(module_name(path))
    return homes


def faults(rule, *folders, only=lambda module: True):
    return [
        fault
        for path in sources(*folders)
        if only(module_name(path))
        for fault in rule(
            module_name(path), ast.parse(path.read_text(encoding="utf-8"))
        )
    ]


def test_every_module_has_a_layer():
    known = set(RANKS) | {"", "datasets"}
    assert MODULES
    assert not {module for module in MODULES if part(module) not in known}


def test_imports_point_one_way():
    assert not faults(import_faults, LIBRARY, only=lambda m: m != LIBRARY)


def test_the_package_root_imports_nothing_but_laziness():
    path = ROOT / LIBRARY / "__init__.py"
    tree = ast.parse(path.read_text(encoding="utf-8"))
    shown = [node for node in tree.body if not isinstance(node, ast.If)]
    found = [module for node in shown for _, module, _ in imports(node)]
    assert found == ["typing", f"{LIBRARY}.lazy"]


def test_lazy_packages_export_only_what_is_their_own():
    strangers = [
        f"{package}: {name} from {home}"
        for path in sources(LIBRARY)
        if path.name == "__init__.py" and (package := module_name(path)) != LIBRARY
        for name, home in exported(path).items()
        # What a public package says of a private room is public through it.
        if not home.startswith((f"{package}.", f"{LIBRARY}._"))
    ]
    assert not strangers


def test_kernels_import_only_numpy_and_numba():
    found = [*ROOT.glob(f"{LIBRARY}/_kernels"), *ROOT.glob("plugins/*/src/**/_kernels")]
    assert len(found) > 1
    assert not faults(kernel_faults, *(path.relative_to(ROOT) for path in found))


def test_nothing_private_stands_in_the_package_root():
    assert not [p.name for p in (ROOT / LIBRARY).glob("_*.py") if p.stem != "__init__"]


def test_plugins_use_only_public_names():
    outside = [*ROOT.glob("plugins"), *ROOT.glob("dags"), *ROOT.glob("examples")]
    assert not faults(private_faults, *(p.relative_to(ROOT) for p in outside))


def test_no_import_is_relative():
    assert not faults(relative_faults, LIBRARY, "plugins", "dags")


def test_no_function_is_too_long():
    assert not faults(function_faults, LIBRARY, "plugins", "dags")


def test_a_class_name_has_one_meaning():
    homes = class_homes(sources(*NAMED_ONCE))
    assert homes
    assert not {name: found for name, found in homes.items() if len(found) > 1}


def test_no_file_is_too_long():
    lengths = {
        str(path.relative_to(ROOT)): code_lines(path.read_text(encoding="utf-8"))
        for path in sources(LIBRARY, "plugins", "dags", "tests", "examples")
    }
    assert not {name: n for name, n in lengths.items() if n > LONGEST_FILE}


def code_lines(source):
    """Lines of a file without its docstrings."""
    documented = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
    nodes = [n for n in ast.walk(ast.parse(source)) if isinstance(n, documented)]
    return len(source.splitlines()) - sum(map(_docstring_lines, nodes))


def test_every_module_says_what_it_is():
    silent = [
        str(path.relative_to(ROOT))
        for path in sources(LIBRARY, "dags")
        if not ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))
    ]
    assert not silent


@pytest.mark.parametrize(
    ("module", "source", "fault"),
    [
        ("privacy._x", "from anon_transformers.base import T", "points up"),
        ("evidence", "def f():\n    import anon_transformers.gx", "points up"),
        ("metrics._x", "from anon_transformers.fuzzy import F", "points up"),
        ("base", "from anon_transformers import MondrianAnonymizer", "points up"),
        ("base", "from anon_transformers import registry", "points up"),
        ("base", "from importlib import import_module as i\n"
                 "import importlib\nimportlib.import_module('anon_transformers.cli')",
         "points up"),
        ("partitioning._x", "from anon_transformers.hookspecs import h", "points up"),
        ("fuzzy._x", "from anon_transformers.partitioning import M", "families"),
        ("gx._x", "from anon_transformers.partitioning import M", "judge"),
        ("gx._x", "from anon_transformers.privacy import KAnonymity", "registry"),
        ("gx._x", "from anon_transformers.utils import x", "without a layer"),
        ("gx._x", "from anon_transformers.datasets import x", "edge"),
        ("datasets._x", "from anon_transformers.base import x", "leaf"),
        ("release._x", "from anon_transformers import nobody", "nobody"),
        ("release._x", "from anon_transformers.privacy import _plugin", "entry points"),
    ],
)  # fmt: skip
def test_the_rules_catch_a_wrong_import(module, source, fault):
    (found,) = import_faults(f"{LIBRARY}.{module}", ast.parse(source))
    assert fault in found


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("partitioning._plugin", "from anon_transformers.hookspecs import hookimpl"),
        ("release._plugin", "from anon_transformers.release._files import read_csv"),
        ("gx._x", "from anon_transformers.privacy import judge"),
        ("gx._x", "from anon_transformers.registry import registry"),
        ("release._x", "from anon_transformers.datasets import bundled_path"),
        ("evidence", "import numpy, pandas"),
    ],
)
def test_the_rules_let_a_right_import_pass(module, source):
    assert not list(import_faults(f"{LIBRARY}.{module}", ast.parse(source)))


@pytest.mark.parametrize(
    ("rule", "source"),
    [
        (kernel_faults, "import pandas"),
        (kernel_faults, "from anon_transformers.exceptions import DataError"),
        (private_faults, "from anon_transformers._data.columns import encode"),
        (private_faults, "from anon_transformers.base import _hidden"),
        (private_faults, "import anon_transformers.privacy._judge"),
        (relative_faults, "from . import x"),
        (function_faults, "def f():\n" + "    x = 1\n" * 60),
    ],
)
def test_the_other_rules_catch_what_they_should(rule, source):
    assert len(list(rule("module", ast.parse(source)))) == 1


def test_a_class_name_in_two_files_is_found(tmp_path, monkeypatch):
    monkeypatch.setitem(globals(), "ROOT", tmp_path)
    for name in ("one.py", "two.py"):
        (tmp_path / name).write_text("class Twice: ...", encoding="utf-8")
    assert class_homes(sources(".")) == {"Twice": ["one", "two"]}


def test_a_docstring_does_not_count_as_code():
    source = 'def f():\n    """Say.\n' + "    more\n" * 60 + '    """\n    return 1\n'
    assert not list(function_faults("module", ast.parse(source)))
