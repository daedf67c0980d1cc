/** A plane in a process of its own. Its model gateway stands in front of a model server. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CounterUnit } from '@mandate/schemas';
import { type PlaneProcess, startPlane, waitUntil } from '@mandate/testing';
import { type ModelScript, type ModelServer, startModelServer } from '@mandate/testing/model-server';
import { stringify } from 'yaml';

export type Scene = AsyncDisposable & {
  url: string;
  openaiUrl: string;
  anthropicUrl: string;
  models: ModelServer;
  /** The data folder of the plane. */
  data: string;
  modelsFile: string;
  plane(): PlaneProcess;
  /** Stops the plane as an operator does, and starts it again. Resolves to the exit code. */
  restart(): Promise<number | null>;
  /** Registers a new agent under this mandate. */
  agentUnder(document: object): Promise<SceneAgent>;
  /** Calls a route of the plane as its operator. */
  call<T>(method: string, path: string, body?: object): Promise<T>;
  /** Replaces the document of models, and waits until it is in force. */
  serve(document: object): Promise<void>;
};

export type SceneAgent = {
  agentId: string;
  apiKey: string;
  /** The money of the agent after every call is settled, in micro-dollars. */
  spent(): Promise<number>;
  /** The tokens that `maxTokensTotal` counts, after every call is settled. */
  tokens(): Promise<number>;
  /** The tool calls that `maxToolCallsTotal` counts, after every call is settled. */
  toolCalls(): Promise<number>;
  /** The settlements of the agent, the newest first, once the audit has this number of them. */
  settlements(number: number): Promise<Settlement[]>;
};

export type Settlement = Record<string, unknown>;

type Balance = { budget: { subject: string; id: string; unit?: string }; used?: number };

/** Returns a document in which one model server answers every model of both protocols. */
export function documentOf({ url, openaiUrl }: Pick<ModelServer, 'url' | 'openaiUrl'>) {
  return {
    version: 1,
    upstreams: {
      openai: { protocol: 'openai', baseUrl: openaiUrl, apiKey: { env: 'UPSTREAM_KEY' } },
      anthropic: { protocol: 'anthropic', baseUrl: url, apiKey: { env: 'UPSTREAM_KEY' } },
    },
    models: { fast: { upstream: 'openai', model: 'gpt-4o-mini' } },
    defaults: { openai: 'openai', anthropic: 'anthropic' },
  };
}

export const UPSTREAM_KEY = 'sk-upstream-secret-0123456789';

export async function openScene(script: ModelScript = {}): Promise<Scene> {
  const folder = mkdtempSync(join(tmpdir(), 'mandate-test-'));
  const models = await startModelServer(script);
  const path = join(folder, 'models.yaml');
  writeFileSync(path, stringify(documentOf(models)));
  const data = join(folder, 'plane');
  const start = () =>
    startPlane({
      data,
      env: {
        MANDATE_MODELS_CONFIG_PATH: path,
        MANDATE_PLANE_REQUESTS_PER_KEY_PER_SECOND: '100000',
        UPSTREAM_KEY,
      },
    });
  let plane = await start();
  const { keys } = plane;
  const call = async <T>(method: string, at: string, body?: object): Promise<T> => {
    const response = await fetch(plane.url + at, {
      method,
      headers: { authorization: `Bearer ${keys.operator}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const answer = await response.json();
    if (!response.ok) throw new Error(`${method} ${at}: ${JSON.stringify(answer)}`);
    return answer as T;
  };
  // An agent of a test is refused more often than an agent should be.
  const refusals = { perSecond: 10_000, burst: 10_000 };
  await call('PUT', '/v1/tenants/default', {
    ...{ version: 1, id: 'default' },
    quotas: { refusalsPerAgent: refusals, refusals },
  });
  let agents = 0;
  return {
    ...{ models, data, call },
    modelsFile: path,
    plane: () => plane,
    get url() {
      return plane.url;
    },
    get openaiUrl() {
      return `${plane.url}/openai/v1`;
    },
    get anthropicUrl() {
      return `${plane.url}/anthropic`;
    },
    async restart() {
      const code = await plane.kill('SIGTERM');
      plane = await start();
      return code;
    },
    async agentUnder(document) {
      agents += 1;
      const agentId = `agent-${agents}`;
      await call('POST', '/v1/policies', { version: 1, id: `policy-${agents}`, ...document });
      await call('POST', '/v1/rules', {
        ...{ version: 1, id: `rule-${agents}` },
        ...{ policy: `policy-${agents}`, agents: [agentId] },
      });
      const { key } = await call<{ key: { key: string } }>('POST', '/v1/agents', { id: agentId });
      const open = async () => {
        const listed = await call<{ open: unknown[] }>('GET', `/v1/ledger/open?agentId=${agentId}`);
        return listed.open.length;
      };
      const settled = () => waitUntil('no open call', async () => (await open()) === 0);
      const usedIn = async (counted: CounterUnit) => {
        await settled();
        const { balances } = await call<{ balances: Balance[] }>('GET', '/v1/ledger/balances');
        const found = balances.find(
          ({ budget: { subject, id, unit } }) => subject === agentId && id === 'total' && unit === counted,
        );
        return found?.used ?? 0;
      };
      return {
        ...{ agentId, apiKey: key.key },
        async spent() {
          await settled();
          const usage = await call<{ totalMicros: number }>('GET', `/v1/agents/${agentId}/usage`);
          return usage.totalMicros;
        },
        tokens: () => usedIn('tokens'),
        toolCalls: () => usedIn('toolCalls'),
        async settlements(number) {
          await settled();
          return waitUntil(`${number} settlements`, async () => {
            const path = `/v1/audit/settlements?agent=${agentId}&limit=1000`;
            const { settlements } = await call<{ settlements: Settlement[] }>('GET', path);
            return settlements.length >= number ? settlements : null;
          });
        },
      };
    },
    async serve(document) {
      const lines = ['the document of models was edited', 'the file is bad'];
      const said = plane.says('stderr', (line) => lines.some((one) => line.includes(one)) || undefined);
      writeFileSync(path, stringify(document));
      await said;
    },
    async [Symbol.asyncDispose]() {
      await plane.kill('SIGKILL');
      await models.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
