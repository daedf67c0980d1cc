/** Several runners in their own processes share the runs of a plane, and one takes over from another. */
import { join } from 'node:path';
import { type StartedProcess, spawnMandate, startProcess, waitUntil } from '@mandate/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { HOLDS, HOLDS_OR_PAYS, REFUND, type RunPlane, startRunPlane } from './run-plane.ts';

const RUNNER = join(import.meta.dirname, '../../../services/runner/src/main.ts');

let plane: RunPlane;
let key: string;
const runners: StartedProcess[] = [];

beforeAll(async () => {
  plane = await startRunPlane({ script: HOLDS_OR_PAYS, env: { MANDATE_PLANE_PERFORM_RUNS: 'false' } });
  await plane.publish(
    { ...REFUND, metadata: { ...REFUND.metadata, name: 'quick' } },
    { risk: { critical: {} } },
  );
  await plane.publish(HOLDS, { risk: { critical: {} } });
  const asked = [
    '--name',
    'runner',
    '--scopes',
    'publish',
    'report',
    'release',
    '--agents',
    'quick',
    'quick.*',
    'holds',
    'holds.*',
  ];
  const issuing = spawnMandate(['keys', 'issue', '--json', '--data', plane.data, ...asked]);
  key = await issuing.says('stdout', (line) => /sk-mdt_[^"\s]+/.exec(line)?.[0]);
});
afterAll(async () => {
  await Promise.all(runners.map((runner) => runner.kill('SIGKILL')));
  await plane.stop();
});

function startRunner(): StartedProcess {
  const runner = startProcess(RUNNER, [], {
    ...process.env,
    MANDATE_RUNNER_DATA_PATH: plane.data,
    MANDATE_RUNNER_PORT: '0',
    MANDATE_RUNNER_PLANE_URL: plane.url(),
    MANDATE_RUNNER_API_KEY: key,
    MANDATE_RUNNER_CONFIG_PATH: plane.runnerFile,
    MANDATE_RUNNER_SESSION_TIMEOUT_MS: '1000',
  });
  runners.push(runner);
  return runner;
}

const paysOf = (run: string) => plane.effects().filter((line) => line.startsWith(`pay ${run}:`));

test('a run waits until there is a runner, and the runs of a killed runner are taken over', async () => {
  const start = () => plane.run('quick', { customer: 'Ada' });
  const first = await start();
  const [one] = [startRunner(), startRunner()];
  await plane.until(first, 'completed');
  const runs = await Promise.all(Array.from({ length: 12 }, start));
  await waitUntil('some run has called a tool', () => plane.effects().length > 3);
  await one?.kill('SIGKILL');
  for (const id of [...runs, await start()]) {
    const run = await plane.until(id, 'waiting', 'completed');
    if (run.status === 'waiting') {
      expect(run.waiting).toMatchObject({ for: 'resolution', tool: 'pay' });
      const done = paysOf(id).length === 1;
      const body = done ? { done, output: 'Paid.' } : { done };
      await plane.api().post(`/v1/runs/${id}/steps/refund/resolve`, body);
      await plane.until(id, 'completed');
    }
    expect(paysOf(id)).toHaveLength(1);
  }
});

test('a runner that stops finishes its calls, and another runner continues', async () => {
  const runs = await Promise.all(Array.from({ length: 4 }, () => plane.run('holds')));
  const holdsOf = (run: string) => plane.effects().filter((line) => line.startsWith(`hold ${run}:`));
  await waitUntil('every run has called its tool', () => runs.every((id) => holdsOf(id).length === 1));
  const stopped = runners.at(-1)?.kill('SIGTERM');
  plane.letGo();
  expect(await stopped).toBe(0);
  startRunner();
  for (const id of runs) {
    await plane.until(id, 'completed');
    expect(holdsOf(id)).toHaveLength(1);
  }
});
