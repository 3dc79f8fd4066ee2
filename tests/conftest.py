"""For all tests: signals as at a terminal."""

import signal

# A shell starts background jobs with Ctrl-C ignored, and programs of ours would rightly leave it so.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
