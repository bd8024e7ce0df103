"""A release: load, anonymize, validate, publish, from one configuration file."""

from typing import TYPE_CHECKING

from anon_transformers.lazy import lazy_names

if TYPE_CHECKING:
    from anon_transformers.release._advice import Advice, advise
    from anon_transformers.release._anonymize import anonymize
    from anon_transformers.release._check import check_release
    from anon_transformers.release._config import (
        ReleaseConfig,
        Threshold,
        read_config,
    )
    from anon_transformers.release._load import load
    from anon_transformers.release._manifest import measure_published
    from anon_transformers.release._publish import publish
    from anon_transformers.release._reading import read_published
    from anon_transformers.release._status import release_status
    from anon_transformers.release._steps import run_release
    from anon_transformers.release._tighten import tighten
    from anon_transformers.release._under_way import abandon
    from anon_transformers.release._validate import validate
    from anon_transformers.release._verification import verify_published
else:
    __getattr__, __dir__ = lazy_names(__name__, __file__)

__all__ = [
    "Advice",
    "ReleaseConfig",
    "Threshold",
    "abandon",
    "advise",
    "anonymize",
    "check_release",
    "load",
    "measure_published",
    "publish",
    "read_config",
    "read_published",
    "release_status",
    "run_release",
    "tighten",
    "validate",
    "verify_published",
]
