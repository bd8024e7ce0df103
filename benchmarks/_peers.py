"""Run other libraries on a table, in their own environment (``make peers``)."""

import json
import subprocess
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
PYTHON = HERE.parent / ".venv-peers" / "bin" / "python"
SCRIPT = HERE / "peers" / "run.py"


def run_peer(peer, frame, columns, *, k=5, hierarchies=None, repeats=5, limit=120):
    """What one peer took and gave: a dict with ``peer`` and one of three outcomes.

    ``seconds`` (with the peer's results), ``stopped_after`` if it took longer than
    ``limit`` seconds, or ``note`` if it is not there or failed. ``hierarchies`` maps
    columns to the rows of their tables of levels.
    """
    if not PYTHON.exists():
        return {"peer": peer, "note": "peer not installed: make peers"}
    task = {
        "columns": columns,
        "k": k,
        "hierarchies": hierarchies or {},
        "repeats": repeats,
        "limit": limit,
    }
    with tempfile.TemporaryDirectory() as folder:
        frame.to_csv(Path(folder, "table.csv"), index=False)
        Path(folder, "task.json").write_text(json.dumps(task), encoding="utf-8")
        done = subprocess.run(
            [PYTHON, SCRIPT, peer, folder], capture_output=True, text=True, check=False
        )
    if done.returncode:
        reason = (done.stderr.strip().splitlines() or ["no message"])[-1]
        return {"peer": peer, "note": f"peer failed: {reason}"}
    measured = json.loads(done.stdout)
    return {"peer": f"{peer} {measured.pop('version')}", **measured}
