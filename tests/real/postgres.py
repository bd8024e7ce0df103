"""A PostgreSQL cluster for one test: on loopback, without fsync, thrown away after."""

import contextlib
import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

BINARIES = Path("/usr/lib/postgresql")
# The server refuses to run as root: then it runs as this user of Debian's package.
SERVER_USER = "postgres"
DATABASE = "airflow"
PATIENCE = 60


def free_port() -> int:
    """A port of loopback that nobody listens on at this moment."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


def newest_binaries() -> Path:
    """The folder with `initdb` and `postgres`, of the newest version installed."""
    found = sorted(BINARIES.glob("*/bin/postgres"), key=lambda f: int(f.parts[-3]))
    if not found:
        raise AssertionError("PostgreSQL is not installed; `make test-real` does so.")
    return found[-1].parent


class Cluster:
    """A running server, its address, and what it holds as text."""

    def __init__(self, folder: Path, port: int) -> None:
        self.folder = folder
        self.port = port
        self.binaries = newest_binaries()

    @property
    def url(self) -> str:
        """The address as SQLAlchemy reads it; Airflow derives its asynchronous one."""
        return f"postgresql+psycopg2://{DATABASE}@127.0.0.1:{self.port}/{DATABASE}"

    def command(self, name: str, *arguments: str) -> list[str]:
        """A command line of the server's user, which ends when this process ends."""
        line = ["setpriv", "--pdeathsig", "INT"]
        if os.geteuid() == 0:
            line += ["--reuid", SERVER_USER, "--regid", SERVER_USER, "--init-groups"]
        return [*line, str(self.binaries / name), *arguments]

    def call(self, name: str, *arguments: str) -> str:
        """What a program of PostgreSQL prints."""
        done = subprocess.run(
            self.command(name, *arguments),
            cwd=self.folder,
            capture_output=True,
            text=True,
            check=False,
            timeout=PATIENCE,
        )
        assert done.returncode == 0, f"{name}: {done.stderr[-2000:]}"
        return done.stdout

    def dump(self) -> str:
        """The whole database as SQL text."""
        address = ["-h", "127.0.0.1", "-p", str(self.port), "-U", DATABASE]
        return self.call("pg_dump", *address, DATABASE)


@contextlib.contextmanager
def running_cluster() -> Iterator[Cluster]:
    """Make a cluster, start its server, and remove both however the block ends.

    It does not lie in pytest's folder, which is closed to the server's user.
    """
    folder = Path(tempfile.mkdtemp(prefix="anon-postgres-"))
    cluster = Cluster(folder, free_port())
    server = None
    try:
        if os.geteuid() == 0:
            user = pwd.getpwnam(SERVER_USER)
            os.chown(folder, user.pw_uid, user.pw_gid)
        data = str(folder / "data")
        cluster.call("initdb", "-D", data, "-A", "trust", "-U", DATABASE, "--no-sync")
        server = _start(cluster, data)
        yield cluster
    finally:
        if server is not None:
            # The fast shutdown: clients are cut off.
            server.send_signal(signal.SIGINT)
            try:
                server.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                server.kill()
                server.wait()
        shutil.rmtree(folder)


def _start(cluster: Cluster, data: str) -> subprocess.Popen[bytes]:
    """The server, once it answers and has Airflow's database."""
    quick = ("fsync=off", "synchronous_commit=off", "full_page_writes=off")
    settings = [word for setting in quick for word in ("-c", setting)]
    log = cluster.folder / "server.log"
    with log.open("wb") as written:
        server = subprocess.Popen(
            cluster.command(
                "postgres",
                *("-D", data, "-k", str(cluster.folder)),
                *("-h", "127.0.0.1", "-p", str(cluster.port), *settings),
            ),
            cwd=cluster.folder,
            stdout=written,
            stderr=subprocess.STDOUT,
        )
    address = ("-h", "127.0.0.1", "-p", str(cluster.port), "-U", DATABASE)
    latest = time.monotonic() + PATIENCE
    while "ready to accept connections" not in log.read_text():
        if server.poll() is not None or time.monotonic() > latest:
            server.kill()
            server.wait()
            raise AssertionError(f"PostgreSQL did not start: {log.read_text()[-2000:]}")
        time.sleep(0.1)
    cluster.call("createdb", *address, DATABASE)
    return server
