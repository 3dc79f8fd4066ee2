"""The limit of open files is raised for this process, and not for what it starts."""

import os
import resource
import subprocess
import sys

from fairlead.descriptors import readable

SCRIPT = """
import resource, subprocess
from fairlead import descriptors
from fairlead.cluster.description import Cluster, Host
from fairlead.cluster.job import Job
from fairlead.cluster.jobs.launch import run
from fairlead.cluster.launchers.base import get
hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
resource.setrlimit(resource.RLIMIT_NOFILE, (300, hard))
descriptors.make_room(10)
print(resource.getrlimit(resource.RLIMIT_NOFILE)[0], descriptors.as_before())
descriptors.make_room(500)
descriptors.make_room(600)
print(resource.getrlimit(resource.RLIMIT_NOFILE) == (600 + 256, hard), flush=True)
local = Cluster("c", "local", (Host("here", "127.0.0.1", interface="lo"),))
job = Job(id="0a0b0c0d", argv=("sh", "-c", "ulimit -n; ulimit -Hn"), hosts=("here",))
run(local, get("custom")(), job)
"""


def test_this_process_may_open_more_and_programs_as_many_as_before() -> None:
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    shown = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=True).stdout
    assert shown.splitlines() == ["300 []", "True", "300", str(hard)]


def test_the_hard_limit_stays() -> None:
    script = """
import resource
from fairlead import descriptors
resource.setrlimit(resource.RLIMIT_NOFILE, (300, 400))
descriptors.make_room(1000)
print(resource.getrlimit(resource.RLIMIT_NOFILE), descriptors.as_before())
"""
    shown = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout
    assert shown == "(400, 400) ['prlimit', '--nofile=300:']\n"


def test_a_file_with_a_high_number_can_be_waited_for() -> None:
    """select(2) takes numbers below 1024 alone."""
    output, source = os.pipe()
    high = 1500
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, high + 1), hard))
    try:
        os.dup2(output, high)
        assert not readable(high, 0.0)
        os.write(source, b"x")
        assert readable(high, 5.0)
        os.read(high, 1)
        os.close(source)
        assert readable(high, 5.0), "the end"
    finally:
        os.close(high)
        os.close(output)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
