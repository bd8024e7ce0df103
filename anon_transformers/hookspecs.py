"""Where a plugin may step in.

A plugin is a module (or an object) with one function per hook, and an entry point in
the group ``anon_transformers`` that names it, as in ``pyproject.toml``::

    [project.entry-points."anon_transformers"]
    mine = "my_package.plugin"

Each hook is handed ``register(name, obj)`` and calls it once for everything it
offers. Names are lower case with hyphens. In place of an object
``register(name, "package.module:Name", summary="What it is.")`` says where it lies:
it is imported when it is asked for, and ``anon list`` shows the summary. A plugin that
names everything so costs nothing when ``anon`` starts.

The examples are whole: what stands in them can be copied into such a module. Where
:mod:`anon_transformers.testing` has a check of what is offered, the example ends with
it, for the tests of the plugin. (Checks of classes need a module, for they pickle
them.)
"""

import pluggy

PROJECT = "anon_transformers"

hookspec = pluggy.HookspecMarker(PROJECT)
hookimpl = pluggy.HookimplMarker(PROJECT)


@hookspec
def register_anonymizers(register):
    """Offer anonymizers: ``register(name, estimator_class)``.

    An anonymizer is a subclass of ``TableAnonymizer`` (recodes quasi-identifiers),
    ``LinkedAnonymizer`` (swaps cells) or ``GraphAnonymizer`` of
    :mod:`anon_transformers.base`. The base class opens the data, judges the result and
    writes it; a subclass of ``TableAnonymizer`` implements ``_learn(table, models)``
    and ``_recode(table)``. One that is bound to the rows it saw (``row_bound = True``)
    returns from ``_learn`` what it publishes of them. ``publishes`` says what it puts
    into quasi-identifiers. What no privacy model judges (``publishes = "noise"``: added
    noise, PRAM) is refused here.

    Check it with :func:`anon_transformers.testing.check_anonymizer`.

    Parameters
    ----------
    register : callable
        Called with a name and a class.

    Examples
    --------
    >>> import numpy as np
    >>> from anon_transformers.base import (
    ...     PublishedColumn, TableAnonymizer, range_label, set_label
    ... )
    >>> from anon_transformers.hookspecs import hookimpl
    >>> class Doubling(TableAnonymizer):
    ...     \"\"\"Join neighboring values, twice as many each time, until k hold.\"\"\"
    ...
    ...     row_bound = True
    ...
    ...     @classmethod
    ...     def test_instances(cls):
    ...         return [cls(k=2)]
    ...
    ...     def _learn(self, table, models):
    ...         most = max(len(column.values) for column in table.quasi_identifiers)
    ...         self.size_ = 1
    ...         while True:
    ...             published = [self._join(c) for c in table.quasi_identifiers]
    ...             done = self._can_publish(table, published, models)
    ...             if done or self.size_ >= most:
    ...                 return published
    ...             self.size_ *= 2
    ...
    ...     def _join(self, column):
    ...         texts, size = column.texts().tolist(), self.size_
    ...         parts = [texts[at : at + size] for at in range(0, len(texts), size)]
    ...         every = len(parts) <= 1  # then it covers missing cells, too
    ...         labels = [
    ...             range_label(part[0], part[-1], missing=every)
    ...             if column.ordered
    ...             else set_label(part, missing=every, longest=None)
    ...             for part in parts
    ...         ]
    ...         others = max(len(texts) - 1, 1)
    ...         shares = [(len(part) - 1) / others for part in parts]
    ...         part_of = np.arange(len(texts)) // size
    ...         part_of = np.append(part_of, 0 if every else len(parts))
    ...         return PublishedColumn(
    ...             part_of[column.codes],
    ...             np.array([*labels, None], dtype=object),
    ...             np.array([*shares, 0.0]),
    ...         )
    >>> @hookimpl
    ... def register_anonymizers(register):
    ...     register("doubling", Doubling)
    >>> import pandas as pd
    >>> people = pd.DataFrame({"age": [20, 24, 31, 38], "ill": list("abba")})
    >>> Doubling(["age"], k=2).fit_transform(people)
            age ill
    0  [20, 24]   a
    1  [20, 24]   b
    2  [31, 38]   b
    3  [31, 38]   a
    >>> from anon_transformers.testing import check_anonymizer
    >>> check_anonymizer(Doubling)  # doctest: +SKIP
    """


@hookspec
def register_privacy_models(register):
    """Offer privacy models: ``register(name, model_class)``.

    A privacy model is a frozen dataclass that judges evidence, never a table:
    ``satisfied(evidence)`` returns one boolean per class, ``level(evidence)`` a plain
    number. Its class attributes say what it judges (``evidence``), which levels are
    better, what becomes of it when classes merge (``merging``: ``"any"``,
    ``"satisfying"`` or ``"none"``) and which way of each parameter asks for more
    (``tighter``). ``Classes.sizes`` and the counts of values are of persons where a
    subject tells them apart, and so are ``Classes.rows`` for a model, which cannot
    count rows there by mistake. The last column of ``SensitiveCounts.counts`` counts
    missing values, each of which may be any value.

    A model need not see that ``HIV`` and ``hiv`` are one value: it is asked a second
    time, with values as people read them, and the worse answer counts.

    Check it with :func:`anon_transformers.testing.check_privacy_model`.

    Parameters
    ----------
    register : callable
        Called with a name and a class.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> from typing import ClassVar
    >>> import numpy as np
    >>> from anon_transformers.exceptions import NotEvaluable
    >>> from anon_transformers.hookspecs import hookimpl
    >>> @dataclass(frozen=True)
    ... class MostFrequent:
    ...     \"\"\"No sensitive value is held by more than a share of a class.\"\"\"
    ...
    ...     share: float = 0.8
    ...     sensitive: str | None = None
    ...     name: ClassVar[str] = "most-frequent"
    ...     evidence: ClassVar[str] = "classes"
    ...     better: ClassVar[str] = "lower"
    ...     merging: ClassVar[str] = "satisfying"
    ...     tighter: ClassVar[dict[str, str]] = {"share": "lower"}
    ...
    ...     @classmethod
    ...     def test_instances(cls):
    ...         return [cls(share=0.8)]
    ...
    ...     def _shares(self, classes):
    ...         if not classes.n_classes:
    ...             raise NotEvaluable("there is no class to judge.")
    ...         columns = classes.sensitive_columns(self.sensitive)
    ...         shares = [self._largest(column) for column in columns]
    ...         return np.max(shares, axis=0)
    ...
    ...     def _largest(self, column):
    ...         counts, everybody = column.counts.toarray(), column.totals
    ...         known, missing = counts[:, :-1], counts[:, -1]
    ...         # Who does not tell may hold the most frequent value, too.
    ...         held = known.max(axis=1, initial=0) + missing
    ...         return np.minimum(held / np.maximum(everybody, 1), 1)
    ...
    ...     def satisfied(self, classes):
    ...         return self._shares(classes) <= self.share
    ...
    ...     def level(self, classes):
    ...         return float(self._shares(classes).max())
    >>> @hookimpl
    ... def register_privacy_models(register):
    ...     register("most-frequent", MostFrequent)
    >>> from anon_transformers import Classes
    >>> table = {"age": ["<50"] * 4 + [">=50"] * 2, "ill": list("aaabab")}
    >>> classes = Classes.from_frame(table, ["age"], sensitive=["ill"])
    >>> MostFrequent(share=0.5).satisfied(classes)
    array([False,  True])
    >>> MostFrequent(share=0.5).level(classes)
    0.75
    >>> from anon_transformers.privacy import judge
    >>> spelled = {"age": [20] * 4, "ill": ["HIV", "hiv", "HIV ", "flu"]}
    >>> classes = Classes.from_frame(spelled, ["age"], sensitive=["ill"])
    >>> judge(MostFrequent(share=0.5), classes).level
    0.75
    >>> from anon_transformers.testing import check_privacy_model
    >>> check_privacy_model(MostFrequent)  # doctest: +SKIP
    """


@hookspec
def register_metrics(register):
    """Offer metrics: ``register(name, metric_class)``.

    A metric is a frozen dataclass with ``measure(evidence)``, which returns a plain
    number. ``evidence`` says of what: ``"classes"`` of the published table,
    ``"report"`` of the run, ``"linkage"`` (original and published rows),
    ``"memberships"`` or ``"graph"``. It can be a threshold of a release
    (``{metric: lonely-share, max: 0.1}``) and a column of ``anon compare --metric``.

    Check it with :func:`anon_transformers.testing.check_metric`.

    Parameters
    ----------
    register : callable
        Called with a name and a class.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> from typing import ClassVar
    >>> from anon_transformers.exceptions import NotEvaluable
    >>> from anon_transformers.hookspecs import hookimpl
    >>> @dataclass(frozen=True)
    ... class LonelyShare:
    ...     \"\"\"Share of the classes that hold fewer than some persons.\"\"\"
    ...
    ...     below: int = 2
    ...     name: ClassVar[str] = "lonely-share"
    ...     evidence: ClassVar[str] = "classes"
    ...     better: ClassVar[str] = "lower"
    ...
    ...     def measure(self, classes):
    ...         if not classes.n_classes:
    ...             raise NotEvaluable("there is no class to measure.")
    ...         return float((classes.sizes < self.below).mean())
    >>> @hookimpl
    ... def register_metrics(register):
    ...     register("lonely-share", LonelyShare)
    >>> from anon_transformers import Classes
    >>> LonelyShare().measure(Classes.from_frame({"age": [20, 20, 30]}, ["age"]))
    0.5
    >>> from anon_transformers.testing import check_metric
    >>> check_metric(LonelyShare)  # doctest: +SKIP
    """


@hookspec
def register_attacks(register):
    """Offer attacks: ``register(name, attack_class)``.

    An attack is a frozen dataclass, a subclass of ``Attack`` (of tables) or
    ``GraphAttack`` of :mod:`anon_transformers.attacks`. It implements
    ``_find(attack_input)``, which returns an ``AttackResult`` (or a
    ``GraphAttackResult``) and raises ``NotEvaluable`` where it can tell nothing.
    ``anon attack`` runs those of tables, ``anon graph attack`` those of graphs.

    Check it with :func:`anon_transformers.testing.check_attack`.

    Parameters
    ----------
    register : callable
        Called with a name and a class.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> from typing import ClassVar
    >>> from anon_transformers.attacks import Attack, AttackResult
    >>> from anon_transformers.hookspecs import hookimpl
    >>> @dataclass(frozen=True)
    ... class LonelyRows(Attack):
    ...     \"\"\"Find persons whom nobody shares the quasi-identifiers with.\"\"\"
    ...
    ...     name: ClassVar[str] = "lonely-rows"
    ...     counts_persons: ClassVar[bool] = True
    ...     meaning: ClassVar[str] = "Nobody else has these quasi-identifiers."
    ...     remedy: ClassVar[str] = "Ask for k-anonymity."
    ...
    ...     def _find(self, attack_input):
    ...         classes = attack_input.classes
    ...         lonely = classes.sizes == 1
    ...         return AttackResult(
    ...             exposed=lonely[attack_input.labels],
    ...             unit="classes",
    ...             units=classes.n_classes,
    ...             exposed_units=int(lonely.sum()),
    ...         )
    >>> @hookimpl
    ... def register_attacks(register):
    ...     register("lonely-rows", LonelyRows)
    >>> import pandas as pd
    >>> release = pd.DataFrame({"age": [20, 20, 30]})
    >>> LonelyRows().run(release, quasi_identifiers=["age"]).exposed
    1
    >>> from anon_transformers.testing import check_attack
    >>> check_attack(LonelyRows)  # doctest: +SKIP
    """


@hookspec
def register_hierarchy_builders(register):
    """Offer hierarchy builders: ``register(name, builder_class)``.

    A builder is a subclass of ``HierarchyBuilder`` of
    :mod:`anon_transformers.hierarchies` whose ``ancestors(values)`` returns, for each
    value, its generalizations level by level, without the root. A release names it as
    ``hierarchies: {town: {kind: initials}}``, its parameters beside the kind.

    Check it with :func:`anon_transformers.testing.check_hierarchy_builder`.

    Parameters
    ----------
    register : callable
        Called with a name and a class.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> from anon_transformers.hierarchies import HierarchyBuilder
    >>> from anon_transformers.hookspecs import hookimpl
    >>> @dataclass(frozen=True)
    ... class Initials(HierarchyBuilder):
    ...     \"\"\"Generalize names to their first letters.\"\"\"
    ...
    ...     letters: int = 1
    ...
    ...     def ancestors(self, values):
    ...         return [[value[: self.letters] + "…"] for value in values]
    >>> @hookimpl
    ... def register_hierarchy_builders(register):
    ...     register("initials", Initials)
    >>> Initials().build(["Oslo", "Olso", "Rome"]).level(1).labels.tolist()
    ['O…', 'R…']
    >>> from anon_transformers.testing import check_hierarchy_builder
    >>> towns = ["Oslo", "Olso", "Rome", "Wien"]
    >>> check_hierarchy_builder(Initials, towns)  # doctest: +SKIP
    """


@hookspec
def register_readers(register):
    """Offer readers: ``register(kind, reader)``; called with a source's options.

    A reader is a callable that names its options and returns a data frame. A release
    calls it with those of its ``source``, where ``kind`` names it. Files whose suffix
    is the kind are read by it in releases and in every command, with ``path`` alone:
    ``anon risk people.jsonl`` asks the reader ``jsonl``. One that reads graphs has the
    attribute ``kind = "graph"`` and returns edges and nodes (or None). Errors say what
    is wrong with which column, and quote no cell.

    Check it with :func:`anon_transformers.testing.check_reader`.

    Parameters
    ----------
    register : callable
        Called with a kind and a callable.

    Examples
    --------
    >>> import pandas as pd
    >>> from anon_transformers.exceptions import DataError
    >>> from anon_transformers.hookspecs import hookimpl
    >>> def read_json_lines(path, *, encoding="utf-8"):
    ...     \"\"\"Read a file of JSON, a row in each line.\"\"\"
    ...     try:
    ...         # Without dtype=False, pandas reads "01234" as 1234, and guesses dates.
    ...         return pd.read_json(path, lines=True, dtype=False, encoding=encoding)
    ...     except ValueError:
    ...         raise DataError(f"{path} is no file of JSON lines.") from None
    >>> @hookimpl
    ... def register_readers(register):
    ...     register("jsonl", read_json_lines)
    >>> import tempfile
    >>> from pathlib import Path
    >>> from anon_transformers.testing import check_reader
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "people.jsonl")
    ...     people = pd.DataFrame({"age": [20, 30], "zip": ["01234", "00501"]})
    ...     people.to_json(file, orient="records", lines=True)
    ...     check_reader(read_json_lines, {"path": file}, expected=people)
    """


@hookspec
def register_writers(register):
    """Offer writers: ``register(format, writer)``; called with a frame and a path.

    A writer is a callable that writes the columns of a data frame to a path, and
    nothing beside them. A release judges what readers of the file will see, so that a
    reader of the same name must be registered, too: ``target: {format: feather}``.
    Commands write a target with the suffix of the format by it.

    Check it with :func:`anon_transformers.testing.check_writer`.

    Parameters
    ----------
    register : callable
        Called with a format and a callable.

    Examples
    --------
    >>> import pyarrow as pa
    >>> import pyarrow.feather
    >>> from anon_transformers.hookspecs import hookimpl
    >>> def write_feather(frame, path):
    ...     \"\"\"Write a Feather file that holds the columns and nothing else.\"\"\"
    ...     table = pa.Table.from_pandas(frame, preserve_index=False)
    ...     pa.feather.write_feather(table.replace_schema_metadata(None), str(path))
    >>> def read_feather(path):
    ...     \"\"\"Read a Feather file.\"\"\"
    ...     return pa.feather.read_table(path).to_pandas(integer_object_nulls=True)
    >>> @hookimpl
    ... def register_writers(register):
    ...     register("feather", write_feather)
    >>> @hookimpl
    ... def register_readers(register):
    ...     register("feather", read_feather)
    >>> from anon_transformers.testing import check_writer
    >>> check_writer(write_feather, read_feather, suffix=".feather")
    """


@hookspec
def register_experiments(register):
    """Offer experiments: ``register(name, experiment_class)``.

    An experiment runs something published again. Its constructor takes its options,
    which ``anon reproduce NAME`` takes as ``--option VALUE``; ``run(progress)`` returns
    the ``Findings`` of :mod:`anon_transformers.experiments`: what was published, what
    is found here, and why they differ.

    Check it with :func:`anon_transformers.testing.check_experiment`.

    Parameters
    ----------
    register : callable
        Called with a name and a class.

    Examples
    --------
    >>> import pandas as pd
    >>> from anon_transformers.experiments import NUMBER_COLUMNS, Findings
    >>> from anon_transformers.hookspecs import hookimpl
    >>> class FourRows:
    ...     \"\"\"Classes of four rows, as a textbook counts them.\"\"\"
    ...
    ...     def __init__(self, rows: int = 4):
    ...         self.rows = rows
    ...
    ...     def run(self, progress=None):
    ...         ours = 4 // self.rows
    ...         number = (
    ...             "page 1", "toy", "all", self.rows, "classes", 1, None, ours,
    ...             ours == 1, "",
    ...         )
    ...         return Findings(
    ...             "Four rows",
    ...             pd.DataFrame([number], columns=list(NUMBER_COLUMNS)),
    ...             pd.DataFrame({"rows": [self.rows]}),
    ...         )
    >>> @hookimpl
    ... def register_experiments(register):
    ...     register("four-rows", FourRows)
    >>> FourRows().run().summary()
    '1 runs; 1 of 1 numbers compared: 1 equal, 0 differ for a known reason, \
0 differ without one.'
    >>> from anon_transformers.testing import check_experiment
    >>> check_experiment(FourRows)
    """


@hookspec
def register_commands(register):
    """Offer commands of ``anon``: ``register(name, typer_app_or_click_command)``.

    A function without parameters that returns one will do too. It is called when the
    command is, so that a plugin need not import typer before; its docstring is what
    ``anon list`` and ``anon --help`` show. Errors of the library that a command raises
    are printed as one sentence, with the exit codes of ``anon``.

    Check it with :func:`anon_transformers.testing.check_command`.

    Parameters
    ----------
    register : callable
        Called with a name and an application, a command or a function.

    Examples
    --------
    >>> from anon_transformers.hookspecs import hookimpl
    >>> def count_command():
    ...     \"\"\"Count the rows of a file.\"\"\"
    ...     from pathlib import Path
    ...
    ...     import typer
    ...
    ...     app = typer.Typer(help="Count the rows of a file.", add_completion=False)
    ...
    ...     @app.command()
    ...     def count(file: Path = typer.Argument(help="CSV, Parquet and the like.")):
    ...         \"\"\"Count the rows of a file.\"\"\"
    ...         from anon_transformers.cli import Dialect, TableReader
    ...
    ...         typer.echo(len(TableReader().read(file, Dialect())))
    ...
    ...     return app
    >>> @hookimpl
    ... def register_commands(register):
    ...     register("count", count_command)
    >>> from anon_transformers.testing import check_command
    >>> check_command(count_command)
    """


@hookspec
def register_pages(register):
    """Offer pages of Studio: ``register(name, page)``.

    A page is a :class:`~anon_transformers.studio.Page`: a few routes of Starlette below
    an address of its own, which is its name, and a line in the menu. A function without
    parameters that returns one will do too, so that a plugin need not import Starlette
    before Studio starts; its docstring is what ``anon list`` shows.

    A route that shows something answers GET with
    :func:`~anon_transformers.studio.render`, one that changes something answers POST by
    a function under :func:`~anon_transformers.studio.action`: it edits the release file
    (``project_of(request).edit(…)``), which is all the state there is, or starts long
    work with :func:`~anon_transformers.studio.start_job`. Templates are Jinja's, lie in
    the folder that the page names, extend ``page.html`` and hold no script and no style
    sheet. The guard has checked the request before a page sees it.

    Check it with :func:`anon_transformers.testing.check_page`.

    Parameters
    ----------
    register : callable
        Called with a name and a page, or a function that makes it.

    Examples
    --------
    >>> from anon_transformers.hookspecs import hookimpl
    >>> def thresholds_page():
    ...     \"\"\"Count the thresholds of the release, and add one.\"\"\"
    ...     from starlette.responses import PlainTextResponse
    ...     from starlette.routing import Route
    ...
    ...     from anon_transformers.studio import Page, action, address, project_of
    ...
    ...     def show(request):
    ...         count = len(project_of(request).content["thresholds"])
    ...         return PlainTextResponse(f"{count} thresholds")
    ...
    ...     def add(request, form):
    ...         wanted = {"metric": "average-risk", "max": float(form["max"])}
    ...         project_of(request).edit(
    ...             "one more threshold",
    ...             lambda content: content["thresholds"].append(wanted),
    ...         )
    ...         return address(request, "thresholds")
    ...
    ...     return Page(
    ...         "thresholds",
    ...         "Thresholds",
    ...         "Count the thresholds of the release, and add one.",
    ...         (Route("/", show), Route("/add", action(add), methods=["POST"])),
    ...     )
    >>> @hookimpl
    ... def register_pages(register):
    ...     register("thresholds", thresholds_page)
    >>> from anon_transformers.testing import check_page
    >>> check_page(thresholds_page)
    """


@hookspec
def register_policies(register):
    """Offer policies: ``register(name, policy)``.

    A policy is a :class:`~anon_transformers.policies.Policy`: a frozen, versioned
    bundle of thresholds and required checks, with the public documents that ask for
    them. A release file names it as ``policy: house-7``, and can only tighten its
    thresholds. It claims what is judged, and never compliance.

    A rule for published columns is a subclass of
    :class:`~anon_transformers.policies.ColumnRule`: it names columns, counts rows and
    quotes no cell.

    Check it with :func:`anon_transformers.testing.check_policy`.

    Parameters
    ----------
    register : callable
        Called with a name and a policy.

    Examples
    --------
    >>> from anon_transformers.hookspecs import hookimpl
    >>> from anon_transformers.policies import Citation, Policy
    >>> HOUSE = Policy(
    ...     name="house-7",
    ...     version="1",
    ...     title="House rules: classes of 7.",
    ...     claims="Every class holds at least 7 persons.",
    ...     not_claimed="That classes differ in what is sensitive.",
    ...     citations=(Citation("Rules", "We", 2026, "https://example.org/rules"),),
    ...     thresholds=({"model": "k-anonymity", "k": 7},),
    ... )
    >>> @hookimpl
    ... def register_policies(register):
    ...     register("house-7", HOUSE)
    >>> from anon_transformers.testing import check_policy
    >>> check_policy(HOUSE)
    """
