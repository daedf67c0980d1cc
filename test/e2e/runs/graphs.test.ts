/** Runs of graph recipes: a router, a loop with an evaluator, and people who answer. */
import type { RunEventOf } from '@mandate/schemas';
import { waitUntil } from '@mandate/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type RunPlane, type ShownRun, startRunPlane, USAGE } from './run-plane.ts';

/** The agents of the graphs. The teller pays, the judge gives scores, and neither waits for a person. */
const DESK = {
  apiVersion: 'coreason.ai/v2',
  kind: 'Agent',
  metadata: { name: 'Desk', requires_auth: true },
  definitions: {
    look: { type: 'tool', name: 'Look', uri: 'mcp://bank', risk_level: 'safe' },
    pay: { type: 'tool', name: 'Pay', uri: 'mcp://bank', risk_level: 'critical' },
    writer: {
      ...{ type: 'agent', name: 'Writer', role: 'a writer', goal: 'Write a letter.', model: 'gpt-4o' },
      interface: { outputs: { letter: { type: 'string' } } },
    },
    judge: { type: 'agent', name: 'Judge', role: 'a judge', goal: 'Judge the letter.', model: 'gpt-4o' },
    teller: {
      ...{ type: 'agent', name: 'Teller', role: 'a teller', goal: 'Pay what is due.', model: 'gpt-4o' },
      tools: ['look', 'pay'],
    },
  },
};

const judge = {
  ...{ type: 'evaluator', id: 'judge', target_variable: 'letter', evaluator_agent_ref: 'desk.judge' },
  ...{ evaluation_profile: 'polite', pass_threshold: 0.8, max_refinements: 2 },
  ...{ pass_route: 'ask', fail_route: 'write', feedback_variable: 'critique' },
};

const REFUND = {
  apiVersion: 'coreason.ai/v2',
  kind: 'Recipe',
  metadata: { name: 'Refund' },
  interface: {
    inputs: { kind: { type: 'string' }, customer: { type: 'string' } },
    outputs: { letter: { type: 'string' }, pay: { type: 'string' } },
  },
  topology: {
    entry_point: 'sort',
    nodes: [
      { type: 'router', id: 'sort', input_key: 'kind', routes: { refund: 'write' }, default_route: 'close' },
      { type: 'agent', id: 'write', agent_ref: 'desk.writer' },
      judge,
      { type: 'human', id: 'ask', prompt: 'Send this letter, and pay?', required_role: 'operator' },
      { type: 'agent', id: 'pay', agent_ref: 'desk.teller', inputs_map: { customer: 'customer' } },
      { type: 'agent', id: 'close', agent_ref: 'desk.writer', system_prompt_override: 'Say goodbye.' },
    ],
    edges: [
      { source: 'write', target: 'judge' },
      { source: 'ask', target: 'pay' },
    ],
  },
};

type Message = { role: string; content: unknown };

/** The scores that the judge gives, by the letter. */
const scores = new Map<string, unknown>();

function reply({ body: { messages } }: { body: { messages: readonly Message[] } }): object {
  const text = JSON.stringify(messages);
  const said = (value: unknown) => ({
    text: typeof value === 'string' ? value : JSON.stringify(value),
    usage: USAGE,
  });
  if (text.includes('Say goodbye.')) return said({ letter: 'Goodbye.' });
  // The writer writes a better letter once the board has a critique.
  if (text.includes('Write a letter.')) {
    if (text.includes('Max')) return { fault: { kind: 'hang', afterEvents: 0 } };
    const draft = text.includes('too long') ? 'short' : 'long';
    return said({ letter: text.includes('Eve') ? `${draft} to Eve` : draft });
  }
  if (text.includes('Judge the letter.')) {
    const known = [...scores].find(([letter]) => text.includes(letter));
    return said(known?.[1] ?? { score: text.includes('short') ? 0.9 : 0.2, feedback: 'too long' });
  }
  const turns = messages.filter(({ role }) => role === 'assistant').length;
  if (turns === 0) return { toolCalls: [{ name: 'look', args: { customer: 'Ada' } }], usage: USAGE };
  if (turns === 1)
    return { toolCalls: [{ name: 'pay', args: { customer: 'Ada', amount: 3 } }], usage: USAGE };
  return said(text.includes('You speak French.') ? 'Payé.' : 'Paid.');
}

const NO_QUESTIONS = { risk: { critical: {} } };

let plane: RunPlane;

beforeAll(async () => {
  plane = await startRunPlane({ script: reply as never });
  const early = await plane.publish(REFUND).catch((error: unknown) => error);
  expect(early).toMatchObject({ code: 'MANIFEST_INVALID' });
  await plane.publish(DESK, NO_QUESTIONS);
  await plane.publish(REFUND);
});

afterAll(() => plane.stop());

const ADA = { kind: 'refund', customer: 'Ada' };
const stepsOf = ({ steps }: ShownRun) =>
  Object.fromEntries(Object.entries(steps).map(([step, { visits }]) => [step, visits]));
const paysOf = (run: string) => plane.effects().filter((line) => line.startsWith(`pay ${run}:`));

test('a graph routes, refines until the score passes, asks a person, and pays once', async () => {
  const id = await plane.run('refund', ADA);
  const asked = await plane.untilWaitingAt(id, 'ask');
  expect(stepsOf(asked)).toEqual({ sort: 1, write: 2, judge: 2, ask: 1 });
  expect(asked.steps.judge?.output).toEqual({ score: 0.9, feedback: 'too long', refinements: 1 });
  // The person sees the letter that the answer is about.
  const { approvals } = await waitUntil('the question is in the audit', async () => {
    const found = await plane.api().get<{ approvals: { args: unknown }[] }>('/v1/approvals');
    return found.approvals.length > 0 ? found : null;
  });
  expect(approvals[0]?.args).toMatchObject({
    prompt: 'Send this letter, and pay?',
    board: { letter: 'short' },
  });

  await plane.approve(asked);
  const done = await plane.until(id, 'completed');
  expect(done.outputs).toEqual({ letter: 'short', pay: 'Paid.' });
  expect(paysOf(id)).toHaveLength(1);

  const events = await plane.events(id);
  const [started] = events as [RunEventOf<'run.started'>];
  expect(started.agentManifests).toMatchObject({
    'desk.writer': { id: 'desk', version: 1 },
    'desk.judge': { id: 'desk', version: 1 },
  });
  const decided = await waitUntil('the decisions are in the audit', async () => {
    const rows = await plane.decisions({ agent: 'desk.teller' });
    const own = rows.filter((row) => String(row.actionId).startsWith(`${id}:`));
    return own.length >= 5 ? own : null;
  });
  expect(decided.map((row) => [row.actionId, row.verdict]).sort()).toEqual(
    ['m1', 'm2', 'm3', 't1', 't2'].map((call) => [`${id}:pay:1:${call}`, 'ALLOW']),
  );
});

test('a router takes the default if the value is missing, and asks no model', async () => {
  const id = await plane.run('refund', { kind: 'thanks', customer: 'Ada' });
  const done = await plane.until(id, 'failed');
  // The run ends without a payment, so one of its outputs is missing.
  expect(done).toMatchObject({ failure: { code: 'OUTPUT_INVALID' } });
  expect(stepsOf(done)).toEqual({ sort: 1, close: 1 });
});

test('kill -9 at any moment, also while the run waits for a person, repeats no payment', async () => {
  const runs: string[] = [];
  for (let crash = 0; crash < 2; crash += 1) {
    runs.push(await plane.run('refund', ADA), await plane.run('refund', ADA));
    const last = runs.at(-1) ?? '';
    // The first crash comes in the middle of the loop, the second one at the person.
    await waitUntil('the run has come so far', async () => {
      const { steps, waiting } = await plane.show(last);
      const visits = Object.values(steps).reduce((sum, step) => sum + step.visits, 0);
      return waiting !== null || (crash === 0 && visits > 2);
    });
    await plane.crash();
    await plane.restart();
  }
  const answered = await Promise.all(runs.map((id) => plane.untilWaitingAt(id, 'ask')));
  for (const asked of answered) await plane.approve(asked);
  await plane.until(runs[0] ?? '', 'completed');
  await plane.crash();
  await plane.restart();
  for (const id of runs) {
    // The runner still has to see some of the answers.
    const run = await waitUntil(`the run ${id} goes on after the answer`, async () => {
      const shown = await plane.show(id);
      return shown.status === 'completed' || shown.waiting?.for === 'resolution' ? shown : null;
    });
    if (run.status === 'waiting') {
      expect(run.waiting).toMatchObject({ step: 'pay', tool: 'pay' });
      const done = paysOf(id).length === 1;
      const body = done ? { done, output: 'Paid 3 dollars to Ada.' } : { done };
      await plane.api().post(`/v1/runs/${id}/steps/pay/resolve`, body);
      await plane.until(id, 'completed');
    }
    expect(paysOf(id)).toHaveLength(1);
  }
});

test('a denied question, and one that nobody answers in time, fail the run and pay nothing', async () => {
  const denied = await plane.run('refund', ADA);
  await plane.approve(await plane.untilWaitingAt(denied, 'ask'), 'deny');
  expect(await plane.until(denied, 'failed')).toMatchObject({
    failure: { code: 'APPROVAL_DENIED', step: 'ask' },
  });
  const { topology } = REFUND;
  const nodes = topology.nodes.map((node) => (node.id === 'ask' ? { ...node, timeout_seconds: 1 } : node));
  await plane.publish({ ...REFUND, metadata: { name: 'Hasty' }, topology: { ...topology, nodes } });
  const late = await plane.run('hasty', ADA);
  expect(await plane.until(late, 'failed')).toMatchObject({
    failure: { code: 'HUMAN_TIMEOUT', step: 'ask' },
  });
  expect([paysOf(denied), paysOf(late)]).toEqual([[], []]);
});

test.each([
  ['a score that never passes', { score: 0.1, feedback: 'too long' }, 'REFINEMENTS_EXHAUSTED'],
  ['a score that is no score', { score: 'good' }, 'SCORE_INVALID'],
])('fails after %s', async (_what, score, code) => {
  scores.set('to Eve', score);
  const id = await plane.run('refund', { kind: 'refund', customer: 'Eve' });
  expect((await plane.until(id, 'failed')).failure).toMatchObject({ code, step: 'judge' });
});

test('after the kill of a graph and of all its agents, nothing more is called', async () => {
  for (const agentId of ['refund', 'desk']) {
    const id = await plane.run('refund', ADA);
    const asked = await plane.untilWaitingAt(id, 'ask');
    await plane.api().post(`/v1/agents/${agentId}/kill`, { subtree: true, reason: 'the wrong customer' });
    await plane.approve(asked);
    expect((await plane.until(id, 'failed')).failure).toMatchObject({ code: 'AGENT_KILLED' });
    expect(paysOf(id)).toEqual([]);
    await plane.api().post(`/v1/agents/${agentId}/revive`, { subtree: true, reason: 'done' });
  }
});

test('a kill of the graph ends a call of an agent of another manifest at once', async () => {
  const id = await plane.run('refund', { kind: 'refund', customer: 'Max' });
  await waitUntil(
    'the writer is asked',
    () => plane.models.requests.some((one) => JSON.stringify(one).includes('Max')) || null,
  );
  await plane.api().post('/v1/agents/refund/kill', { reason: 'the wrong customer' });
  expect((await plane.until(id, 'failed')).failure).toMatchObject({ code: 'AGENT_KILLED', step: 'write' });
  await plane.api().post('/v1/agents/refund/revive', { reason: 'done' });
});

test('a step that no person was asked about is not approved', async () => {
  // An operator takes the confirmation away, by hand.
  type Answer = { revision: number; policy: { toolPolicies: Record<string, object> } };
  const { policy, revision } = await plane.api().get<Answer>('/v1/policies/refund');
  const { 'step.ask': _, ...toolPolicies } = policy.toolPolicies;
  await plane.api().put('/v1/policies/refund', { ...policy, toolPolicies }, { revision });
  const id = await plane.run('refund', ADA);
  expect((await plane.until(id, 'failed')).failure).toMatchObject({ code: 'NOBODY_ASKED', step: 'ask' });
  expect(paysOf(id)).toEqual([]);
  await plane.publish(REFUND);
});

test('a run keeps to the agents with which it began, and the next run takes the new ones', async () => {
  const id = await plane.run('refund', ADA);
  await plane.untilWaitingAt(id, 'ask');
  const { teller } = DESK.definitions;
  const renewed = { ...DESK.definitions, teller: { ...teller, backstory: 'You speak French.' } };
  await plane.publish({ ...DESK, definitions: renewed }, NO_QUESTIONS);
  const next = await plane.run('refund', ADA);
  for (const run of [id, next]) await plane.approve(await plane.untilWaitingAt(run, 'ask'));
  expect((await plane.until(id, 'completed')).outputs).toMatchObject({ pay: 'Paid.' });
  expect((await plane.until(next, 'completed')).outputs).toMatchObject({ pay: 'Payé.' });
});
