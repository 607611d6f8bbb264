"""Does not end when it is asked to, nor do its children."""

from __future__ import annotations

import signal
import time

from tests.hostile.programs.attacker import Attacker, start

STAY = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(60)"


class Stays(Attacker):
    def each_turn(self) -> None:
        if self.turns == 1:
            for each in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
                signal.signal(each, signal.SIG_IGN)
            self.child = start(STAY)
            self.tally.limited.append("stays until it is killed")


try:
    Stays().run()
finally:
    time.sleep(60)
