"""Press Ctrl-C in the middle of a call."""

import _thread
import threading
import time
from collections.abc import Callable

import pytest


def interrupted(call: Callable[[], object], after: float = 0.4) -> float:
    """Seconds from the interrupt to the call's return; it must raise KeyboardInterrupt."""
    pressed = []

    def press() -> None:
        pressed.append(time.perf_counter())
        _thread.interrupt_main()

    timer = threading.Timer(after, press)
    timer.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            call()
            time.sleep(30)  # a call that is over too soon does not swallow the interrupt
            pytest.fail("the interrupt was swallowed")
        return time.perf_counter() - pressed[0]
    finally:
        timer.cancel()
