/** Tests that a plane takes the documents of a graph recipe: its nodes are allowed, and a person confirms human nodes. */
import { compileGraphRecipe } from '@mandate/agent-manifest';
import { foldControl, mandatesUnderControl } from '@mandate/control';
import { planInForce } from '@mandate/policy';
import { controlRecord } from '@mandate/schemas';
import { graphRecipeDocument } from '@mandate/schemas/agent-manifest';
import { expect, test } from 'vitest';
import { START_MS } from '../decider-in-a-box.ts';

const RECIPE = graphRecipeDocument.parse({
  apiVersion: 'coreason.ai/v2',
  kind: 'Recipe',
  metadata: { name: 'Pay out' },
  policy: { timeout_seconds: 60 },
  topology: {
    entry_point: 'write',
    nodes: [
      { type: 'agent', id: 'write', agent_ref: 'desk.writer' },
      { type: 'human', id: 'ask', prompt: 'ok?', timeout_seconds: 90 },
      { type: 'agent', id: 'pay', agent_ref: 'desk.payer' },
    ],
    edges: [
      { source: 'write', target: 'ask' },
      { source: 'ask', target: 'pay' },
    ],
  },
});

function planned() {
  const compiled = compileGraphRecipe(RECIPE);
  if (!compiled.ok) throw new Error(compiled.refusals[0]?.message);
  const change = { tenant: 'acme', by: 'ann', reason: '', at: '2026-03-01T12:00:00.000Z' };
  const events = [
    ...compiled.agents.map((agent) => ({ event: 'agent.put', agent })),
    ...compiled.policies.map((policy) => ({ event: 'policy.published', policy })),
    ...compiled.rules.map((rule) => ({ event: 'rule.put', rule })),
  ];
  const fold = foldControl();
  for (const [at, event] of events.entries())
    fold.apply(controlRecord.parse({ ...event, change: { ...change, id: `chg-${at}` } }), at + 1);
  const mandates = mandatesUnderControl(fold, () => events.length);
  return (fields: object) =>
    planInForce(
      mandates,
      'acme',
      { id: 'x', agentId: 'pay-out', type: 'tool_call', tool: 'step.write', ...fields },
      START_MS,
    );
}

test('the nodes of a compiled graph are allowed, and nothing else is', () => {
  const plan = planned();
  expect(['step.write', 'step.pay'].map((tool) => plan({ tool }).refusal?.code)).toEqual([
    undefined,
    undefined,
  ]);
  expect(plan({ tool: 'send_money' }).refusal?.code).toBe('UNKNOWN_TOOL');
  expect(plan({ type: 'llm_call', tool: undefined, model: 'gpt-4' }).refusal?.code).toBe('MODEL_NOT_ALLOWED');
});

test('a person confirms the human node of a compiled graph, as long as the node waits', () => {
  const limitsOf = (tool: string) =>
    planned()({ tool }).limits?.filter(({ kind }) => kind === 'confirmation');
  expect(limitsOf('step.write')).toEqual([]);
  expect(limitsOf('step.ask')).toEqual([
    expect.objectContaining({ kind: 'confirmation', questionMs: 90_000 }),
  ]);
});
