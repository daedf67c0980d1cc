/** A real plane, a model server, and the MCP servers of tests, around the step of an agent. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createApiClient } from '@mandate/client';
import { dataFolder, silentLogger, systemClock } from '@mandate/runtime';
import { Mandate } from '@mandate/sdk/plane';
import { fileKeyStore, issueApiKey } from '@mandate/server';
import { type PlaneProcess, startPlane } from '@mandate/testing';
import { type ModelScript, type ModelServer, startModelServer } from '@mandate/testing/model-server';
import { openModelClients } from '../models/open-model-clients.ts';
import { TokenWindows } from '../models/token-windows.ts';
import { loadRunnerDocument } from '../runner-document.ts';
import { openToolServers } from '../tools/open-tool-servers.ts';
import type { CallEvent } from './call-event.ts';
import { planeAttempts } from './plane-attempts.ts';
import type { AgentStepDeps } from './port.ts';
import type { AgentStep, StepTool } from './step.ts';

type Documents = {
  /** Fields of the policy of the agent. */
  policy?: object;
  tools?: readonly string[];
};

export type Scene = Awaited<ReturnType<typeof startScene>>;

/** The effects server is bound as `bank`, and can be reached as `mcp://bank`. */
export async function startScene() {
  const folder = mkdtempSync(join(tmpdir(), 'mandate-test-'));
  const effects = join(folder, 'effects');
  const plane = await startPlane({
    data: join(folder, 'plane'),
    env: { PLANE_REQUESTS_PER_KEY_PER_SECOND: '100000' },
  });
  const models = await startModelServer();
  const toolServers = openBank(effects);
  let families = 0;
  return {
    models,
    toolServers,
    plane,
    /** The calls of tools that had an effect, as `tool key`. */
    effects: () => (tryRead(effects) ?? '').split('\n').filter((line) => line !== ''),
    operator: operatorOf(plane),
    /** Registers a manifest and one agent on the plane, each with a policy. Begins a step of a new run. */
    async family(documents: Documents = {}) {
      families += 1;
      return openFamily(plane, join(folder, 'plane'), `m${families}`, documents);
    },
    async stop() {
      await toolServers.close();
      await models.close();
      await plane.kill('SIGKILL');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export type Family = Awaited<ReturnType<typeof openFamily>>;

async function openFamily(
  plane: PlaneProcess,
  data: string,
  id: string,
  { policy = {}, tools = ['look', 'pay'] }: Documents,
) {
  const operator = operatorOf(plane);
  const agentId = `${id}.w`;
  const allowedModels = ['gpt-4o', 'claude-haiku-4-5'];
  const registry = ['step.a', ...tools];
  await operator.post('/v1/policies', {
    ...{ version: 1, id, allowedTools: ['step.a'], delegableTools: tools, tools: registry, allowedModels },
  });
  const own = { allowedTools: tools, tools: registry, allowedModels };
  await operator.post('/v1/policies', { version: 1, id: agentId, ...own, ...policy });
  for (const one of [id, agentId])
    await operator.post('/v1/rules', { version: 1, id: one, policy: one, agents: [one] });
  await operator.post('/v1/agents', { id });
  await operator.post('/v1/agents', { id: agentId, parent: id });
  const { key: apiKey, record } = issueApiKey({
    ...{ tenant: 'default', name: id, scopes: ['publish', 'report'] },
    agents: [id, agentId],
  });
  await fileKeyStore(dataFolder(data).keys).add(record);
  const mandate = new Mandate({ planeUrl: plane.url, apiKey, timeoutMs: 30_000, onError: () => {} });
  let runs = 0;
  return {
    id,
    agentId,
    mandate,
    attempts: planeAttempts(createApiClient({ url: plane.url, key: apiKey })),
    /** Begins a step of a new run in the same way as the run service: the step is an action of the manifest. */
    async begin(): Promise<string> {
      runs += 1;
      const actionId = `${id}-run${runs}:a:1`;
      const stepped = mandate.agent({ agentId: id });
      await stepped.start({ type: 'tool_call', tool: 'step.a', args: {}, options: { actionId } });
      return actionId;
    },
  };
}

export function toolOf(name: string, changes: Partial<Extract<StepTool, { kind: 'server' }>> = {}): StepTool {
  return { kind: 'server', name, id: name, uri: 'mcp://bank', risk: 'safe', hash: null, ...changes };
}

export function stepOf(
  { agentId }: Pick<Family, 'agentId'>,
  actionId: string,
  changes: Partial<AgentStep> = {},
): AgentStep {
  return {
    actionId,
    agentId,
    prompt: { role: 'a clerk', goal: 'Pay what is due.' },
    skills: [],
    contextStrategy: 'hybrid',
    tools: [toolOf('look'), toolOf('pay', { risk: 'standard' })],
    model: { name: 'gpt-4o', provider: 'openai', estimate: null, throttle: {} },
    inputs: { customer: 'Ada' },
    outputs: null,
    historySupport: true,
    history: [],
    ...changes,
  };
}

/** A journal in memory. `log` has the events that are on it. */
export function journal(history: readonly CallEvent[] = []) {
  const log: CallEvent[] = [...history];
  return {
    log,
    append: async (event: CallEvent) => {
      // A log contains JSON, so this journal returns only JSON too.
      log.push(JSON.parse(JSON.stringify(event)));
    },
  };
}

export function depsOf(
  { models, toolServers }: Pick<Scene, 'models' | 'toolServers'>,
  { mandate, attempts }: Pick<Family, 'mandate' | 'attempts'>,
  actionId: string,
  changes: Partial<AgentStepDeps> = {},
): AgentStepDeps {
  return {
    mandateFor: (agentId) => ({
      agent: () => mandate.with({ agentId, parentActionId: actionId }).agent(),
    }),
    models: clientsOf(models),
    tokenWindows: new TokenWindows(systemClock),
    toolServers,
    attempts,
    journal: journal(),
    signal: new AbortController().signal,
    ...changes,
  };
}

function clientsOf({ url, openaiUrl }: ModelServer) {
  const providers = {
    openai: { protocol: 'openai', apiKey: 'sk-test', baseUrl: openaiUrl },
    anthropic: { protocol: 'anthropic', apiKey: 'sk-test', baseUrl: url },
  } as const;
  return openModelClients({ providers }, systemClock());
}

/** Chooses the reply by the results of tools in the request, so that a repeated request gets the same reply. */
export function scripted(
  turns: readonly Exclude<ModelScript, readonly unknown[] | ((...given: never) => unknown)>[],
) {
  return ({ body }: { body: { messages: { role: string }[] } }) => {
    const isTold = body.messages.filter(({ role }) => role === 'assistant').length;
    return turns[isTold] ?? turns.at(-1) ?? {};
  };
}

function openBank(effects: string) {
  const server = join(import.meta.dirname, '../tools/effects-server.fixture.ts');
  const bank = {
    command: process.execPath,
    args: [server],
    env: { EFFECTS_FILE: effects },
    protocol: 'legacy',
  };
  const loaded = loadRunnerDocument(Buffer.from(JSON.stringify({ version: 1, servers: { bank } })), {});
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.faults));
  return openToolServers(loaded.document, silentLogger());
}

function operatorOf({ url, keys }: PlaneProcess) {
  return createApiClient({ url, key: keys.operator });
}

function tryRead(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}
