/** GET /v1/agents/:id/effective: the rules and policies of an agent, now or at a moment of the past. */
import { type Effective, effectiveOf, type TenantControl } from '@mandate/control';
import { agentDocument, count, described, id, RULE_MODES, time, wireTime } from '@mandate/schemas';
import { callerOf, HttpProblem, type HttpRequest, type HttpServer } from '@mandate/server';
import { z } from 'zod';
import type { Control } from '../control.ts';
import { appliedPolicies, expand, shownPolicies } from './applied-policies.ts';
import { idParams, MAY_READ, TAKES_LONG } from './shapes.ts';

/** A state of the past is restored from the whole log until then. The process restores so many at the same time. */
const MOST_RESTORED = 2;
/** How long a state of the past may take. */
const RESTORE_MS = 10_000;

const effective = z.object({
  agentId: described(id, 'The agent.', 'airline-007'),
  at: described(time, 'The moment.'),
  revision: described(
    count,
    'The revision of the last change of the tenant until then. 0: there was none.',
    112,
  ),
  status: described(
    z.enum(['registered', 'retired', 'unregistered']),
    'Whether the agent is registered. `retired`: nothing is allowed to it. `unregistered`: no rule applies to it, and a mandates file may name it.',
  ),
  isTenantClosed: described(
    z.boolean(),
    'Whether the tenant is closed, so that nothing is allowed to its agents.',
    false,
  ),
  agent: described(agentDocument.nullable(), 'The agent as registered. null: it is not registered.'),
  agentRevision: described(
    count.nullable(),
    'The revision of the last change of the agent. null: it is not registered.',
    7,
  ),
  ancestors: described(
    z.array(id),
    'Its parent, the parent of the parent, and so on. The policies of all of them apply to the agent too.',
    ['airline-lead'],
  ),
  rules: described(
    z.array(
      z.object({
        rule: described(id, 'The rule.', 'support-reads'),
        revision: described(count, 'The revision of the last change of the rule.', 40),
        mode: described(z.enum(RULE_MODES), 'The mode of the rule.'),
        policy: described(z.string(), 'The policy that it gives, with its version.', 'read-only@3'),
        ancestor: described(
          id.nullable(),
          'The ancestor that the rule names. null: it names the agent itself.',
          'airline-lead',
        ),
        isConditional: described(
          z.boolean(),
          'Whether the rule has a condition (`when`), so that it may not match every action.',
          false,
        ),
      }),
    ),
    'The rules that name the agent or one of its ancestors and are valid at this moment. Every policy of a matching rule must allow an action. If no rule matches, nothing is allowed.',
  ),
  isComplete: described(z.boolean(), 'Whether `rules` has all rules. It has 1,000 at most.', true),
  appliedPolicies: appliedPolicies.describe(
    'The policies of these rules, with their versions, and the tenant limits (`tenant acme@5`).',
  ),
  policyRevisions: described(
    z.record(z.string(), count),
    'For each of these policies, the revision of the change that published this version.',
    { 'read-only@3': 42 },
  ),
});

export type EffectiveShown = z.output<typeof effective>;

export function showEffective(server: HttpServer, control: Control): void {
  let restored = 0;

  /** Throws 503 OVERLOADED if too many states are being restored, and 422 TAKES_TOO_LONG. */
  async function stateAt(request: HttpRequest, tenant: string, atMs: number) {
    if (restored >= MOST_RESTORED)
      throw new HttpProblem(503, 'OVERLOADED', 'other requests about the past are being answered', {
        remedy: 'Try again in a moment.',
        headers: { 'retry-after': '1' },
      });
    restored += 1;
    try {
      const signal = AbortSignal.any([request.signal, AbortSignal.timeout(RESTORE_MS)]);
      const state = await control.controlAt({ tenant, atMs, signal });
      if (state !== null) return state;
    } finally {
      restored -= 1;
    }
    throw new HttpProblem(422, 'TAKES_TOO_LONG', 'the control log was not read to this moment in time', {
      remedy: 'Ask for a moment that is longer ago, or for the present.',
    });
  }

  server.get(
    '/v1/agents/:id/effective',
    {
      config: { scope: MAY_READ, refusals: TAKES_LONG },
      schema: {
        tags: ['agents'],
        summary: 'Show what an agent may do at a moment: its rules and policies then',
        description:
          'Without `at`, the answer is about now. A moment in the past is answered from the control log, as it was ' +
          'then. A moment in the future is answered from the documents of now. What an action would get also depends ' +
          'on what was spent, and on conditions: POST /v1/mandates/preview tries an action.',
        params: idParams,
        querystring: z.strictObject({
          at: described(time.optional(), 'The moment. Default: now.', '2026-01-31T12:00:00Z'),
          ...expand,
        }),
        response: { 200: effective },
      },
    },
    async (request) => {
      const { tenant } = callerOf(request);
      const { at } = request.query;
      const nowMs = control.clock();
      const atMs = at === undefined ? nowMs : Date.parse(at);
      const state = atMs < nowMs ? await stateAt(request, tenant, atMs) : control.followed.tenant(tenant);
      return shown(state, request.params.id, atMs, request.query);
    },
  );
}

function shown(
  control: TenantControl,
  agentId: string,
  atMs: number,
  query: z.output<z.ZodObject<typeof expand>>,
): EffectiveShown {
  const { agent, policies, rules, ancestors, ...facts } = effectiveOf(control, agentId, atMs);
  return {
    ...{ agentId, at: wireTime(atMs), revision: control.revision },
    ...facts,
    agent: agent?.document ?? null,
    agentRevision: agent?.revision ?? null,
    ancestors: [...ancestors],
    rules: [...rules],
    appliedPolicies: shownPolicies(documentsOf(policies), query),
    policyRevisions: Object.fromEntries(
      [...policies].flatMap(([name, kept]) => (kept === null ? [] : [[name, kept.revision]])),
    ),
  };
}

function documentsOf(policies: Effective['policies']) {
  return new Map([...policies].map(([name, kept]) => [name, kept?.document ?? null]));
}
