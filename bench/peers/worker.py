"""The process of one contestant: prepares once, makes draws whenever a seed comes in, and answers with JSON lines."""
import importlib
import json
import resource
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


def cpu_seconds():
    """Of this process and of those it has waited for."""
    usages = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


def main():
    job = json.loads(sys.argv[1])
    answers = sys.stdout
    sys.stdout = sys.stderr  # what peers print is not an answer
    clock = CompileClock()
    if job["uses_jax"]:
        clock.listen()
    contestant = importlib.import_module(job["module"])
    run = contestant.prepare(job)
    # Whoever compiles otherwise says how long it took.
    print(json.dumps({"compile_seconds": getattr(run, "compile_seconds", clock.seconds)}), file=answers, flush=True)
    for line in sys.stdin:
        before, begin, cpu = clock.seconds, time.perf_counter(), cpu_seconds()
        made = run(int(line))
        wall, compiled = time.perf_counter() - begin, clock.seconds - before
        seconds = made.seconds if made.seconds is not None else wall - compiled
        share = min(1.0, (cpu_seconds() - cpu) / (wall * job["cores"]))
        np.save(job["draws_file"], made.draws)
        if made.leapfrogs is not None:
            np.save(job["leapfrogs_file"], made.leapfrogs)
        answer = {"seconds": seconds, "share": share, "compile_seconds": compiled, "note": made.note}
        print(json.dumps(answer), file=answers, flush=True)


if __name__ == "__main__":
    main()
