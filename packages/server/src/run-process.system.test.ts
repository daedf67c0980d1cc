import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, test } from 'vitest';

const fixture = fileURLToPath(new URL('./run-process.fixture.ts', import.meta.url));
let child: ChildProcess | undefined;
afterEach(() => child?.kill('SIGKILL'));

/** Starts a real process. Returns its lines of output as they arrive, and a promise of its end. */
function run(behaviour: string) {
  const started = spawn(process.execPath, [fixture, behaviour], { stdio: ['ignore', 'pipe', 'pipe'] });
  child = started;
  const lines = createInterface(started.stdout)[Symbol.asyncIterator]();
  let log = '';
  started.stderr.on('data', (chunk: Buffer) => {
    log += chunk.toString();
  });
  return {
    kill: (signal: NodeJS.Signals) => started.kill(signal),
    line: async () => (await lines.next()).value,
    ended: once(started, 'close').then(([code, signal]) => ({ code, signal, log })),
  };
}

test.each(['SIGTERM', 'SIGINT'] as const)('%s stops the process, which exits with 0', async (signal) => {
  const running = run('good');
  expect(await running.line()).toBe('started');
  running.kill(signal);
  expect(await running.line()).toBe('stopping');
  expect(await running.ended).toMatchObject({ code: 0, signal: null });
});

test('a second signal ends the process if the stop hangs', async () => {
  const running = run('hangs');
  expect(await running.line()).toBe('started');
  running.kill('SIGTERM');
  expect(await running.line()).toBe('stopping');
  running.kill('SIGINT');
  expect(await running.ended).toMatchObject({ code: 130 });
});

test('an open handle does not keep the process alive', async () => {
  const running = run('leaks');
  expect(await running.line()).toBe('started');
  running.kill('SIGTERM');
  const { code, log } = await running.ended;
  expect(code).toBe(0);
  expect(log).toContain('the process does not end by itself');
});

test('an uncaught error ends the process with 1, and is logged', async () => {
  const { code, log } = await run('throws').ended;
  expect(code).toBe(1);
  expect(log).toContain('"level":"fatal"');
  expect(log).toContain('nobody catches this');
});

test('a warning of Node is logged like every other message', async () => {
  const running = run('warns');
  expect(await running.line()).toBe('started');
  running.kill('SIGTERM');
  const { log } = await running.ended;
  const lines = log
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(lines).toContainEqual(
    expect.objectContaining({
      level: 'warn',
      msg: 'Node warns',
      err: expect.objectContaining({ message: 'oh' }),
    }),
  );
  expect(log).not.toContain('TimeoutNegativeWarning');
});
