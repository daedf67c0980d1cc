/**
 * Ends the runner at each event of a step, and lets another runner continue with the events on the log. The first
 * runner ends either directly before an event is appended, after the work, or directly after it.
 */
import { IS_SHORT, waitUntil } from '@mandate/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { CallEvent } from './call-event.ts';
import { runAgentStep } from './run-agent-step.ts';
import {
  depsOf,
  type Family,
  journal,
  type Scene,
  scripted,
  startScene,
  stepOf,
  toolOf,
} from './scene.fixture.ts';

let scene: Scene;
let family: Family;

beforeAll(async () => {
  scene = await startScene();
  family = await scene.family({ policy: { maxCostTotal: 100 } });
  scene.models.script(
    scripted([
      { toolCalls: [{ name: 'look', args: { customer: 'Ada' } }], usage },
      { toolCalls: [{ name: 'pay', args: { customer: 'Ada', amount: 3 } }], usage },
      { text: 'Ada was paid.', usage },
    ]),
  );
});
afterAll(() => scene.stop());

const usage = { inputTokens: 100, outputTokens: 10 };
const tools = [toolOf('look'), toolOf('pay', { risk: 'standard' })];

/**
 * The events of a step without interruption: three calls of the model and two calls of tools, each begun and completed.
 */
const EVENTS = 10;

class Killed extends Error {}

/** Runs a step in a runner that ends at the event with this index. Nothing after this event happens. */
async function runUntilKilled(at: number, when: 'before' | 'after', by = family) {
  const actionId = await by.begin();
  let appended = 0;
  const log: CallEvent[] = [];
  const append = async (event: CallEvent) => {
    appended += 1;
    if (appended - 1 < at || when === 'after') log.push(JSON.parse(JSON.stringify(event)));
    if (appended - 1 === at) throw new Killed();
  };
  const first = runAgentStep(
    stepOf(by, actionId, { tools }),
    depsOf(scene, by, actionId, { journal: { append } }),
  );
  await expect(first).rejects.toThrow(Killed);
  return { actionId, log };
}

/** A gateway that was restarted after the crash does not know the earlier decisions. The ledger still knows them. */
const forgetful = (by: Family): Family => ({ ...by, attempts: { ...by.attempts, find: async () => null } });

function resume(actionId: string, history: readonly CallEvent[], by = family) {
  const log = journal(history);
  const result = runAgentStep(
    stepOf(by, actionId, { tools, history }),
    depsOf(scene, by, actionId, { journal: log }),
  );
  return result.then((ended) => ({ ended, log: log.log }));
}

const callsOf = (tool: string, actionId: string) =>
  scene.effects().filter((line) => line.startsWith(`${tool} ${actionId}:`));

const cuts = Array.from({ length: EVENTS }, (_, at) => at);
/** In a short run, a runner ends after every second event only. Other tests of this file end one before each event. */
const isTested = (at: number) => !IS_SHORT || at % 2 === 0;

test.each(cuts.filter(isTested))('continues after a runner ended directly after event %i', async (at) => {
  const { actionId, log } = await runUntilKilled(at, 'after');
  const { ended, log: whole } = await resume(actionId, log);
  expect(ended).toEqual({ status: 'completed', output: 'Ada was paid.' });
  expect(callsOf('look', actionId)).toEqual([`look ${actionId}:t1`]);
  expect(callsOf('pay', actionId)).toEqual([`pay ${actionId}:t2`]);
  expect(whole.filter(({ event }) => event === 'call.completed').map((event) => event.actionId)).toEqual(
    ['m1', 't1', 'm2', 't2', 'm3'].map((call) => `${actionId}:${call}`),
  );
});

const memories = [
  ['the gateway knows the decisions', () => family],
  ['the gateway has forgotten the decisions', () => forgetful(family)],
] as const;
const lostAnswers = memories.flatMap(([memory, by]) => cuts.map((at) => [at, memory, by] as const));

test.each(lostAnswers)('continues after a runner ended directly before event %i; %s', async (at, _, by) => {
  const { actionId, log } = await runUntilKilled(at, 'before');
  const asked = scene.models.requests.length;
  const { ended } = await resume(actionId, log, by());
  const lost = ['', 'm1', '', 't1', '', 'm2', '', 't2', '', 'm3'][at];
  if (lost === 't2') {
    expect(ended).toMatchObject({ status: 'uncertain', actionId: `${actionId}:t2`, tool: 'pay' });
    expect(callsOf('pay', actionId)).toHaveLength(1);
    expect(scene.models.requests).toHaveLength(asked);
    return;
  }
  expect(ended).toEqual({ status: 'completed', output: 'Ada was paid.' });
  expect(callsOf('pay', actionId)).toEqual([`pay ${actionId}:t2`]);
  // A tool that only reads is called again with the same idempotency key.
  const look = `look ${actionId}:t1`;
  expect(callsOf('look', actionId)).toEqual(lost === 't1' ? [look, look] : [look]);
});

test.each(memories)(
  'charges what a lost call of the model had reserved, because its provider may have billed it; %s',
  async (_, by) => {
    const costOf = async () => {
      await family.mandate.flush();
      return (await family.mandate.getCost(family.agentId)).totalMicros;
    };
    const before = await costOf();
    const { actionId, log } = await runUntilKilled(1, 'before');
    const path = `/v1/actions/${encodeURIComponent(`${actionId}:m1`)}`;
    const asked = { agentId: family.agentId, attempt: 1 };
    const { decision } = await scene.operator.get<{ decision: { reservation: { micros: number } } }>(
      path,
      asked,
    );
    await resume(actionId, log, by());
    // The price of gpt-4o in the price list: 2.50 dollars for a million input tokens, 10 for a million output tokens.
    expect((await costOf()) - before).toBe(decision.reservation.micros + 3 * (250 + 100));
  },
);

test('repeats a call of the model as it was, even if its messages would differ now', async () => {
  const { actionId, log } = await runUntilKilled(1, 'before');
  const prompt = { role: 'a clerk', goal: 'Pay what is due, and not a cent more than that.' };
  const result = await runAgentStep(
    stepOf(family, actionId, { tools, history: log, prompt }),
    depsOf(scene, family, actionId),
  );
  expect(result).toEqual({ status: 'completed', output: 'Ada was paid.' });
});

test('does not call a tool with effects again, even if the plane has forgotten the first decision', async () => {
  const policy = { toolPolicies: { pay: { executionLeaseMs: 1_000 } } };
  const own = await scene.family({ policy });
  const { actionId, log } = await runUntilKilled(7, 'before', own);
  await waitUntil('the lease to end', async () => {
    const { open } = await scene.operator.get<{ open: unknown[] }>('/v1/ledger/open', {
      agentId: own.agentId,
    });
    return open.length === 0;
  });
  const result = await runAgentStep(
    stepOf(own, actionId, { tools, history: log }),
    depsOf(scene, forgetful(own), actionId),
  );
  expect(result).toMatchObject({ status: 'uncertain', actionId: `${actionId}:t2` });
  expect(callsOf('pay', actionId)).toHaveLength(1);
});

test('finds the final refusal of a call that an earlier runner requested', async () => {
  const refused = await scene.family({ policy: { allowedTools: ['look'] } });
  const { actionId, log } = await runUntilKilled(7, 'before', refused);
  expect(log.at(-1)).toMatchObject({ event: 'call.begun', actionId: `${actionId}:t2` });
  const { ended, log: whole } = await resume(actionId, log, refused);
  expect(ended).toEqual({ status: 'completed', output: 'Ada was paid.' });
  expect(callsOf('pay', actionId)).toEqual([]);
  const text = expect.stringMatching(/^TOOL_NOT_ALLOWED: .+\. .+\.$/s);
  expect(whole).toContainEqual(
    expect.objectContaining({ answer: { type: 'refused', code: 'TOOL_NOT_ALLOWED', text } }),
  );
});

test('makes a call again that a person says was not done, even if the plane has forgotten the first decision', async () => {
  const { actionId, log } = await runUntilKilled(7, 'before');
  const { agentId } = family;
  log.push({ event: 'call.resolved', actionId: `${actionId}:t2`, agentId, done: false });
  const { ended } = await resume(actionId, log, forgetful(family));
  expect(ended).toEqual({ status: 'completed', output: 'Ada was paid.' });
  expect(callsOf('pay', actionId)).toHaveLength(2);
});
