"""Contexts, tables and stand-in plugins for the Great Expectations tests."""

from dataclasses import dataclass, replace
from importlib.metadata import entry_points
from typing import ClassVar

import numpy as np
import pandas as pd
import pytest

from anon_transformers.gx import run_gate
from anon_transformers.registry import create_registry

gx = pytest.importorskip("great_expectations")


@pytest.fixture
def people():
    """Two classes of two and one of three; k is 2, average risk 3/7."""
    return pd.DataFrame(
        {
            "age": [20, 20, 30, 30, 30, 40, 40],
            "sex": ["f", "f", "m", "m", "m", "m", "m"],
            "job": ["a", "b", "a", "a", "c", "b", "c"],
        }
    )


@pytest.fixture
def context():
    found = gx.get_context(mode="ephemeral")
    found.variables.progress_bars = {"globally": False}
    return found


@pytest.fixture
def file_context(tmp_path):
    found = gx.get_context(mode="file", project_root_dir=tmp_path / "project")
    found.variables.progress_bars = {"globally": False}
    return found


@pytest.fixture
def validate(context):
    """Evaluate one expectation, or a suite, on a table."""

    def run(frame, asked, **parameters):
        source = context.data_sources.add_or_update_pandas("tables")
        batch = source.read_dataframe(frame)
        return batch.validate(asked, expectation_parameters=parameters)

    return run


@pytest.fixture
def publish_docs(file_context):
    """Run a checkpoint on a table and write Data Docs."""

    def run(frame, suite, **parameters):
        source = file_context.data_sources.add_pandas("tables")
        asset = source.add_dataframe_asset("anon")
        definition = file_context.validation_definitions.add(
            gx.ValidationDefinition(
                name="definition",
                data=asset.add_batch_definition_whole_dataframe("all"),
                suite=file_context.suites.add(suite),
            )
        )
        checkpoint = file_context.checkpoints.add(
            gx.Checkpoint(
                name="checkpoint",
                validation_definitions=[definition],
                actions=[gx.checkpoint.UpdateDataDocsAction(name="docs")],
            )
        )
        result = checkpoint.run({"dataframe": frame}, expectation_parameters=parameters)
        file_context.build_data_docs()
        return result

    return run


@pytest.fixture
def install(monkeypatch):
    """Put models and metrics of a stand-in plugin into the registry."""

    def run(models=None, metrics=None, broken=()):
        found = create_registry(entry_points(group="anon_transformers"))
        for name, cls in (models or {}).items():
            found.privacy_models.add(name, cls, "stand-in")
        for name, cls in (metrics or {}).items():
            found.metrics.add(name, cls, "stand-in")
        found = replace(found, broken=tuple(broken))
        for user in ("_judging", "gate"):
            monkeypatch.setattr(f"anon_transformers.gx.{user}.registry", lambda: found)
        return found

    return run


@dataclass(frozen=True)
class HalfSafe:
    """A plugin's model of sensitive columns: no class holds one value only."""

    sensitive: str | None = None
    values: int = 2
    name: ClassVar[str] = "half-safe"
    evidence: ClassVar[str] = "classes"
    better: ClassVar[str] = "higher"
    merging: ClassVar[str] = "any"
    tighter: ClassVar[dict[str, str]] = {"values": "higher"}

    def satisfied(self, evidence):
        columns = evidence.sensitive_columns(self.sensitive)
        seen = [np.diff(c.counts.tocsr().indptr) for c in columns]
        return np.min(seen, axis=0) >= int(self.values)

    def level(self, evidence):
        columns = evidence.sensitive_columns(self.sensitive)
        return min(np.diff(c.counts.tocsr().indptr).min() for c in columns)


@pytest.fixture
def half_safe(install):
    install(models={"half-safe": HalfSafe})


@pytest.fixture
def ask():
    """Put a table through the gate."""

    def run(frame, *thresholds, **options):
        given = {"quasi_identifiers": ["age", "sex"], **options}
        return run_gate(frame, thresholds=thresholds, **given)

    return run


@dataclass(frozen=True)
class RowCrowd:
    """A plugin's model that counts rows where it should count persons."""

    k: int = 3
    name: ClassVar[str] = "row-crowd"
    evidence: ClassVar[str] = "classes"
    better: ClassVar[str] = "higher"
    merging: ClassVar[str] = "any"
    tighter: ClassVar[dict[str, str]] = {"k": "higher"}
    details: ClassVar[tuple[str, ...]] = ("rows", "labels")

    def satisfied(self, evidence):
        return evidence.kept().rows >= self.k

    def level(self, evidence):
        return int(evidence.rows.min())

    def report(self, evidence):
        labels = evidence.labels
        return {"rows": int(evidence.rows.sum()), "labels": labels is not None}


@pytest.fixture
def row_crowd(install):
    install(models={"row-crowd": RowCrowd})
