"""The plugin door: who comes in, who is refused, and who is to blame."""

import doctest
import importlib
import inspect
import json
import re
import sys
from importlib.metadata import distributions, entry_points
from pathlib import Path

import pytest

from anon_transformers import hookspecs
from anon_transformers.exceptions import ParameterError, PluginError
from anon_transformers.privacy import KAnonymity
from anon_transformers.registry import (
    ANONYMIZER_KINDS,
    ATTRIBUTES,
    COMMANDS,
    HOME,
    KINDS,
    TAKEN,
    create_registry,
)
from anon_transformers.testing._anonymizers import CHECKS_BY_KIND

HOOKS = sorted(name for name in vars(hookspecs) if name.startswith("register_"))


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


@pytest.fixture
def shop(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delenv("ANON_DISABLE_PLUGINS", raising=False)
    monkeypatch.delenv("ANON_DISABLE_PLUGIN_AUTOLOAD", raising=False)
    shop = Shop(tmp_path)
    yield shop
    for module in shop.modules:
        sys.modules.pop(module, None)


TABLE = "type('Thing', (), {'kind': 'table'})"
THINGS = {"register_anonymizers": TABLE} | {
    f"register_{hook}": f"type('Thing', (), dict.fromkeys({ATTRIBUTES[kind]!r}))"
    for hook, kind in KINDS.items()
    if kind in ATTRIBUTES
}


def offers(hook, name, thing=None):
    thing = thing or THINGS.get(hook, "object()")
    return (
        "from anon_transformers import hookimpl\n"
        f"THING = {thing}\n"
        "@hookimpl\n"
        f"def {hook}(register):\n"
        f"    register({name!r}, THING)\n"
    )


def check_hook(shop, hook):
    shop.offer("acme-tools", hook, "acme-thing")
    found = shop.registry()
    catalog = getattr(found, hook.removeprefix("register_"))
    assert list(catalog) == ["acme-thing"]
    assert catalog["acme-thing"] is sys.modules["plugin_of_acme_tools"].THING
    assert catalog.owner("acme-thing") == "acme-tools"
    others = set(KINDS) - {hook.removeprefix("register_")}
    assert not any(len(getattr(found, other)) for other in others)
    with pytest.raises(ParameterError, match=r"unknown .* did you mean 'acme-thing'"):
        _ = catalog["acme-thong"]


def test_register_anonymizers_fills_its_shelf(shop):
    check_hook(shop, "register_anonymizers")


def test_register_privacy_models_fills_its_shelf(shop):
    check_hook(shop, "register_privacy_models")


def test_register_metrics_fills_its_shelf(shop):
    check_hook(shop, "register_metrics")


def test_register_attacks_fills_its_shelf(shop):
    check_hook(shop, "register_attacks")


def test_register_hierarchy_builders_fills_its_shelf(shop):
    check_hook(shop, "register_hierarchy_builders")


def test_register_readers_fills_its_shelf(shop):
    check_hook(shop, "register_readers")


def test_register_writers_fills_its_shelf(shop):
    check_hook(shop, "register_writers")


def test_register_experiments_fills_its_shelf(shop):
    check_hook(shop, "register_experiments")


def test_register_commands_fills_its_shelf(shop):
    check_hook(shop, "register_commands")


def test_register_pages_fills_its_shelf(shop):
    check_hook(shop, "register_pages")


def test_register_policies_fills_its_shelf(shop):
    check_hook(shop, "register_policies")


def test_the_hooks_are_those_of_the_design():
    assert sorted(f"register_{kind}" for kind in KINDS) == HOOKS
    assert len(HOOKS) == 11


@pytest.mark.parametrize("hook", HOOKS)
def test_every_hook_has_a_test_that_bears_its_name(hook):
    source = Path(__file__).read_text(encoding="utf-8")
    assert re.search(rf"^def test_\w*{hook}", source, re.MULTILINE)


@pytest.mark.parametrize("hook", HOOKS)
def test_every_hook_is_documented_with_its_signature(hook):
    function = getattr(hookspecs, hook)
    text = inspect.getdoc(function)
    summary, _, rest = text.partition("\n")
    assert re.match(r"Offer .*: ``register\(\w+, \w+\)``", summary)
    section = re.search(r"Parameters\n-+\n(.*?)\n\n", rest, re.DOTALL)
    stated = re.findall(r"^(\w+) : ", section[1], re.MULTILINE)
    assert stated == list(inspect.signature(function).parameters)


CHECKED = {
    f"register_{kind}": f"check_{name.replace(' ', '_')}"
    for kind, name in {**KINDS, "readers": "reader", "writers": "writer"}.items()
}


@pytest.mark.parametrize("hook", HOOKS)
def test_the_example_of_every_hook_is_a_plugin_that_runs(shop, hook):
    """As its reader would: copied into a module, installed, and checked there."""
    text = getattr(hookspecs, hook).__doc__
    examples = doctest.DocTestParser().get_examples(text)
    source = "".join(example.source for example in examples)
    checks = [e.source for e in examples if e.source.startswith("check_")]
    module = f"example_of_{hook}"
    shop.install("example", {"example": module}, **{module: source})
    found = shop.registry()
    assert found.broken == ()
    catalog = getattr(found, hook.removeprefix("register_"))
    (name,) = catalog
    assert catalog.fault(name) is None
    assert catalog.summary(name).endswith(".")
    assert CHECKED[hook] in source
    assert checks or CHECKED[hook] == "check_reader"


class TestStrangers:
    def test_one_comes_in_beside_the_built_ins(self, shop):
        shop.offer("acme-tools", "register_anonymizers", "acme-thing")
        found = create_registry(entry_points(group=hookspecs.PROJECT))
        assert {"mondrian", "acme-thing"} <= set(found.anonymizers)

    def test_a_plugin_may_be_an_object_with_hooks(self, shop):
        source = (
            "from anon_transformers import hookimpl\n"
            "class Plugin:\n"
            "    @hookimpl\n"
            "    def register_experiments(self, register):\n"
            "        register('a', 1)\n"
            "plugin = Plugin()\n"
        )
        shop.install("acme", {"acme": "acme_module:plugin"}, acme_module=source)
        assert dict(shop.registry().experiments) == {"a": 1}

    def test_one_found_twice_on_the_path_is_one(self, shop):
        shop.offer("acme", "register_metrics", "a")
        found = create_registry([*shop.points(), *shop.points()])
        assert list(found.metrics) == ["a"]

    def test_names_are_listed_in_order(self, shop):
        shop.offer("two", "register_metrics", "b")
        shop.offer("one", "register_metrics", "c")
        shop.offer("three", "register_metrics", "a")
        assert list(shop.registry().metrics) == ["a", "b", "c"]
        assert len(shop.registry().metrics) == 3
        assert "a" in shop.registry().metrics


class TestClashes:
    def test_two_plugins_of_one_name(self, shop):
        shop.install("acme", {"tools": "one"}, one=offers("register_metrics", "a"))
        shop.install("zeta", {"tools": "two"}, two=offers("register_metrics", "b"))
        with pytest.raises(PluginError, match="'tools': acme and zeta"):
            shop.sound_registry()

    def test_two_distributions_of_one_registered_name(self, shop):
        shop.offer("acme", "register_metrics", "a")
        shop.offer("zeta", "register_metrics", "a")
        with pytest.raises(PluginError, match="metric 'a' is registered by") as error:
            shop.sound_registry()
        assert "by acme and by zeta, and belongs to neither. Register" in str(
            error.value
        )
        assert str(error.value).endswith("out with ANON_DISABLE_PLUGINS=zeta.)")

    def test_one_plugin_that_registers_a_name_twice(self, shop):
        source = offers("register_metrics", "a")
        source += "    register('a', THING)\n"
        shop.install("acme", {"tools": "doubled"}, doubled=source)
        with pytest.raises(PluginError, match="acme registers the metric 'a' twice"):
            shop.sound_registry()
        assert "a" not in shop.registry().metrics

    def test_a_built_in_name_is_taken(self, shop):
        source = offers("register_anonymizers", "mondrian")
        shop.install("zeta-tools", {"zeta": "taken"}, taken=source)
        with pytest.raises(PluginError) as error:
            create_registry(entry_points(group=hookspecs.PROJECT)).refuse_broken()
        assert (
            f"'mondrian' is registered by {HOME} and by zeta-tools, and stays with the "
            "first. Register yours under another name, or leave the plugin out with "
            "ANON_DISABLE_PLUGINS=zeta."
        ) in str(error.value)

    def test_one_name_on_two_shelves_is_no_clash(self, shop):
        shop.offer("acme", "register_metrics", "a")
        shop.offer("zeta", "register_attacks", "a")
        assert "a" in shop.registry().metrics
        assert "a" in shop.registry().attacks

    def test_a_clash_is_settled_by_disabling_one(self, shop, monkeypatch):
        shop.offer("acme", "register_metrics", "a")
        shop.offer("zeta", "register_metrics", "a")
        monkeypatch.setenv("ANON_DISABLE_PLUGINS", "zeta")
        assert shop.registry().metrics.owner("a") == "acme"

    def test_one_module_under_two_names(self, shop):
        shop.install(
            "acme", {"one": "both", "two": "both"}, both=offers("register_metrics", "a")
        )
        with pytest.raises(PluginError, match="acme"):
            shop.sound_registry()

    def test_a_name_that_strangers_contest_belongs_to_none(self, shop):
        shop.offer("acme", "register_metrics", "a")
        shop.offer("zeta", "register_metrics", "a")
        shop.offer("beta", "register_metrics", "b")
        found = shop.registry()
        assert list(found.metrics) == ["b"]
        assert [broken.distribution for broken in found.broken] == ["zeta"]

    @pytest.mark.parametrize("mark", ["", "(tryfirst=True)", "(trylast=True)"])
    def test_a_built_in_keeps_its_name_and_the_rest_is_there(self, shop, mark):
        source = offers("register_privacy_models", "k-anonymity")
        source = source.replace("@hookimpl", f"@hookimpl{mark}")
        shop.install("aaa", {"aaa": "eager"}, eager=source)
        found = create_registry(entry_points(group=hookspecs.PROJECT))
        assert found.privacy_models.owner("k-anonymity") == HOME
        assert found.privacy_models["k-anonymity"] is KAnonymity
        assert [broken.distribution for broken in found.broken] == ["aaa"]

    @pytest.mark.parametrize(
        ("hook", "name"),
        [(f"register_{kind}s", n) for kind in TAKEN for n in sorted(TAKEN[kind])],
    )
    def test_a_built_in_command_or_page_is_taken(self, shop, hook, name):
        shop.offer("acme", hook, name)
        (broken,) = shop.registry().broken
        assert f"'{name}' is registered by {HOME} and by acme" in broken.reason

    def test_the_built_in_commands_are_those_of_anon(self):
        app = pytest.importorskip("anon_transformers.cli._app").app
        named = {command.name for command in app.registered_commands}
        assert named | {group.name for group in app.registered_groups} == COMMANDS


class TestMistakes:
    @pytest.mark.parametrize("hook", ["register_metrics", "register_metric"])
    def test_a_hook_without_its_mark(self, shop, hook):
        source = offers(hook, "a").replace("@hookimpl\n", "")
        shop.install("acme", {"acme": "unmarked"}, unmarked=source)
        (broken,) = shop.registry().broken
        assert f"{hook} lacks the mark @hookimpl" in broken.reason

    def test_a_plugin_that_offers_nothing(self, shop):
        source = (
            "from anon_transformers.hierarchies import register_data_type\n"
            "from anon_transformers.hookspecs import hookimpl, register_metrics\n"
        )
        shop.install("acme", {"acme": "idle"}, idle=source)
        (broken,) = shop.registry().broken
        assert "it offers nothing" in broken.reason

    @pytest.mark.parametrize("hook", ["register_anonymizer", "register_anonymisers"])
    def test_a_misspelled_hook(self, shop, hook):
        shop.offer("acme", hook, "a")
        with pytest.raises(
            PluginError, match=rf"'acme' of acme.*'{hook}'; did you mean 'register_"
        ) as error:
            shop.sound_registry()
        assert "register_anonymizers" in str(error.value)

    def test_a_wrong_argument(self, shop):
        source = offers("register_metrics", "a").replace("(register):", "(registry):")
        shop.install("acme", {"acme": "wrong"}, wrong=source)
        with pytest.raises(
            PluginError, match=r"'acme' of acme.*registry.*argument register\."
        ):
            shop.sound_registry()

    @pytest.mark.parametrize(
        "name",
        ["Upper", "under_score", "", "-a", "a-", "a--b", "1a", "a b", "é", 5, None],
    )
    def test_a_bad_name(self, shop, name):
        shop.offer("acme", "register_metrics", name)
        with pytest.raises(
            PluginError, match=r"acme registers the metric .*lower case"
        ):
            shop.sound_registry()

    @pytest.mark.parametrize("name", ["a", "k-anonymity", "t2", "a1-b2-c3"])
    def test_a_good_name(self, shop, name):
        shop.offer("acme", "register_metrics", name)
        assert list(shop.registry().metrics) == [name]


NOISE = """
from anon_transformers import hookimpl
from anon_transformers.base import TableAnonymizer

class AddNoise(TableAnonymizer):
    {declared}

@hookimpl
def register_anonymizers(register):
    register("add-noise", {item}, summary="Adds noise.")
"""


class TestNoise:
    """What no privacy model judges is told so where it is registered."""

    @pytest.mark.parametrize(
        ("thing", "reason"),
        [
            ("type('AddNoise', (), {})", "it is no TableAnonymizer"),
            ("type('AddNoise', (), {'kind': 'tables'})", "did you mean 'table'"),
            (
                "type('AddNoise', (), {'kind': 'table', 'publishes': 'noise'})",
                "no privacy model judges cells that are changed at random",
            ),
        ],
    )
    def test_a_class_is_refused_at_once(self, shop, thing, reason):
        source = offers("register_anonymizers", "add-noise", thing)
        shop.install("acme", {"acme": "noisy"}, noisy=source)
        with pytest.raises(
            PluginError, match=f"acme registers the anonymizer 'add-noise'.*{reason}"
        ):
            shop.sound_registry()

    def test_a_class_that_is_named_is_a_fault_of_its_plugin(self, shop):
        source = NOISE.format(declared="publishes = 'noise'", item="'noisy:AddNoise'")
        shop.install("acme", {"acme": "noisy"}, noisy=source)
        found = shop.registry()
        assert found.anonymizers.summary("add-noise") == "Adds noise."
        (broken,) = found.unresolved()
        assert (broken.name, broken.distribution) == ("add-noise", "acme")
        for word in ("noise or PRAM", "scikit-learn", "'record-intruder'"):
            assert word in broken.reason
        with pytest.raises(PluginError, match="acme registers the anonymizer"):
            found.anonymizers["add-noise"]

    def test_parameters_that_make_noise_are_refused_before_a_table_is_read(self, shop):
        declared = (
            "def __init__(self, sigma=0):\n"
            "        self.sigma = sigma\n"
            "    @property\n"
            "    def publishes(self):\n"
            "        return 'noise' if self.sigma else 'labels'\n"
        )
        source = NOISE.format(declared=declared, item="AddNoise")
        shop.install("acme", {"acme": "noisy"}, noisy=source)
        found = shop.registry()
        assert found.anonymizers.build("add-noise", {}).publishes == "labels"
        with pytest.raises(ParameterError, match="no privacy model judges"):
            found.anonymizers.build("add-noise", {"sigma": 1})

    def test_every_kind_of_anonymizer_has_checks(self):
        assert set(CHECKS_BY_KIND) == set(ANONYMIZER_KINDS)


class TestUnfit:
    @pytest.mark.parametrize("hook", sorted(set(THINGS) - {"register_anonymizers"}))
    def test_an_object_that_is_none_of_the_kind(self, shop, hook):
        source = offers(hook, "nothing", "type('Thing', (), {'kind': 'table'})")
        shop.install("acme", {"tools": "odd"}, odd=source)
        found = shop.registry()
        kind = hook.removeprefix("register_")
        (broken,) = found.broken
        assert f"the {KINDS[kind]} 'nothing': it lacks " in broken.reason
        assert broken.reason.endswith(f"{hook} shows a whole {KINDS[kind]}.")
        assert not getattr(found, kind)

    def test_where_it_lies_is_looked_at_when_it_is_asked_for(self, shop):
        call = "register('nothing', 'far:Thing', summary='Nothing.')"
        source = "from anon_transformers import hookimpl\n@hookimpl\n"
        source += f"def register_attacks(register):\n    {call}\n"
        shop.install("acme", {"tools": "odd"}, odd=source, far="class Thing: pass\n")
        found = shop.registry()
        assert "it lacks kind, needs, run_on" in found.attacks.fault("nothing")
        with pytest.raises(PluginError, match="it lacks kind, needs, run_on"):
            _ = found.attacks["nothing"]

    def test_a_hook_that_could_offer_nothing(self, shop):
        source = "from anon_transformers import hookimpl\n@hookimpl\n"
        source += "def register_metrics():\n    pass\n"
        shop.install("acme", {"tools": "odd"}, odd=source)
        (broken,) = shop.registry().broken
        assert "register_metrics has no argument register" in broken.reason


class TestBroken:
    @pytest.mark.parametrize(
        ("source", "reason"),
        [
            ("import no_such_module", "ModuleNotFoundError.*no_such_module"),
            ("def broken(:", "SyntaxError"),
            ("raise RuntimeError('out of order')", "RuntimeError: out of order"),
            ("import sys; sys.exit(3)", "SystemExit: 3"),
        ],
    )
    def test_a_module_that_cannot_be_imported(self, shop, source, reason):
        shop.install("acme", {"tools": "bad"}, bad=source)
        shop.offer("zeta", "register_metrics", "a")
        found = shop.registry()
        (broken,) = found.broken
        assert (broken.name, broken.distribution) == ("tools", "acme")
        assert re.search(reason, broken.reason)
        assert list(found.metrics) == ["a"]
        with pytest.raises(PluginError, match=f"tools of acme .*{reason}"):
            found.refuse_broken()

    def test_an_object_that_is_not_there(self, shop):
        shop.install("acme", {"tools": "empty:plugin"}, empty="")
        assert shop.registry().broken[0].reason.startswith("AttributeError")

    @pytest.mark.parametrize("error", ["ValueError('no')", "SystemExit('no')"])
    def test_a_hook_that_raises(self, shop, error):
        source = offers("register_metrics", "a") + f"    raise {error}\n"
        shop.install("acme", {"tools": "bad"}, bad=source)
        shop.offer("zeta", "register_metrics", "b")
        found = shop.registry()
        assert [broken.distribution for broken in found.broken] == ["acme"]
        assert found.broken[0].reason.endswith("Error: no") or "Exit" in error
        assert "b" in found.metrics
        with pytest.raises(PluginError, match="acme"):
            found.refuse_broken()

    def test_one_hook_that_raises_leaves_the_plugin_out_whole(self, shop):
        source = offers("register_metrics", "a") + offers("register_attacks", "b")
        shop.install("acme", {"tools": "bad"}, bad=source + "    raise ValueError\n")
        shop.offer("zeta", "register_metrics", "c")
        found = shop.registry()
        assert [list(found.metrics), list(found.attacks)] == [["c"], []]
        assert found.owners() == {"zeta"}

    def test_a_release_tells_each_in_a_line(self, shop):
        hooks = ("register_experiments", "register_commands")
        torn = [offers(hook, "a") + "    raise ValueError('a\\nb')\n" for hook in hooks]
        shop.install("acme", {"tools": "bad"}, bad="".join(torn))
        shop.install("zeta", {"zeta": "worse"}, worse="import no_such_module")
        with pytest.raises(PluginError) as refused:
            shop.registry().refuse_broken()
        assert str(refused.value).splitlines() == [
            "broken plugins:",
            "- zeta of zeta (ModuleNotFoundError: No module named 'no_such_module')",
            "- tools of acme (ValueError: a b; ValueError: a b)",
        ]

    def test_a_sound_house_refuses_nothing(self, shop):
        shop.offer("acme", "register_metrics", "a")
        assert shop.registry().broken == ()
        shop.registry().refuse_broken()


class TestSwitches:
    def test_some_are_left_out_by_name(self, shop, monkeypatch):
        for name in ("one", "two", "three"):
            shop.offer(name, "register_metrics", name)
        monkeypatch.setenv("ANON_DISABLE_PLUGINS", " one, three ,unheard-of")
        assert list(shop.registry().metrics) == ["two"]

    def test_a_disabled_plugin_is_not_even_imported(self, shop, monkeypatch):
        shop.install("acme", {"tools": "bad"}, bad="raise RuntimeError")
        monkeypatch.setenv("ANON_DISABLE_PLUGINS", "tools")
        assert shop.registry().broken == ()
        assert "bad" not in sys.modules

    def test_a_built_in_may_be_left_out(self, monkeypatch):
        monkeypatch.setenv("ANON_DISABLE_PLUGINS", "partitioning")
        found = create_registry(entry_points(group=hookspecs.PROJECT))
        assert "mondrian" not in found.anonymizers
        assert "k-anonymity" in found.privacy_models

    def test_all_strangers_are_left_out(self, shop, monkeypatch):
        shop.offer("acme", "register_metrics", "a")
        monkeypatch.setenv("ANON_DISABLE_PLUGIN_AUTOLOAD", "1")
        found = create_registry(entry_points(group=hookspecs.PROJECT))
        assert "a" not in found.metrics
        assert "mondrian" in found.anonymizers

    @pytest.mark.parametrize("off", ["", "0"])
    def test_the_switch_may_be_off(self, shop, monkeypatch, off):
        shop.offer("acme", "register_metrics", "a")
        monkeypatch.setenv("ANON_DISABLE_PLUGIN_AUTOLOAD", off)
        assert "a" in shop.registry().metrics


def test_an_object_may_be_named_by_where_it_lies(shop):
    source = (
        "from anon_transformers.hookspecs import hookimpl\n"
        "@hookimpl\n"
        "def register_experiments(register):\n"
        "    register('late', 'json:JSONDecoder', summary='Decodes.')\n"
        "    register('gone', 'json.nowhere:Nothing', summary='Is not there.')\n"
    )
    shop.install("late-programs", {"late": "late_programs"}, late_programs=source)
    found = shop.registry()
    assert found.experiments.summary("late") == "Decodes."
    assert found.experiments["late"] is json.JSONDecoder
    (broken,) = found.unresolved()
    assert (broken.name, broken.distribution) == ("gone", "late-programs")
    with pytest.raises(PluginError, match="'gone' of late-programs cannot be loaded"):
        found.experiments["gone"]


@pytest.mark.parametrize(
    "fault", ["raise ValueError('no')", "raise SystemExit('no')", "import nowhere"]
)
def test_a_module_that_cannot_be_imported_is_a_fault_of_its_plugin(shop, fault):
    source = (
        "from anon_transformers.hookspecs import hookimpl\n"
        "@hookimpl\n"
        "def register_metrics(register):\n"
        "    register('late', 'late_fault:Late', summary='Is late.')\n"
    )
    shop.install(
        "late", {"late": "late_metrics"}, late_metrics=source, late_fault=fault
    )
    found = shop.registry()
    (broken,) = found.unresolved()
    with pytest.raises(PluginError, match="'late' of late cannot be loaded") as caught:
        found.metrics["late"]
    assert broken.reason in str(caught.value)


@pytest.mark.parametrize(
    "call", ["register('x', 'json:JSONDecoder')", "register('x', 'json', summary='s')"]
)
def test_where_an_object_lies_is_said_whole_and_with_a_summary(shop, call):
    source = (
        "from anon_transformers.hookspecs import hookimpl\n"
        f"@hookimpl\ndef register_metrics(register):\n    {call}\n"
    )
    shop.install("hasty", {"hasty": "hasty"}, hasty=source)
    with pytest.raises(PluginError, match=r"package\.module:Name"):
        shop.sound_registry()
