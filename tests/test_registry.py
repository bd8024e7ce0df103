"""The plugin door: what plugins offer, who comes first, and what is left out."""

import doctest
import inspect
import json
import re
import sys
from importlib.metadata import entry_points
from pathlib import Path

import pytest

from anon_transformers import hookspecs
from anon_transformers.exceptions import ParameterError, PluginError
from anon_transformers.privacy import KAnonymity
from anon_transformers.registry import (
    COMMANDS,
    HOME,
    KINDS,
    TAKEN,
    create_registry,
)
from tests.plugin_shop import offers

HOOKS = sorted(name for name in vars(hookspecs) if name.startswith("register_"))


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
            "        register('a', print)\n"
            "plugin = Plugin()\n"
        )
        shop.install("acme", {"acme": "acme_module:plugin"}, acme_module=source)
        assert dict(shop.registry().experiments) == {"a": print}

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
