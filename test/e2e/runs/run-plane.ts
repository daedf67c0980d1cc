/**
 * A plane with a runner, a model server and a bank of tools with effects, for tests of runs. The plane runs in its own
 * process, so that a test can kill it.
 */
import { join } from 'node:path';
import { type ApiClient, createApiClient } from '@mandate/client';
import { type PlaneProcess, startPlane } from '@mandate/testing';
import type { ModelScript } from '@mandate/testing/model-server';
import { openRunScene, runCalls } from './run-scene.ts';

export { HOLDS, HOLDS_OR_PAYS, PAYS, REFUND, type ShownRun, USAGE } from './run-scene.ts';

export type RunPlane = Awaited<ReturnType<typeof startRunPlane>>;

export async function startRunPlane(
  options: { script?: ModelScript; runnerFile?: object; env?: Readonly<Record<string, string>> } = {},
) {
  const { folder, models, runnerFile, effects, letGo, close } = await openRunScene(options);
  const data = join(folder, 'plane');
  const start = (env: Readonly<Record<string, string>> = {}): Promise<PlaneProcess> =>
    startPlane({
      data,
      env: {
        MANDATE_RUNNER_CONFIG_PATH: runnerFile,
        MANDATE_RUNNER_SESSION_TIMEOUT_MS: '1000',
        MANDATE_PLANE_REQUESTS_PER_KEY_PER_SECOND: '100000',
        ...options.env,
        ...env,
      },
    });
  let plane = await start();
  const { keys } = plane;
  let api = createApiClient({ url: plane.url, key: keys.operator });
  return {
    ...runCalls(() => api),
    ...{ models, keys, effects, letGo, data, runnerFile },
    api: (): ApiClient => api,
    url: () => plane.url,
    async stop() {
      await plane.kill('SIGKILL');
      await close();
    },
    /** Ends the plane with its runner at once, as a crash does. */
    async crash() {
      await plane.kill('SIGKILL');
    },
    /** @param env settings of this start only */
    async restart(env: Readonly<Record<string, string>> = {}) {
      plane = await start(env);
      api = createApiClient({ url: plane.url, key: keys.operator });
    },
    decisions: async (query: Record<string, string>) => {
      const { decisions } = await api.get<{ decisions: Record<string, unknown>[] }>('/v1/audit/decisions', {
        ...query,
        limit: 1_000,
      });
      return decisions;
    },
  };
}
