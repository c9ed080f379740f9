"""For all tests: Ctrl-C is heard, also by processes that they start.

A shell without job control starts what runs in the background with SIGINT ignored; tests that press
Ctrl-C would then wait for ever.
"""

import signal

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
