"""Press Ctrl-C in the middle of a call."""

import _thread
import threading
import time
from collections.abc import Callable

import pytest

#: The promise is one second, on a machine that has time; a busy one makes everything wait.
SOON = 5.0


def interrupted(call: Callable[[], object], after: float = 0.4) -> float:
    """Seconds from the interrupt to the call's return; it must raise KeyboardInterrupt.

    Pressed again after three seconds: an interrupt is lost when it comes while one of the
    callbacks runs that other packages (hypothesis, distributed) hang into garbage collection.
    """
    pressed = []
    over = threading.Event()

    def press() -> None:
        wait = after
        while not over.wait(wait) and len(pressed) < 3:
            pressed.append(time.perf_counter())
            _thread.interrupt_main()
            wait = 3.0

    finger = threading.Thread(target=press, daemon=True)
    finger.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            call()
            time.sleep(30)  # a call that is over too soon does not swallow the interrupt
            pytest.fail("the interrupt was swallowed")
        return time.perf_counter() - pressed[-1]
    finally:
        over.set()
        finger.join()
