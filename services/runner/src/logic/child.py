# Runs the code of a logic step. It sets the limits, says that it is ready, and only then reads the code.
#
# In, as JSON: code, inputs, state, steps. Out: the line "ready", then one JSON object, either {"output": …} or
# {"failed": …, "message": …}. What the code prints goes to the standard error.
import json
import os
import resource
import signal
import sys

cpu, memory, files, file_size = (int(limit) for limit in sys.argv[1:])
answer = os.dup(1)
os.dup2(2, 1)


def write(value):
    text = json.dumps(value, allow_nan=False, ensure_ascii=False, separators=(",", ":"))
    rest = text.encode("utf-8")
    while rest:
        rest = rest[os.write(answer, rest):]


def fail(failed, message):
    write({"failed": failed, "message": message.encode("utf-8", "replace").decode("utf-8")[:1000]})
    os._exit(0)


def out_of_cpu(*_):
    fail("limit", f"it used more than {cpu} s of CPU time")


signal.signal(signal.SIGXCPU, out_of_cpu)
for limit, soft, hard in (
    (resource.RLIMIT_CPU, cpu, cpu + 1),
    (resource.RLIMIT_AS, memory, memory),
    (resource.RLIMIT_NOFILE, files, files),
    (resource.RLIMIT_FSIZE, file_size, file_size),
    (resource.RLIMIT_CORE, 0, 0),
    (resource.RLIMIT_NPROC, 0, 0),
):
    resource.setrlimit(limit, (soft, hard))
os.chdir("/work")
os.write(answer, b"ready\n")

try:
    given = json.loads(sys.stdin.buffer.read())
    step = {"__name__": "step"}
    exec(compile(given["code"], "step.py", "exec"), step)
    if not callable(step.get("run")):
        fail("code", "it defines no function run(inputs, state, steps)")
    write({"output": step["run"](given["inputs"], given["state"], given["steps"])})
except SyntaxError as error:
    fail("code", f"line {error.lineno}: {error.msg}")
except MemoryError:
    step = given = None
    fail("limit", f"it needs more than {memory // 1048576} MiB of memory")
except RecursionError:
    fail("raised", "RecursionError: the code, or its output, is nested too deep")
except BaseException as error:
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None and trace.tb_frame.f_code.co_filename != "step.py":
        trace = trace.tb_next
    line = f"line {trace.tb_lineno}: " if trace and trace.tb_frame.f_code.co_filename == "step.py" else ""
    fail("raised", f"{line}{type(error).__name__}: {error}")
