"""What an attack on a graph is, and whom it finds."""

from abc import abstractmethod
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import pandas as pd

from anon_transformers.attacks._base_attack import AttackReport, BaseAttack

NODE = "node"
"""Column of the names of those who were found, in a report that shows them."""


@dataclass(frozen=True)
class GraphAttackInput:
    """A published graph, and what else an intruder may hold.

    Parameters
    ----------
    published : graph in any form
        What was published.
    original : graph in any form, optional
        What the intruder knows of the same nodes, under the same names.
    mapping : mapping, optional
        New name by old name, where published nodes have new ones.
    auxiliary : graph in any form, optional
        Another graph of partly the same persons, whose names the intruder knows.
    seeds : mapping, or pairs of names, optional
        Known persons: auxiliary name and published name.
    method : GraphAnonymizer, optional
        How a graph in which the intruder planted nodes is published.

    Examples
    --------
    >>> from anon_transformers.graphs import Graph
    >>> attack_input = GraphAttackInput(Graph(3, [[0, 1], [1, 2]]))
    >>> attack_input.has("published"), attack_input.has("original")
    (True, False)
    """

    published: Any = field(repr=False)
    original: Any = field(default=None, repr=False)
    mapping: Mapping[Any, Hashable] | None = field(default=None, repr=False)
    auxiliary: Any = field(default=None, repr=False)
    seeds: Any = field(default=None, repr=False)
    method: Any = None

    def has(self, name: str) -> bool:
        """Whether an input of that name was given."""
        return getattr(self, name) is not None


@dataclass(frozen=True)
class GraphAttackResult:
    """What the ``_find`` of an attack on a graph returns.

    Attributes
    ----------
    targets : int
        Nodes that were looked for.
    exposed : sequence
        Those who were found, once each, by the names that the intruder knows.
    details : mapping, default={}
        Further numbers; never a name.

    Examples
    --------
    >>> GraphAttackResult(34, ["Ann"]).targets
    34
    """

    targets: int
    exposed: Sequence[Any] = field(repr=False)
    details: Mapping[str, Any] = field(default_factory=dict)


class GraphAttack(BaseAttack):
    """Base of attacks on graphs: a frozen dataclass whose fields are its parameters.

    A subclass implements ``_find(attack_input)``, which returns a
    :class:`GraphAttackResult` or raises NotEvaluable.

    Attributes
    ----------
    name : str
        Its name in configurations: lower case with hyphens.
    needs : tuple of str
        Inputs it cannot do without, among the parameters of
        :class:`GraphAttackInput`.
    meaning : str
        What it means to be exposed, in one sentence.
    remedy : str
        What a publisher can do.

    Examples
    --------
    >>> import numpy as np
    >>> from anon_transformers.graphs import Graph, open_graph
    >>> @dataclass(frozen=True)
    ... class Busiest(GraphAttack):
    ...     name = "busiest"
    ...     meaning = "One node has more edges than any other."
    ...     remedy = "Ask for k-degree anonymity."
    ...
    ...     def _find(self, attack_input):
    ...         graph, form = open_graph(attack_input.published)
    ...         busiest = np.flatnonzero(graph.degrees == graph.degrees.max())
    ...         found = form.names[busiest] if len(busiest) == 1 else []
    ...         return GraphAttackResult(graph.n_nodes, list(found))
    >>> Busiest().run(Graph(4, [[0, 1], [0, 2], [0, 3]])).exposed
    1
    """

    kind: ClassVar[str] = "graph"
    needs: ClassVar[tuple[str, ...]] = ("published",)

    @abstractmethod
    def _find(self, attack_input: GraphAttackInput) -> GraphAttackResult:
        """Look for nodes; raise NotEvaluable if that is not possible."""

    def run(
        self, published: Any, *, show_values: bool = False, **others: Any
    ) -> AttackReport:
        """Attack a published graph.

        Parameters
        ----------
        published : graph in any form
            What was published.
        show_values : bool, default=False
            Whether the report names those who were found.
        **others
            The other parameters of :class:`GraphAttackInput`.

        Raises
        ------
        NotEvaluable
            If an input that the attack needs was not given, or tells nothing.
        """
        attack_input = GraphAttackInput(published, **others)
        return self.run_on(attack_input, show_values=show_values)

    def run_on(
        self, attack_input: GraphAttackInput, *, show_values: bool = False
    ) -> AttackReport:
        """Attack what several attacks may share."""
        self._refuse_lacking(attack_input)
        found = self._find(attack_input)
        names = pd.DataFrame({NODE: list(found.exposed)}) if show_values else None
        return AttackReport(
            attack=self.name,
            params=self._params(),
            meaning=self.meaning,
            remedy=self.remedy,
            rows=int(found.targets),
            exposed=len(found.exposed),
            exposed_suppressed=0,
            unit="nodes",
            units=int(found.targets),
            exposed_units=len(found.exposed),
            details=found.details,
            exposed_records=names,
        )
