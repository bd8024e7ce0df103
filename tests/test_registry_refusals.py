"""The plugin door: who is refused, and who is to blame."""

import re

import pytest

from anon_transformers.exceptions import ParameterError, PluginError
from anon_transformers.registry import (
    ANONYMIZER_KINDS,
    KINDS,
)
from anon_transformers.testing._anonymizers import CHECKS_BY_KIND
from tests.plugin_shop import THINGS, offers

MADE = {"commands", "experiments", "hierarchy_builders", "readers", "writers"}


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

    @pytest.mark.parametrize("hook", [f"register_{kind}" for kind in sorted(MADE)])
    def test_a_value_that_cannot_be_called(self, shop, hook):
        shop.install("acme", {"tools": "odd"}, odd=offers(hook, "nothing", "3"))
        found = shop.registry()
        (broken,) = found.broken
        assert "'nothing': it is a value of type int and cannot be" in broken.reason
        assert not getattr(found, hook.removeprefix("register_"))

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
