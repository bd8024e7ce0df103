"""Groups of values that have no order: by a word they share, by how often they occur.

Each function gives, level by level, the group of every value; groups of one level lie
in groups of the next. Labels are made of words of the values and of stated words.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from difflib import SequenceMatcher

from anon_transformers._data.readings import read_text
from anon_transformers.hierarchies._levels import ROOT
from anon_transformers.hierarchies._written_ranges import in_order, joined_label

RARE_SHARES = (0.001, 0.01, 0.05, 0.2)
"""Values below these shares of the persons are joined, level by level."""
OTHERS = "other values (each below "
"""What the label of such a group begins with; the share follows, the same for every
table, so that no label means one thing at one level and another at the next."""
FEWEST_RARE = 2
"""A group of one value hides nothing."""
COMMON_TOKEN = 0.5
"""A word that more of the values share groups nothing."""
SHORTEST_TOKEN = 3
SIMILAR = 0.88
"""From this ratio of common characters on, two texts are taken for spellings of one."""
MOST_COMPARED = 400
"""Texts that are compared with one another: their pairs grow with the square."""
PREFIXES = (3, 2, 1)
_TOKEN = re.compile(r"[^\W\d_]+")
Levels = list[list[str]]


def ordered_levels(values: Sequence[str]) -> Levels:
    """Neighbors among ranges are joined two by two, as long as several are left.

    Examples
    --------
    >>> ordered_levels(["[0-10)", "[20-30)", "[10-20)"])
    [['[0, 20)', '[20-30)', '[0, 20)']]
    """
    places = {text: at for at, text in enumerate(in_order(values))}
    in_place = in_order(values)
    levels, width = [], 2
    while width < len(values):
        names = {
            at // width: joined_label(in_place[at : at + width])
            for at in range(0, len(values), width)
        }
        levels.append([names[places[value] // width] for value in values])
        width *= 2
    return levels


def prefix_levels(values: Sequence[str]) -> Levels:
    """Codes by their first characters, where that joins some of them.

    Examples
    --------
    >>> prefix_levels(["250.83", "250.01", "276", "V45"])
    [['250*', '250*', '276*', 'V45*'], ['2*', '2*', '2*', 'V*']]
    """
    before = len(values)
    levels = []
    for length in PREFIXES:
        # A code that is shorter is a whole of its own, and no part of longer ones.
        labels = [v if len(v) < length else f"{v[:length]}*" for v in values]
        n_groups = len(set(labels))
        if n_groups < before and n_groups > 1:
            levels.append(labels)
            before = n_groups
    return levels


def frequency_levels(values: Sequence[str], counts: Sequence[int]) -> Levels:
    """Rare values are joined; how rare they are grows from level to level.

    Examples
    --------
    >>> frequency_levels(["1", "2", "3", "4"], [960, 30, 6, 4])
    [['1', '2', 'other values (each below 1 %)', 'other values (each below 1 %)'], \
['1', 'other values (each below 5 %)', 'other values (each below 5 %)', \
'other values (each below 5 %)']]
    """
    total, levels, before = sum(counts), [], 0
    for share in RARE_SHARES:
        rare = [count < share * total for count in counts]
        if before < sum(rare) < len(values) and sum(rare) >= FEWEST_RARE:
            name = f"{OTHERS}{share * 100:g} %)"
            levels.append([name if r else v for v, r in zip(values, rare, strict=True)])
            before = sum(rare)
    return levels


def is_by_frequency(label: str) -> bool:
    """Whether a label stands for values by how often they occur.

    Examples
    --------
    >>> is_by_frequency("other values (each below 5 %)"), is_by_frequency("Ulm")
    (True, False)
    """
    return label.startswith(OTHERS)


def word_levels(values: Sequence[str], counts: Sequence[int] | None) -> Levels:
    """Words by what they share, then by how often the groups occur.

    Examples
    --------
    >>> towns = ["Surgery-General", "Surgery-Thoracic", "Urology", "Neurology"]
    >>> word_levels(towns, None)
    [['any Surgery', 'any Surgery', 'Urology', 'Neurology']]
    """
    groups = similar_values(values)
    joined = len(set(groups)) < len(values)
    levels = [groups] if joined and len(set(groups)) > 1 else []
    below = groups if levels else list(values)
    if counts is None:
        return levels
    held: Counter[str] = Counter()
    for group, count in zip(below, counts, strict=True):
        held[group] += count
    names = list(held)
    for level in frequency_levels(names, [held[name] for name in names]):
        label = dict(zip(names, level, strict=True))
        levels.append([label[group] for group in below])
    return levels


def similar_values(values: Sequence[str]) -> list[str]:
    """A name of a group for each value: of those with its word or its spelling.

    The word is the one that most other values have, of those that few enough have to
    group something. What shares none, and is no spelling of another, stands alone.
    """
    held: dict[str, set[int]] = defaultdict(set)
    shown: dict[str, Counter[str]] = defaultdict(Counter)
    tokens = [_tokens(value) for value in values]
    for at, found in enumerate(tokens):
        for key, word in found.items():
            held[key].add(at)
            shown[key][word] += 1
    most = max(FEWEST_RARE, COMMON_TOKEN * len(values))
    useful = {
        k: len(rows) for k, rows in held.items() if FEWEST_RARE <= len(rows) <= most
    }
    chosen = [
        max(
            (key for key in found if key in useful),
            key=useful.__getitem__,
            default=None,
        )
        for found in tokens
    ]
    sizes = Counter(key for key in chosen if key is not None)
    groups = [
        value
        if key is None or sizes[key] < FEWEST_RARE
        else f"any {shown[key].most_common(1)[0][0]}"
        for value, key in zip(values, chosen, strict=True)
    ]
    return _with_spellings(values, groups)


def _tokens(value: str) -> Mapping[str, str]:
    """Words of a value by how they are compared, in their order."""
    words = [w for w in _TOKEN.findall(value) if len(w) >= SHORTEST_TOKEN]
    return {read_text(word).casefold(): word for word in words}


def _with_spellings(values: Sequence[str], groups: list[str]) -> list[str]:
    """Join values that stand alone and are nearly spelled alike."""
    alone = [at for at, (v, g) in enumerate(zip(values, groups, strict=True)) if v == g]
    if len(alone) > MOST_COMPARED:
        return groups
    heads: list[str] = []
    of_head: dict[str, list[int]] = {}
    for at in alone:
        text = values[at].casefold()
        head = next((h for h in heads if _alike(h, text)), None)
        if head is None:
            heads.append(text)
            head = text
        of_head.setdefault(head, []).append(at)
    for places in of_head.values():
        if len(places) >= FEWEST_RARE:
            name = f"like {values[places[0]]}"
            for at in places:
                groups[at] = name
    return groups


def _alike(one: str, other: str) -> bool:
    # Spellings of words; numbers and short codes that differ by a sign are others.
    if min(len(one), len(other)) <= SHORTEST_TOKEN + 1 or not one.isalpha():
        return False
    matcher = SequenceMatcher(None, one, other, autojunk=False)
    return matcher.quick_ratio() >= SIMILAR and matcher.ratio() >= SIMILAR


def as_rows(values: Sequence[str], levels: Levels) -> list[tuple[str, ...]]:
    """Rows of a hierarchy; a label that means two things gets another name.

    A name that is also a value, or stands at another level for other values, would be
    read in two ways where levels are mixed.
    """
    taken: dict[str, frozenset[int]] = {v: frozenset([i]) for i, v in enumerate(values)}
    taken[ROOT] = frozenset(range(len(values)))
    renamed = []
    for level in levels:
        members: dict[str, set[int]] = defaultdict(set)
        for at, label in enumerate(level):
            members[label].add(at)
        names = {}
        for label, held in members.items():
            name = label
            while taken.get(name, frozenset(held)) != frozenset(held):
                name += " (group)"
            taken[name] = frozenset(held)
            names[label] = name
        renamed.append([names[label] for label in level])
    return [
        (value, *(level[at] for level in renamed), ROOT)
        for at, value in enumerate(values)
    ]
