"""`fairlead` as a process of this Python."""

import sys

FAIRLEAD = (sys.executable, "-c", "from fairlead.cli.main import main; main()")
