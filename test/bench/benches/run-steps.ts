/**
 * Measures how many steps of runs the runner performs, in a whole plane in one process. A step is two actions: the step
 * itself, and a call of a model that answers at once. The rival decides as many actions and does nothing else: a bare
 * decider on a log of its own.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createApiClient } from '@mandate/client';
import { openPlane, type Plane, planeConfig } from '@mandate/plane';
import { silentLogger } from '@mandate/runtime';
import { readRunEvent, TOPICS } from '@mandate/schemas';
import { startModelServer } from '@mandate/testing/model-server';
import { compare } from '../measure/compare.ts';
import { measureWork, type Work } from '../measure/work.ts';
import type { Row } from '../row.ts';
import { decideOn, newLedger } from '../workload/decider.ts';
import { limitNothing } from '../workload/limit-nothing.ts';
import { chainOfSteps } from '../workload/manifests.ts';
import { newRequests } from '../workload/requests.ts';
import { appendAll, temporaryFolder, temporaryLog } from '../workload/temporary-log.ts';

const MANIFEST = 'chain';
const STEPS_OF_RUN = 20;
const RUNS = 32;
const ACTIONS_OF_STEP = 2;

export async function runSteps(): Promise<Row[]> {
  using folder = temporaryFolder();
  const models = await startModelServer({ text: 'Short.', usage: { inputTokens: 100, outputTokens: 10 } });
  const runnerFile = join(folder.path, 'runner.yaml');
  const openai = { protocol: 'openai', apiKey: 'sk-bench', baseUrl: models.openaiUrl };
  writeFileSync(runnerFile, JSON.stringify({ version: 1, providers: { openai } }));
  const config = planeConfig.parse({
    PLANE_DATA_PATH: folder.path,
    PLANE_PORT: 0,
    PLANE_REQUESTS_PER_KEY_PER_SECOND: 1_000_000,
    RUNNER_CONFIG_PATH: runnerFile,
  });
  const plane = await openPlane(config, silentLogger());
  try {
    const key = plane.firstKeys.find(({ name }) => name === 'operator')?.key ?? '';
    await limitNothing({ url: plane.url, key });
    const api = createApiClient({ url: plane.url, key });
    const manifest = JSON.stringify(chainOfSteps(MANIFEST, STEPS_OF_RUN));
    await api.post('/v1/manifests', { manifest, options: {} });
    const start = () => api.post('/v1/runs', { manifest: MANIFEST, inputs: {} });
    return [
      ...(await besideDecider(`runs of ${STEPS_OF_RUN} steps, ${RUNS} at once`, RUNS, () =>
        finishing(plane, RUNS, () => Promise.all(Array.from({ length: RUNS }, start))),
      )),
      ...(await besideDecider('the steps of one run alone', 1, () => finishing(plane, 1, start))),
    ];
  } finally {
    await plane.stop();
    await models.close();
  }
}

function besideDecider(what: string, runs: number, run: () => Promise<void>): Promise<Row[]> {
  const steps = runs * STEPS_OF_RUN;
  return compare({
    pairs: 5,
    ours: () => measureWork(steps, run),
    rival: { what: 'the bare decider, two actions a step', run: () => deciding(steps) },
    figures: { perSecond: { what, unit: '/s' } },
  });
}

/** Resolves when the runs have completed, and all their actions are in the audit. */
async function finishing(plane: Plane, runs: number, start: () => Promise<unknown>): Promise<void> {
  const ended = Promise.withResolvers<void>();
  let open = runs;
  const reader = await plane.bus.read({
    topics: [TOPICS.runs],
    from: 'latest',
    onRecords(records) {
      for (const { value } of records) {
        const event = readRunEvent(value);
        if (event.event === 'run.failed') ended.reject(new Error(`${event.code}: ${event.reason}`));
        if (event.event === 'run.completed') open -= 1;
      }
      if (open === 0) ended.resolve();
    },
  });
  try {
    await Promise.all([start(), ended.promise]);
  } finally {
    await reader.stop();
  }
  await plane.atRest();
}

async function deciding(steps: number): Promise<Work> {
  await using log = await temporaryLog();
  const { bus } = log;
  await appendAll(bus, TOPICS.actions, newRequests(steps * ACTIONS_OF_STEP));
  const ledger = await newLedger(bus);
  return await measureWork(steps, async () => {
    const decider = await decideOn(bus, ledger);
    await decider.caughtUp();
    await decider.stop();
  });
}
