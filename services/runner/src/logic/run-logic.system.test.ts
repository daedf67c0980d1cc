/** Runs hostile and ordinary code of logic steps in real children. Needs Linux with user namespaces, and Python. */
import { type ChildProcess, spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { LOGIC_LIMITS } from './logic-limits.ts';
import { type LogicOptions, type LogicStepInput, runLogic } from './run-logic.ts';

/** Small limits, so that the tests are fast. Starting a child can take seconds on a busy machine. */
const LIMITS = { cpuSeconds: 1, timeoutMs: 20_000 };
const RUN = 'def run(inputs, state, steps):';
const MODULE = JSON.stringify(join(import.meta.dirname, 'run-logic.ts'));

const probe = await runLogic({ code: `${RUN}\n  return 1`, inputs: null, state: null, steps: null });

/**
 * A limit on the size of files that no other child has. It is an argument of the child, so the test can identify the
 * child.
 */
let marker = LOGIC_LIMITS.fileBytes + process.pid * 1_000;

beforeEach(() => {
  marker += 1;
});

function logic(body: string, options: LogicOptions & { given?: Partial<LogicStepInput> } = {}) {
  const { given, limits, ...rest } = options;
  const code = `${RUN}\n${indented(body)}`;
  return runLogic(
    { code, inputs: {}, state: {}, steps: {}, ...given },
    { ...rest, limits: { ...LIMITS, fileBytes: marker, ...limits } },
  );
}

function indented(body: string): string {
  return body
    .trim()
    .split('\n')
    .map((line) => `  ${line}`)
    .join('\n');
}

/** Returns the processes of the last child, by their arguments. */
function remaining(): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const line = readFileSync(join('/proc', name, 'cmdline'), 'utf8');
        return line.includes(String(marker)) ? [name] : [];
      } catch {
        // The process has ended after the folder was listed.
        return [];
      }
    });
}

async function nothingRemains(): Promise<void> {
  await expect.poll(remaining, { timeout: 10_000, interval: 5 }).toEqual([]);
}

test('this machine runs logic steps, or says what is missing', () => {
  if (probe.ok) expect(probe.output).toBe(1);
  else expect(['LOGIC_PYTHON_MISSING', 'LOGIC_ISOLATION_MISSING']).toContain(probe.code);
});

describe('a machine that cannot run logic steps refuses them', () => {
  test('without Python', async () => {
    expect(await logic('return 1', { python: '/nowhere/python3' })).toEqual({
      ok: false,
      code: process.platform === 'linux' ? 'LOGIC_PYTHON_MISSING' : 'LOGIC_ISOLATION_MISSING',
      message: expect.stringMatching(/Install it|only on Linux/),
    });
  });

  test('on another system than Linux', async () => {
    expect(await logic('return 1', { platform: 'darwin' })).toEqual({
      ok: false,
      code: 'LOGIC_ISOLATION_MISSING',
      message: 'Logic steps run only on Linux, because they need its namespaces. This machine has darwin.',
    });
  });

  test.runIf(probe.ok)('without the programs of util-linux, also with much input', async () => {
    const given = { inputs: 'a'.repeat(1_000_000) };
    expect(await logic('return 1', { systemPath: '/nowhere', given })).toEqual({
      ok: false,
      code: 'LOGIC_ISOLATION_MISSING',
      message: expect.stringContaining('Install util-linux'),
    });
  });

  test.runIf(probe.ok)('without network namespaces', async () => {
    // A user namespace that allows no network namespaces. Inside it runs a runner that is not root.
    const forbid = 'echo 0 > /proc/sys/user/max_net_namespaces';
    const start =
      'exec unshare --user --map-user=1000 --map-group=1000 "$0" --input-type=module-typescript -';
    const shell = ['--user', '--map-root-user', 'sh', '-c', `${forbid} && ${start}`, process.execPath];
    const runner = spawn('unshare', shell, { stdio: ['pipe', 'pipe', 'inherit'] });
    runner.stdin.end(`import { runLogic } from ${MODULE};
      const code = 'import os\\nos.write(3, b"I ran")';
      console.log(JSON.stringify(await runLogic({ code, inputs: 0, state: 0, steps: 0 })));`);
    const printed = (await runner.stdout.toArray()).join('');
    expect(JSON.parse(printed)).toEqual({
      ok: false,
      code: 'LOGIC_ISOLATION_MISSING',
      message: expect.stringContaining('unshare failed'),
    });
  });
});

describe.runIf(probe.ok)('the code of a logic step', () => {
  afterEach(nothingRemains);

  test('gets inputs, state and steps, and returns JSON', async () => {
    const given = { inputs: { n: 1 }, state: { s: [null, 'é😀'] }, steps: { one: { output: 2.5 } } };
    const result = await logic('return [inputs["n"] + 1, state["s"], steps["one"]["output"], True]', {
      given,
    });
    expect(result).toEqual({ ok: true, output: [2, [null, 'é😀'], 2.5, true] });
  });

  test('may print, and the printed text is not part of its output', async () => {
    expect(await logic('print("hello")\nreturn 1')).toEqual({ ok: true, output: 1 });
  });

  test('may use the standard library, and files in an empty folder', async () => {
    const result = await logic(`
import math, os, re
open("a.txt", "w").write("b")
return [os.getcwd(), os.listdir("."), open("a.txt").read(), math.floor(2.5), re.sub("a", "b", "a")]`);
    expect(result).toEqual({ ok: true, output: ['/work', ['a.txt'], 'b', 2, 'b'] });
    // The folder was removed: the next child gets an empty folder.
    expect(await logic('import os\nreturn os.listdir(".")')).toEqual({ ok: true, output: [] });
  });

  test('has no environment, and no package that is installed', async () => {
    process.env.MANDATE_LOGIC_SECRET = 'secret';
    const result = await logic(`
import os, sys
return ["MANDATE_LOGIC_SECRET" in os.environ, "PATH" in os.environ, any("packages" in path for path in sys.path)]`);
    delete process.env.MANDATE_LOGIC_SECRET;
    expect(result).toEqual({ ok: true, output: [false, false, false] });
  });

  test('may take as much input as the outputs of many steps', async () => {
    const given = { steps: Array.from({ length: 40 }, () => 'a'.repeat(128 * 1024)) };
    expect(await logic('return len(steps)', { given })).toEqual({ ok: true, output: 40 });
  });

  test('has no power over its namespaces, and cannot make others', async () => {
    const result = await logic(`
import ctypes
c = ctypes.CDLL(None, use_errno=True)
return [
  c.unshare(0x10000000), c.unshare(0x40000000), c.mount(b"x", b"/work", b"tmpfs", 0, b""),
  c.umount(b"/usr"), c.chroot(b"/work"), c.sethostname(b"x", 1), c.ptrace(16, 1, 0, 0), c.setuid(1),
]`);
    expect(result).toEqual({ ok: true, output: Array.from({ length: 8 }, () => -1) });
  });

  test('runs beside other code, each in its own folder', async () => {
    const body =
      'import os\nopen("mine", "w").write(str(inputs))\nreturn [os.listdir("."), open("mine").read()]';
    const results = await Promise.all([1, 2, 3].map((inputs) => logic(body, { given: { inputs } })));
    expect(results).toEqual([1, 2, 3].map((n) => ({ ok: true, output: [['mine'], String(n)] })));
  });
});

describe.runIf(probe.ok)('is ended, and its fault is reported', () => {
  afterEach(nothingRemains);

  test.each([
    ['an endless loop', 'while True: pass', 'LOGIC_LIMIT_EXCEEDED', '1 s of CPU'],
    [
      'an endless loop that catches everything',
      'while True:\n  try:\n    while True: pass\n  except BaseException: pass',
      'LOGIC_LIMIT_EXCEEDED',
      '1 s of CPU',
    ],
    [
      'an endless loop that ignores the signal of the limit',
      'import signal\nsignal.signal(signal.SIGXCPU, signal.SIG_IGN)\nwhile True: pass',
      'LOGIC_LIMIT_EXCEEDED',
      'killed',
    ],
    ['a calculation that no signal interrupts', 'return str(7 ** 10 ** 9)', 'LOGIC_LIMIT_EXCEEDED', 'CPU'],
    ['a gigabyte of memory', 'return len(bytearray(1 << 30))', 'LOGIC_LIMIT_EXCEEDED', '512 MiB'],
    ['a list that grows', 'x = []\nwhile True: x.append("a" * 1000000)', 'LOGIC_LIMIT_EXCEEDED', '512 MiB'],
    ['a fork', 'import os\nwhile True: os.fork()', 'LOGIC_RAISED', 'BlockingIOError'],
    ['a subprocess', 'import subprocess\nsubprocess.run(["/bin/true"])', 'LOGIC_RAISED', 'BlockingIOError'],
    [
      'a shell',
      'import os\nif os.system("true") != 0: raise OSError("no shell")',
      'LOGIC_RAISED',
      'no shell',
    ],
    ['a thread', 'import threading\nthreading.Thread(target=print).start()', 'LOGIC_RAISED', "can't start"],
    ['a file outside', 'open("/etc/passwd").read()', 'LOGIC_RAISED', 'FileNotFoundError'],
    ['a look at processes', 'import os\nos.listdir("/proc")', 'LOGIC_RAISED', 'FileNotFoundError'],
    ['a change of the system', 'open("/usr/lib/evil.py", "w")', 'LOGIC_RAISED', 'Read-only'],
    ['a large file', 'open("a", "wb").write(bytes(20 << 20))', 'LOGIC_RAISED', 'File too large', 10 << 20],
    ['many files', 'x = [open(str(n), "w") for n in range(100)]', 'LOGIC_RAISED', 'Too many open files'],
    [
      'a full disk',
      'for n in range(100): open(str(n), "wb").write(bytes(9 << 20))',
      'LOGIC_RAISED',
      'No space left',
    ],
    ['a gigabyte that is printed', 'while True: print("a" * 65536)', 'LOGIC_OUTPUT_TOO_LARGE', 'printed'],
    [
      'a gigabyte as the answer',
      'import os\nfor fd in range(3, 9):\n  try:\n    for _ in range(16384): os.write(fd, b"a" * 65536)\n  except OSError: pass',
      'LOGIC_OUTPUT_TOO_LARGE',
      '131072 bytes',
    ],
    ['an output above 128 KiB', 'return ["a" * 60000] * 3', 'LOGIC_OUTPUT_TOO_LARGE', '131072 bytes'],
    ['an output that is a set', 'return {1, 2}', 'LOGIC_RAISED', 'not JSON serializable'],
    ['an output that is NaN', 'return {"a": float("nan")}', 'LOGIC_RAISED', 'not JSON compliant'],
    ['an output that is infinite', 'return -float("inf")', 'LOGIC_RAISED', 'not JSON compliant'],
    ['an integer that JSON rounds', 'return 2 ** 70', 'LOGIC_OUTPUT_INVALID', 'rounded'],
    ['half a surrogate', 'return "\\ud800"', 'LOGIC_RAISED', 'surrogates'],
    ['a deep output', 'x = []\nfor _ in range(300): x = [x]\nreturn x', 'LOGIC_OUTPUT_INVALID', 'nested'],
    ['a bottomless output', 'x = []\nfor _ in range(100000): x = [x]\nreturn x', 'LOGIC_RAISED', 'too deep'],
    ['an output in a circle', 'x = []\nx.append(x)\nreturn x', 'LOGIC_RAISED', 'Circular'],
    ['no end of recursion', 'def f(): return f()\nreturn f()', 'LOGIC_RAISED', 'too deep'],
    ['an exception', 'raise ValueError("no score")', 'LOGIC_RAISED', 'line 2: ValueError: no score'],
    ['an exit', 'import sys\nsys.exit(3)', 'LOGIC_RAISED', 'SystemExit: 3'],
    ['an exit without an answer', 'import os\nos._exit(0)', 'LOGIC_ENDED', 'exit code 0'],
    ['a crash', 'import ctypes\nctypes.string_at(0)', 'LOGIC_ENDED', 'Segmentation'],
    ['a kill of itself', 'import os\nos.kill(os.getpid(), 9)', 'LOGIC_LIMIT_EXCEEDED', 'killed'],
    ['another program', 'import os\nos.execv("/bin/echo", ["echo", "hi"])', 'LOGIC_ENDED', 'hi'],
  ])('%s', async (_, body, code, message, fileBytes = undefined) => {
    const result = await logic(body, fileBytes === undefined ? {} : { limits: { fileBytes } });
    expect(result).toEqual({ ok: false, code, message: expect.stringContaining(message) });
  });

  test.each([
    ['a wait', 'import time\ntime.sleep(600)'],
    [
      'a wait in another session that ignores every signal and closed its files',
      `import os, signal, time
for number in range(1, 65):
  try: signal.signal(number, signal.SIG_IGN)
  except (OSError, ValueError): pass
os.setsid()
import ctypes
ctypes.CDLL(None).prctl(1, 0)
os.kill(1, signal.SIGKILL)
os.closerange(0, 64)
time.sleep(600)`,
    ],
  ])('%s, after the time is over', async (_, body) => {
    const result = await logic(body, { limits: { timeoutMs: 2_000 } });
    expect(result).toEqual({
      ok: false,
      code: 'LOGIC_TIMEOUT',
      message: 'The code did not end within 2000 ms.',
    });
  });

  test.each([
    ['no Python', 'def run(:', 'line 1: invalid syntax'],
    ['no function run', 'x = 1', 'defines no function run'],
    ['a run that is no function', 'run = 1', 'defines no function run'],
    ['a null character', 'x = "\0"', 'null'],
  ])('%s', async (_, code, message) => {
    const result = await logic('', { given: { code } });
    expect(result).toMatchObject({ ok: false, message: expect.stringContaining(message) });
  });

  test.each([
    ['text behind the answer', `b'{"output":1}{'`, 'LOGIC_OUTPUT_INVALID'],
    ['a key twice', `b'{"output":1,"output":2}'`, 'LOGIC_OUTPUT_INVALID'],
    ['an answer of another form', `b'[1]'`, 'LOGIC_OUTPUT_INVALID'],
    ['a failure that does not exist', `b'{"failed":"other","message":""}'`, 'LOGIC_OUTPUT_INVALID'],
    ['bytes that are no UTF-8', String.raw`b'{"output":"\xff"}'`, 'LOGIC_OUTPUT_INVALID'],
    ['NaN that JSON does not know', `b'{"output":NaN}'`, 'LOGIC_OUTPUT_INVALID'],
    ['__proto__', `b'{"output":{"__proto__":{}}}'`, 'LOGIC_OUTPUT_INVALID'],
  ])('a forged answer: %s', async (_, bytes, code) => {
    // The code can find the pipe of the answer. Text that it writes there is checked like every output.
    const result = await logic(
      `import os\nfor fd in range(3, 9):\n  try: os.write(fd, ${bytes})\n  except OSError: pass\nos._exit(0)`,
    );
    expect(result).toMatchObject({ ok: false, code });
  });

  test('code that closes its input and output', async () => {
    const result = await logic('import os\nos.closerange(0, 64)\nreturn 1');
    expect(result).toMatchObject({ ok: false, code: 'LOGIC_ENDED' });
  });

  test('input that is too large, before a child is started', async () => {
    const result = await logic('return 1', { given: { inputs: 'a'.repeat(9 << 20) } });
    expect(result).toMatchObject({ ok: false, code: 'LOGIC_INPUT_TOO_LARGE' });
  });

  test('a step that is cancelled while it runs', async () => {
    const controller = new AbortController();
    const running = logic('import time\ntime.sleep(600)', { signal: controller.signal });
    await expect.poll(remaining, { timeout: 10_000 }).not.toEqual([]);
    controller.abort();
    expect(await running).toEqual({ ok: false, code: 'LOGIC_CANCELLED', message: 'The step was cancelled.' });
  });

  test('a step that is cancelled before it runs', async () => {
    expect(await logic('return 1', { signal: AbortSignal.abort() })).toMatchObject({
      code: 'LOGIC_CANCELLED',
    });
    expect(remaining()).toEqual([]);
  });
});

describe.runIf(probe.ok)('the network', () => {
  test('cannot be reached, also not a server on this machine', async () => {
    let connections = 0;
    const server = createServer((socket) => {
      connections += 1;
      socket.end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const result = await logic(`
import socket
errors = []
for host in ("127.0.0.1", "::1", "192.0.2.1"):
  try:
    socket.create_connection((host, ${port}), 2)
    errors.append("connected")
  except OSError as error: errors.append(error.errno)
return errors`);
    server.close();
    expect(result).toEqual({ ok: true, output: Array.from({ length: 3 }, () => expect.any(Number)) });
    expect(connections).toBe(0);
  });
});

describe.runIf(probe.ok)('a runner that is killed', () => {
  let runner: ChildProcess | undefined;
  afterEach(() => runner?.kill('SIGKILL'));

  test('leaves no child', async () => {
    const code = JSON.stringify(`${RUN}\n  import os, time\n  os.setsid()\n  time.sleep(600)`);
    const program = `import { runLogic } from ${MODULE};
      await runLogic({ code: ${code}, inputs: 0, state: 0, steps: 0 }, { limits: { fileBytes: ${marker}, timeoutMs: 600000 } });`;
    runner = spawn(process.execPath, ['--input-type=module-typescript', '-'], {
      stdio: ['pipe', 'ignore', 'inherit'],
    });
    runner.stdin?.end(program);
    // setpriv, unshare, the shell and Python.
    await expect.poll(() => remaining().length, { timeout: 20_000 }).toBeGreaterThanOrEqual(3);
    runner.kill('SIGKILL');
    await nothingRemains();
  });
});
