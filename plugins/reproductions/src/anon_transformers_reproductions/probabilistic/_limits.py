"""What the guarantee is not: values, models of dependence; and MDAV's records."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd

from anon_transformers.evidence import Linkage
from anon_transformers.experiments import NOT_RUN
from anon_transformers.privacy.probabilistic import (
    record_hits,
    regression_hits,
    value_disclosure,
)
from anon_transformers.registry import registry

CHANCE = {"records": 0.05, "values": 0.1}
"""How far the recomputed numbers, one random draw each, may be from a mean."""
DRAWS = 10
SWAPS = {
    "IR-SWAP": {"grouping": "individual-ranking"},
    "MDAV-SWAP": {"grouping": "mdav"},
}
NAIVE_RUNS = 20


def limit_findings(
    reported: Mapping[str, Any], tables: Mapping[str, pd.DataFrame], seed: int
) -> Iterator[dict[str, Any]]:
    """One finding a recomputed number about the limits of the guarantee."""
    yield from _records(reported, tables)
    census = tables.get("census")
    roles = reported["data_sets"]["census"]
    yield from _values(reported["value_disclosure"], roles, census, seed)
    yield from _regressions(reported["regression"], roles, census, seed)
    yield from _naive(reported["naive"], roles, census, seed)


def _finding(
    where: str,
    named: tuple[str, str, int],
    measure: str,
    recomputed: float,
    ours: float | None,
    allowed: float,
) -> dict[str, Any]:
    data_set, method, k = named
    equal = None if ours is None else abs(ours - recomputed) <= allowed
    return {
        "where": where,
        "data_set": data_set,
        "method": method,
        "k": k,
        "measure": measure,
        "published": None,
        "recomputed": recomputed,
        "ours": ours,
        "equal": equal,
        "reason": NOT_RUN if ours is None else "",
    }


def _records(
    reported: Mapping[str, Any], tables: Mapping[str, pd.DataFrame]
) -> Iterator[dict[str, Any]]:
    """Information loss of MDAV on standardized columns, in percent."""
    make = registry().anonymizers["mdav"]
    for record in reported["records"]:
        name, k, ours = record["data_set"], record["k"], None
        if name in tables:
            ours = 100 * make(k=k).fit(tables[name]).information_loss_
        named = (name, "mdav", k)
        yield _finding(
            "records", named, "100 SSE / SST", record["recomputed"], ours, 5e-5
        )


def _linkage(
    table: pd.DataFrame,
    quasi_identifiers: list[str],
    sensitive: list[str],
    **params: Any,
) -> Linkage:
    """A swapped table beside its original."""
    swapper = registry().anonymizers["group-swap"](
        quasi_identifiers, sensitive=sensitive, keep_links=True, **params
    )
    return swapper.linkage(table, swapper.fit_transform(table))


def _values(
    given: Mapping[str, Any],
    roles: Mapping[str, Any],
    census: pd.DataFrame | None,
    seed: int,
) -> Iterator[dict[str, Any]]:
    """Chance of a published value to be the own one, by column."""
    k, found = given["k"], {}
    for method, grouping in SWAPS.items():
        if census is not None:
            linkage = _linkage(
                census,
                roles["known"],
                roles["sensitive"],
                k=k,
                random_state=seed,
                **grouping,
            )
            for name in roles["sensitive"]:
                found[method, name] = value_disclosure(linkage, name)[name]
    for name, ranked, constant, grouped in given["rows"]:
        for method, measure, recomputed in (
            ("IR-SWAP", "probability", ranked),
            ("IR-SWAP", "constant", constant),
            ("MDAV-SWAP", "probability", grouped),
        ):
            of = found.get((method, name))
            ours = None if of is None else getattr(of, measure)
            named = ("census", method, k)
            text = f"{measure} of the own value, {name}"
            yield _finding("value disclosure", named, text, recomputed, ours, 6e-4)


def _regressions(
    rows: list[list[Any]],
    roles: Mapping[str, Any],
    census: pd.DataFrame | None,
    seed: int,
) -> Iterator[dict[str, Any]]:
    """Hits of an intruder who learns how columns depend on each other."""
    for method, k in dict.fromkeys((row[0], row[1]) for row in rows):
        linkages = [
            _linkage(
                census,
                roles["known"],
                roles["sensitive"],
                k=k,
                random_state=np.random.default_rng(one),
                **SWAPS[method],
            )
            for one in np.random.SeedSequence([seed, k]).spawn(DRAWS)
            if census is not None
        ]
        for _, _, name, *recomputed in (r for r in rows if r[:2] == [method, k]):
            found = [regression_hits(linkage, name)[name] for linkage in linkages]
            for measure, number in zip(CHANCE, recomputed, strict=True):
                shares = [getattr(hits, measure) for hits in found]
                ours = float(np.mean(shares)) if shares else None
                text = f"{measure} found by regression, {name}"
                yield _finding(
                    "regression intruder",
                    ("census", method, k),
                    text,
                    number,
                    ours,
                    CHANCE[measure],
                )


def _naive(
    rows: list[list[Any]],
    roles: Mapping[str, Any],
    census: pd.DataFrame | None,
    seed: int,
) -> Iterator[dict[str, Any]]:
    """Hits of an intruder who links by the own quasi-identifiers."""
    for k, recomputed, _, _ in rows:
        ours = None
        if census is not None:
            shares = []
            for one in np.random.SeedSequence([seed, k]).spawn(NAIVE_RUNS):
                linkage = _linkage(
                    census,
                    roles["known"],
                    roles["sensitive"],
                    k=k,
                    scenario="uninformed",
                    random_state=np.random.default_rng(one),
                )
                (moved,) = linkage.moved
                shares.append(record_hits(linkage, moved).hits / linkage.n_rows)
            ours = float(np.mean(shares))
        # A run's hits have variance 1 a group: five standard errors of the mean.
        allowed = 5 * np.sqrt(recomputed / (1080 * NAIVE_RUNS))
        named = ("census", "MDAV-SWAP", k)
        text = "hit rate, uninformed"
        yield _finding("naive intruder", named, text, recomputed, ours, allowed)
