"""The process of one contestant: prepares once, then makes draws whenever a seed comes in, and answers with JSON lines."""
import importlib
import json
import sys
import time

import numpy as np

COMPILING = ("/jax/core/compile/backend_compile_duration", "/jax/core/compile/jaxpr_to_mlir_module_duration")


class CompileClock:
    def __init__(self):
        self.seconds = 0.0

    def listen(self):
        import jax.monitoring

        def on_event(event, duration, **_):
            self.seconds += duration if event in COMPILING else 0.0

        jax.monitoring.register_event_duration_secs_listener(on_event)


def main():
    job = json.loads(sys.argv[1])
    answers = sys.stdout
    sys.stdout = sys.stderr  # what peers print is not an answer
    clock = CompileClock()
    if job["uses_jax"]:
        clock.listen()
    contestant = importlib.import_module(job["module"])
    begin = time.perf_counter()
    run = contestant.prepare(job)
    prepared = clock.seconds if job["uses_jax"] else time.perf_counter() - begin
    print(json.dumps({"compile_seconds": prepared}), file=answers, flush=True)
    for line in sys.stdin:
        before, begin = clock.seconds, time.perf_counter()
        made = run(int(line))
        compiled = clock.seconds - before
        seconds = made.seconds if made.seconds is not None else time.perf_counter() - begin - compiled
        np.save(job["draws_file"], made.draws)
        if made.leapfrogs is not None:
            np.save(job["leapfrogs_file"], made.leapfrogs)
        answer = {"seconds": seconds, "compile_seconds": compiled, "note": made.note}
        print(json.dumps(answer), file=answers, flush=True)


if __name__ == "__main__":
    main()
