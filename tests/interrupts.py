"""Press Ctrl-C in the middle of a call."""

from __future__ import annotations

import _thread
import sys
import threading
import time
from collections.abc import Callable

#: Seconds within which a call ends once Ctrl-C is pressed.
PROMISED = 1.0

#: So often the clock may be wrong, since the machine had other things to do.
TRIES = 5

#: When nothing is heard for so long, it never will be.
GIVEN_UP = 30.0


def heard(call: Callable[[], object], after: float = 0.4, threads: int = 1) -> None:
    """Check that an endless call ends within a second of Ctrl-C, by KeyboardInterrupt.

    A busy machine makes everything wait, so the promise is checked in two ways. The processor
    time that this process still takes is below a second for each thread, every time: that finds
    work that goes on. The clock says less than a second in one of a few tries: that finds
    whatever waits for something.
    """
    for _ in range(TRIES):
        seconds, work = interrupted(call, after)
        assert seconds < GIVEN_UP, "Ctrl-C was never heard"
        assert work < PROMISED * threads, f"{work:.2f} seconds of work after Ctrl-C"
        if seconds < PROMISED:
            return
    raise AssertionError(f"Ctrl-C was heard after {seconds:.2f} seconds, the last of {TRIES} tries")


def interrupted(call: Callable[[], object], after: float = 0.4) -> tuple[float, float]:
    """Seconds from Ctrl-C to the call's end, and processor seconds in between.

    The interrupt can hit a callback that Python's own library or another package (hypothesis,
    distributed) has for objects that go. Python then prints it and goes on; so it is pressed again.
    """
    pressed: list[tuple[float, float]] = []
    lost: list[object] = []
    over = threading.Event()
    former = sys.unraisablehook

    def unraisable(what: sys.UnraisableHookArgs) -> None:
        where = getattr(what.object, "__module__", None) or "boardrace"
        if what.exc_type is KeyboardInterrupt and not where.startswith("boardrace"):
            lost.append(what.object)  # no Event: its lock could be hit as well
        else:
            former(what)

    def press() -> None:
        over.wait(after)
        while not over.is_set():
            if lost:
                time.sleep(0.05)
                pressed.clear()
                lost.clear()
            pressed.append((time.perf_counter(), time.process_time()))
            _thread.interrupt_main()
            begun = time.perf_counter()
            while not (over.wait(0.02) or lost):
                if time.perf_counter() - begun > GIVEN_UP:
                    break  # press again, so that the test fails and does not hang

    finger = threading.Thread(target=press, daemon=True)
    sys.unraisablehook = unraisable
    finger.start()
    try:
        call()
    except KeyboardInterrupt:
        begun, work = pressed[0]
        return time.perf_counter() - begun, time.process_time() - work
    finally:
        over.set()
        finger.join()
        sys.unraisablehook = former
    raise AssertionError("the interrupt was swallowed" if pressed else "the call was over too soon")
