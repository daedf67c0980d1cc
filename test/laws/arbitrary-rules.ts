/** Makes rules, and actions that they may match, from a small set of names. */
import { mandatesUnderControl } from '@mandate/control';
import { planInForce } from '@mandate/policy';
import type { Action, Plan } from '@mandate/schemas';
import fc from 'fast-check';
import { START_MS } from '../decider-in-a-box.ts';
import { foldOf } from './registered.ts';

export const AGENTS = [
  { id: 'agent-1', groups: ['g'], labels: { team: 'x' } },
  { id: 'agent-2', groups: ['g', 'h'] },
];

export const MOMENTS = [0, 500, 5_000].map((ms) => START_MS + ms);

const context = fc.constantFrom<Action['context']>(
  undefined,
  ...[1, 1.5, 2, null, true, 'x', 'xy', 'y', 'send', ['x'], [1], {}].map((c) => ({ c })),
);
export const calls: fc.Arbitrary<Action> = fc
  .tuple(
    fc.constantFrom(
      { type: 'tool_call' as const, tool: 'send' },
      { type: 'tool_call' as const, tool: 'x' },
      { type: 'tool_call' as const, tool: 'xy' },
      { type: 'llm_call' as const, model: 'x', inputTokens: 1, maxOutputTokens: 1 },
    ),
    context,
    fc.constantFrom('agent-1', 'agent-2'),
  )
  .map(([call, context, agentId]) => ({ id: 'i', agentId, ...call, ...(context && { context }) }));

export const rule = fc.record(
  {
    id: fc.constantFrom('r', 's', 't'),
    policy: fc.constantFrom('p', 'p', 'q'),
    mode: fc.constantFrom('enforce', 'observe', 'shadow'),
    agents: fc.constantFrom(['agent-1'], ['agent-*'], ['agent-1', '*-2']),
    groups: fc.constantFrom(['g'], ['g', 'h'], ['h']),
    when: fc.constantFrom(...['x', 'send'].map((value) => ({ field: 'action.tool', op: '==', value })), {
      all: [
        { field: 'context.c', op: 'exists' },
        { field: ['action', 'tool'], op: '==', value: 'x' },
      ],
    }),
    startsAt: fc.constantFrom(...MOMENTS.map((ms) => new Date(ms).toISOString())),
    endsAt: fc.constant('2026-03-02T12:00:00Z'),
  },
  { requiredKeys: ['id', 'policy'] },
);

/** Returns a function that plans an action at a given time, under the current documents. */
export function plansOf(
  policies: readonly object[],
  rules: readonly object[],
  agents: readonly object[] = AGENTS,
): (action: Action, atMs: number) => Plan {
  const { fold, revision } = foldOf({ agents, policies, rules });
  const mandates = mandatesUnderControl(fold, () => revision);
  return (action, atMs) => planInForce(mandates, 'default', action, atMs);
}
