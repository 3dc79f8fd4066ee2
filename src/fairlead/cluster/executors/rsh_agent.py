"""The program that MPI launchers call in place of ssh, as ``AGENT [ssh options] HOST COMMAND...``: a script."""

import shlex
from collections.abc import Mapping
from pathlib import Path

from fairlead.cluster.cache import local_cache, write_once


def write(entries: Mapping[str, str], *, before: str = "", after: str = "") -> Path:
    """Write a script that enters each host its way; it knows hosts by the cluster file's names only.

    Args:
        entries: by host, a line of shell that enters it. It finds the command, which a shell there is to read, in
            ``"$@"``.
        before: functions that lines use. ``after``: what follows a line that does not end with ``exec``.
    """
    cases = "\n  ".join(f"{shlex.quote(host)}) {line} ;;" for host, line in entries.items())
    script = _SCRIPT.format(before=before, cases=cases, after=after)
    return write_once(local_cache() / "rsh", "rsh-agent", script.encode())


QUOTED = """quoted() { printf %s "$1" | sed "s/'/'\\\\\\\\''/g"; }
"""
"""Shell function: its argument, as it may stand between single quotes."""

# Launchers hand on options of ssh that users set for them; how hosts are reached says the cluster file. Letters of
# options with a value: ssh(1).
_SCRIPT = """#!/bin/sh
# Called by mpirun as: rsh-agent [ssh options] HOST COMMAND...
{before}while :; do
  case "$1" in
    -[BbcDEeFIiJLlmOoPpQRSWw]) shift 2 ;;
    -*) shift ;;
    *) break ;;
  esac
done
host=$1
shift
case "$host" in
  {cases}
  *) echo "fairlead: host $host is not in the cluster file" >&2; exit 255 ;;
esac
{after}"""
