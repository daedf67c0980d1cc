/** What tests of runs share: a model server, a bank of tools with effects, and calls to the routes of runs. */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ApiClient, ApiError } from '@mandate/client';
import type { RunEvent } from '@mandate/schemas';
import { waitUntil } from '@mandate/testing';
import { type ModelReply, type ModelScript, startModelServer } from '@mandate/testing/model-server';

const BANK = join(import.meta.dirname, '../../../services/runner/src/tools/effects-server.fixture.ts');

/** A run, as GET /v1/runs/{id} returns it. */
export type ShownRun = {
  id: string;
  status: 'running' | 'waiting' | 'completed' | 'failed' | 'cancelled';
  outputs: unknown;
  failure: { code: string; reason: string; step: string | null } | null;
  waiting:
    | {
        for: 'approval';
        step: string;
        approvals: { approvalId: string; agentId: string; actionId: string; isExpired?: true }[];
      }
    | { for: 'resolution'; step: string; tool: string | null; actionId: string | null }
    | null;
  current: { step: string; attempt: number; phase: string } | null;
  steps: Record<string, { visits: number; output?: unknown }>;
};

/** Writes the file of a runner that reaches the model server, and the bank as `mcp://bank`. */
export async function openRunScene(options: {
  script?: ModelScript | undefined;
  runnerFile?: object | undefined;
}) {
  const folder = mkdtempSync(join(tmpdir(), 'mandate-test-'));
  const effectsFile = join(folder, 'effects');
  const models = await startModelServer(options.script);
  const runnerFile = join(folder, 'runner.yaml');
  const bank = {
    command: process.execPath,
    args: [BANK],
    env: { EFFECTS_FILE: effectsFile },
    protocol: 'legacy',
  };
  const document = {
    version: 1,
    servers: { bank },
    providers: {
      openai: { protocol: 'openai', apiKey: 'sk-test', baseUrl: models.openaiUrl },
      anthropic: { protocol: 'anthropic', apiKey: 'sk-test', baseUrl: models.url },
    },
    ...options.runnerFile,
  };
  writeFileSync(runnerFile, JSON.stringify(document));
  return {
    ...{ folder, models, runnerFile },
    /** The calls of tools that had an effect, as `tool key`. */
    effects: () =>
      existsSync(effectsFile)
        ? readFileSync(effectsFile, 'utf8')
            .split('\n')
            .filter((line) => line !== '')
        : [],
    /** Lets the calls of the tool `hold` answer. */
    letGo: () => writeFileSync(`${effectsFile}.go`, ''),
    holdAgain: () => rmSync(`${effectsFile}.go`, { force: true }),
    async close() {
      await models.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** @param api the client of an operator at that moment: a plane that was started again has another address */
export function runCalls(api: () => ApiClient) {
  const show = (id: string) => api().get<ShownRun>(`/v1/runs/${id}`);
  return {
    publish: (manifest: object, compile: object = {}) =>
      api().post<{ id: string; hash: string; version: number }>('/v1/manifests', {
        manifest: JSON.stringify(manifest),
        options: compile,
      }),
    async run(manifest: string, inputs: object = {}, more: object = {}): Promise<string> {
      const { id } = await api().post<{ id: string }>('/v1/runs', { manifest, inputs, ...more });
      return id;
    },
    show,
    /** Waits until the run has one of these statuses. Rejects if it ends in another way. */
    async until(id: string, ...statuses: ShownRun['status'][]): Promise<ShownRun> {
      let last: ShownRun | null = null;
      await waitUntil(`the run ${id} is ${statuses.join(' or ')}`, async () => {
        last = await show(id).catch((error) => {
          if (error instanceof ApiError && error.status !== null && error.status < 500) throw error;
          return null;
        });
        const isOver = last !== null && ['completed', 'failed', 'cancelled'].includes(last.status);
        if (isOver && last !== null && !statuses.includes(last.status))
          throw new Error(`the run is ${last.status}: ${JSON.stringify(last.failure)}`);
        return last !== null && statuses.includes(last.status);
      });
      if (last === null) throw new Error('the run was never seen');
      return last;
    },
    untilWaitingAt: (id: string, step: string): Promise<ShownRun> =>
      waitUntil(`the run ${id} waits at ${step}`, async () => {
        const run = await show(id);
        return run.waiting?.step === step ? run : null;
      }),
    async approve(run: ShownRun, answer: 'approve' | 'deny' = 'approve') {
      if (run.waiting?.for !== 'approval') throw new Error('the run waits for no approval');
      for (const { approvalId } of run.waiting.approvals)
        await api().post(`/v1/approvals/${approvalId}/${answer}`, { reason: 'looked at it' });
    },
    resolve: (id: string, step: string, body: { done: boolean; output?: unknown }) =>
      api().post(`/v1/runs/${id}/steps/${step}/resolve`, body),
    async events(id: string): Promise<RunEvent[]> {
      const response = await api().stream(`/v1/runs/${id}/stream`, {});
      const events: RunEvent[] = [];
      const text = await response.text();
      for (const line of text.split('\n')) {
        if (line.startsWith('data: ')) events.push(JSON.parse(line.slice(6)).data);
      }
      return events.filter((event) => 'event' in event);
    },
  };
}

type Asked = { body: { messages: readonly { role: string; content: unknown }[] } };

export const USAGE = { inputTokens: 100, outputTokens: 10 };

/** A research workflow: an agent looks a customer up and pays, then a model says it in short. */
export const REFUND = {
  apiVersion: 'coreason.ai/v2',
  kind: 'Recipe',
  metadata: { name: 'Refund', version: '1.0.0', requires_auth: true },
  interface: { inputs: { customer: { type: 'string' } }, outputs: { summary: { type: 'string' } } },
  policy: { max_retries: 2 },
  definitions: {
    look: { type: 'tool', name: 'Look', uri: 'mcp://bank', risk_level: 'safe' },
    pay: { type: 'tool', name: 'Pay', uri: 'mcp://bank', risk_level: 'critical' },
    clerk: {
      type: 'agent',
      name: 'Clerk',
      role: 'a clerk',
      goal: 'Pay what is due.',
      model: 'gpt-4o',
      tools: ['look', 'pay'],
    },
    writer: { type: 'agent', name: 'Writer', role: 'a writer', goal: 'Say it in short.', model: 'gpt-4o' },
  },
  workflow: {
    start: 'refund',
    steps: {
      refund: { type: 'agent', agent: 'clerk', next: 'summarize' },
      // biome-ignore lint/suspicious/noTemplateCurlyInString: the form of an expression in a manifest
      summarize: { type: 'agent', agent: 'writer', inputs: { paid: '${steps.refund.output}' } },
    },
  },
};

/**
 * The clerk looks, pays, and says so; the writer only writes. Answers depend on the turns that a request has already, so
 * a repeated request gets the same reply.
 */
export const PAYS = ({ body: { messages } }: Asked): ModelReply => {
  if (JSON.stringify(messages).includes('Say it in short.')) return { text: 'Ada was paid.', usage: USAGE };
  const turns = [
    { toolCalls: [{ name: 'look', args: { customer: 'Ada' } }], usage: USAGE },
    { toolCalls: [{ name: 'pay', args: { customer: 'Ada', amount: 3 } }], usage: USAGE },
  ];
  return turns[messages.filter(({ role }) => role === 'assistant').length] ?? { text: 'Paid.', usage: USAGE };
};

/** The clerk of this manifest calls a tool that answers only once the test lets it go. */
export const HOLDS = {
  ...REFUND,
  metadata: { ...REFUND.metadata, name: 'holds' },
  definitions: {
    hold: { type: 'tool', name: 'Hold', uri: 'mcp://bank', risk_level: 'critical' },
    clerk: { ...REFUND.definitions.clerk, goal: 'Hold.', tools: ['hold'] },
  },
  workflow: { start: 'refund', steps: { refund: { type: 'agent', agent: 'clerk' } } },
  interface: { inputs: {} },
};

/** The clerk of `HOLDS` calls its tool once. All others do as in `PAYS`. */
export const HOLDS_OR_PAYS = (request: Asked): ModelReply => {
  const { messages } = request.body;
  if (!JSON.stringify(messages).includes('Hold.')) return PAYS(request);
  const isFirst = messages.every(({ role }) => role !== 'assistant');
  return { ...(isFirst ? { toolCalls: [{ name: 'hold', args: {} }] } : { text: 'Held.' }), usage: USAGE };
};
