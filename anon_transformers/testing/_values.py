"""What models and metrics have in common: they are values."""

import pickle
from copy import copy
from dataclasses import FrozenInstanceError, fields, is_dataclass, replace
from typing import Any

from anon_transformers.testing._contract import require


def check_is_frozen_value(item: Any) -> None:
    """Equal parameters make equal, hashable, unchangeable objects."""
    sentence = "A privacy model or metric is a frozen dataclass."
    require(is_dataclass(item), sentence, f"{type(item).__name__} is no dataclass")
    require(_is_frozen(item), sentence, f"{type(item).__name__} can be changed")
    sentence = "Equal parameters make equal, hashable objects that survive a pickle."
    twin = replace(item)
    require(twin == item, sentence, "an equal copy that is another")
    try:
        same = hash(twin) == hash(item)
    except TypeError as error:
        raise AssertionError(f"{sentence} Found: {error}.") from error
    require(same, sentence, "two hashes")
    require(
        pickle.loads(pickle.dumps(item)) == item, sentence, "another after a pickle"
    )


def _is_frozen(item: Any) -> bool:
    """Try to change a copy, so that the caller's object stays as it is."""
    name = next((field.name for field in fields(item)), "name")
    changed = copy(item)
    try:
        setattr(changed, name, getattr(item, name))
    except FrozenInstanceError:
        return True
    return False
