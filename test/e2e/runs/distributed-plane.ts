/**
 * A plane of separate processes for tests of runs: a gateway, a decider and a control service on Kafka and Redis, without
 * an audit, and any number of runners. A test can kill each process, and start it again.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createApiClient } from '@mandate/client';
import { dataFolder } from '@mandate/runtime';
import type { ApiScope } from '@mandate/schemas';
import { fileKeyStore, issueApiKey } from '@mandate/server';
import { type ServiceName, startKafka, startRedis, startSharedService } from '@mandate/testing';
import type { ModelScript } from '@mandate/testing/model-server';
import { environmentOf } from '../distributed/support/server-plane.ts';
import { openRunScene, runCalls } from './run-scene.ts';

/** Short, so that another runner takes over soon. The broker must allow it. */
const SESSION_MS = '2000';

export type DistributedPlane = Awaited<ReturnType<typeof startDistributedPlane>>;
export type AloneService = Awaited<ReturnType<typeof startSharedService>>;

/** @param agents the agents that the key of the runners names */
export async function startDistributedPlane(script: ModelScript, agents: readonly string[]) {
  const held = new AsyncDisposableStack();
  try {
    return await startIn(held, script, agents);
  } catch (error) {
    await held.disposeAsync();
    throw error;
  }
}

async function startIn(held: AsyncDisposableStack, script: ModelScript, agents: readonly string[]) {
  const scene = await openRunScene({ script });
  held.defer(() => scene.close());
  const kafka = held.use(await startKafka({ config: { 'group.min.session.timeout.ms': '500' } }));
  const redis = held.use(await startRedis({ appendonly: true }));
  const folder = dataFolder(join(scene.folder, 'plane'));
  const servers = { ...environmentOf({ kafka, redis }), DATA_PATH: folder.path };

  async function issueKey(scopes: ApiScope[], names: readonly string[]): Promise<string> {
    const { key, record } = issueApiKey({
      tenant: 'default',
      scopes,
      agents: [...names],
      name: scopes.join(),
    });
    await fileKeyStore(folder.keys).add(record);
    return key;
  }

  async function start(service: ServiceName, settings: Record<string, string> = {}): Promise<AloneService> {
    const started = await startSharedService(service, { ...servers, ...settings });
    held.defer(async () => void (await started.kill('SIGKILL')));
    return started;
  }

  const control = await start('control');
  writeFileSync(folder.mandates, 'version: 1\nid: none\nagents: [nobody]\n');
  const operator = await issueKey(['operate', 'author'], []);
  const runnerKey = await issueKey(['publish', 'report', 'release'], agents);
  const [decider, first] = await Promise.all([start('decider'), start('gateway')]);
  const runners: AloneService[] = [];
  let gateway = first;
  const api = () =>
    createApiClient({
      url: gateway.url,
      controlUrl: control.url,
      runnerUrl: runners.find(({ process }) => process.exitCode === null && process.signalCode === null)?.url,
      key: operator,
    });
  return {
    ...runCalls(api),
    effects: scene.effects,
    ...{ letGo: scene.letGo, holdAgain: scene.holdAgain },
    errors: () =>
      [control, decider, gateway, ...runners].map((one) => one.errors().slice(-3_000)).join('\n\n'),
    async killRunners() {
      await Promise.all(runners.map((runner) => runner.kill('SIGKILL')));
    },
    async startRunner(): Promise<AloneService> {
      const settings = {
        PLANE_URL: gateway.url,
        CONFIG_PATH: scene.runnerFile,
        SESSION_TIMEOUT_MS: SESSION_MS,
      };
      const runner = await start('runner', { ...settings, API_KEY: runnerKey });
      runners.push(runner);
      return runner;
    },
    /** Ends the gateway as a crash does, and starts another one at the same address. It knows no decision of before. */
    async replaceGateway() {
      await gateway.kill('SIGKILL');
      gateway = await start('gateway', { PORT: new URL(gateway.url).port });
    },
    stop: () => held.disposeAsync(),
  };
}
