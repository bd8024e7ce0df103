"""What this distribution offers, by name; nothing else happens on import."""

from anon_transformers.hookspecs import hookimpl
from anon_transformers_template.prefix import PrefixAnonymizer
from anon_transformers_template.range_diversity import RangeDiversity


@hookimpl
def register_anonymizers(register):
    register("prefix", PrefixAnonymizer)


@hookimpl
def register_privacy_models(register):
    register("range-diversity", RangeDiversity)
