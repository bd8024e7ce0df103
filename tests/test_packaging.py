import gzip
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from importlib.metadata import distributions
from pathlib import Path

import pytest
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "anon_transformers"
BUNDLED = PACKAGE / "datasets" / "data"
TEST_DATA = ROOT / "tests" / "data"

# The environment's own tools: the build environment pins setuptools, a virtual
# environment brings whatever its Python brings.
UNPINNED = {"pip", "setuptools", "wheel"}


def _pins():
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    return [tuple(line.split("==")) for line in lines]


def _own_distributions():
    """Names of this distribution and of those under plugins/."""
    projects = [ROOT / "pyproject.toml", *ROOT.glob("plugins/*/pyproject.toml")]
    return {
        canonicalize_name(
            tomllib.loads(path.read_text(encoding="utf-8"))["project"]["name"]
        )
        for path in projects
    }


def test_constraints_are_exact_unique_and_sorted():
    pins = _pins()
    assert all(len(pin) == 2 for pin in pins)
    names = [name for name, _ in pins]
    assert names == sorted(set(names))
    assert names == [canonicalize_name(name) for name in names]


@pytest.mark.skipif(
    sys.version_info[:2] != (3, 11), reason="the pins were resolved on Python 3.11"
)
def test_everything_installed_is_pinned_at_its_version():
    pins = dict(_pins())
    left_out = UNPINNED | _own_distributions()
    installed = {
        canonicalize_name(distribution.name): distribution.version
        for distribution in distributions()
    }
    astray = {
        name: f"installed {version}, pinned {pins.get(name)}"
        for name, version in sorted(installed.items())
        if name not in left_out and pins.get(name) != version
    }
    assert not astray


SOURCES = {ROOT: ROOT, **{p.parent: p for p in ROOT.glob("plugins/*/src")}}


@pytest.mark.parametrize("project", SOURCES, ids=lambda path: path.name)
def test_every_file_beside_the_code_is_package_data(project):
    settings = tomllib.loads((project / "pyproject.toml").read_text(encoding="utf-8"))
    patterns = settings["tool"]["setuptools"].get("package-data", {})
    source = SOURCES[project]
    packages = [PACKAGE] if project == ROOT else source.glob("anon_transformers_*")
    covered = {
        path
        for package, of_package in patterns.items()
        for pattern in of_package
        for path in source.joinpath(*package.split(".")).glob(pattern)
    }
    beside = {
        path
        for package in packages
        if package.suffix != ".egg-info"
        for path in package.rglob("*")
        if path.is_file() and path.suffix != ".py" and "__pycache__" not in path.parts
    }
    assert beside or not patterns
    assert not beside - covered


def test_no_page_is_left_untested_for_want_of_sphinx():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert re.search(r"^test-docs:.*\$\(SPHINX\)", makefile, flags=re.MULTILINE)


def test_typing_marker_and_adult_are_there():
    adult = BUNDLED / "adult"
    assert (PACKAGE / "py.typed").is_file()
    assert (adult / "adult.csv.gz").is_file()
    assert len(list((adult / "hierarchies").glob("*.csv"))) == 9


@pytest.mark.slow
def test_the_wheel_carries_code_data_and_licences(tmp_path):
    source = tmp_path / "source"
    shutil.copytree(
        PACKAGE, source / PACKAGE.name, ignore=shutil.ignore_patterns("__pycache__")
    )
    for name in ("pyproject.toml", "README.md", "LICENSE", "NOTICE"):
        shutil.copy(ROOT / name, source)
    subprocess.run(
        [sys.executable, "-m", "build", "--wheel", "--outdir", tmp_path, source],
        check=True,
        capture_output=True,
    )
    (wheel,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        carried = {name for name in archive.namelist() if ".dist-info/" not in name}
        licences = {Path(name).name for name in archive.namelist()} & {
            "LICENSE",
            "NOTICE",
        }
    expected = {
        path.relative_to(source).as_posix()
        for path in (source / PACKAGE.name).rglob("*")
        if path.is_file()
    }
    assert carried == expected
    assert licences == {"LICENSE", "NOTICE"}


def test_notice_names_every_bundled_data_folder():
    notice = (ROOT / "NOTICE").read_text(encoding="utf-8")
    of_plugins = list(ROOT.glob("plugins/*/src/**/data"))
    assert of_plugins
    bundled = [*BUNDLED.iterdir(), *TEST_DATA.iterdir(), *of_plugins]
    unnamed = [
        name
        for path in bundled
        if (name := path.relative_to(ROOT).as_posix()) not in notice
    ]
    assert not unnamed


def _project_files():
    """What git has, or would take: the checkout less what it ignores."""
    git = shutil.which("git")
    if git is None or not (ROOT / ".git").exists():
        pytest.skip("not a git checkout")
    listed = subprocess.run(
        [git, "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        check=True,
        capture_output=True,
    ).stdout.decode()
    paths = (ROOT / name for name in listed.split("\0") if name)
    return [path for path in paths if path.is_file()]


def _text(path):
    data = path.read_bytes()
    if path.suffix == ".gz":
        data = gzip.decompress(data)
    return data.decode("utf-8", errors="replace")


# Put together from pieces, so that this file passes its own test.
HOSTS = [
    "py" + "pi.org",
    "python" + "hosted.org",
    "ana" + "conda.org",
    "arti" + "factory",
    "index" + "-url",
    "find" + "-links",
]
HOMES = ["work", "root", "home", "Users"]
FORBIDDEN = re.compile(
    "|".join(re.escape(host) for host in HOSTS)
    + rf"|(?<![\w.~*-])(?<!:/)/(?:{'|'.join(HOMES)})(?![\w-])",
    re.IGNORECASE,
)


@pytest.mark.parametrize(
    ("text", "is_forbidden"),
    [
        ("see https://" + "py" + "pi.org/project/x", True),
        ("cd /" + "work/main", True),
        ('open("/' + 'home/me/x.csv")', True),
        ("file:///" + "root/x", True),
        ("leaf/" + "root paths", False),
        ("/" + "workers", False),
        ("https://example.org/" + "home/", False),
    ],
)
def test_the_pattern_tells_machine_paths_from_prose(text, is_forbidden):
    assert bool(FORBIDDEN.search(text)) == is_forbidden


def test_no_file_names_a_registry_host_or_a_machine_path():
    found = [
        f"{path.relative_to(ROOT).as_posix()}:{number}"
        for path in _project_files()
        for number, line in enumerate(_text(path).splitlines(), start=1)
        if FORBIDDEN.search(line)
    ]
    assert not found
