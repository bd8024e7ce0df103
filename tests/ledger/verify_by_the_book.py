"""A verifier of SQLite ledgers, written from docs/releases/ledger.md alone.

It uses nothing of the library: ``verify(file, key)`` says whether a ledger is whole.
"""

import hashlib
import hmac
import json
import sqlite3


def is_whole(file, key):
    with sqlite3.connect(file) as database:
        entries = database.execute(
            "SELECT sequence, content, hash FROM anon_ledger_entries ORDER BY sequence"
        ).fetchall()
        heads = database.execute(
            "SELECT signer, sequence, hash, signature FROM anon_ledger_heads"
        ).fetchall()
    database.close()
    previous = "0" * 64
    signers = {}
    for number, (sequence, content, digest) in enumerate(entries, start=1):
        if not isinstance(content, str):
            return False
        said = json.loads(content)
        whole = (
            sequence == number == said["sequence"]
            and hashlib.sha256(content.encode("ascii")).hexdigest() == digest
            and said["previous"] == previous
        )
        if not whole:
            return False
        previous = digest
        signers[said["signer"]] = (sequence, digest)
    name = hmac.new(key, b"anon-transformers ledger signer", hashlib.sha256)
    me = name.hexdigest()[:16]
    if {signer for signer, *_ in heads} != set(signers) or set(signers) - {me}:
        return False
    for signer, sequence, digest, signature in heads:
        text = f'{{"hash":"{digest}","sequence":{sequence},"signer":"{signer}"}}'
        signed = hmac.new(key, text.encode(), hashlib.sha256).hexdigest()
        if signed != signature or signers[signer] != (sequence, digest):
            return False
    return True
