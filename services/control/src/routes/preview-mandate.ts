/** POST /v1/mandates/preview: what an agent could do, with what stands and with what somebody thinks of changing. */
import { compilePolicy, compileRule, nearRules, previewMandate as preview } from '@mandate/policy';
import { callerOf, type HttpServer } from '@mandate/runtime';
import {
  action,
  agentDocument,
  CODES,
  check,
  id,
  limit,
  mandateReference,
  type Plan,
  policyDocument,
  RULE_MODES,
  ruleDocument,
  time,
} from '@mandate/schemas';
import { z } from 'zod';
import type { Control } from '../control.ts';
import { notFound } from '../writes/not-found.ts';
import { appliedPolicies, expand, shownPolicies } from './applied-policies.ts';
import { mustCompile } from './must-compile.ts';
import { MAY_READ, NOT_THERE } from './shapes.ts';

const MOST_CANDIDATES = 1_000;

const body = z
  .strictObject({
    action: action.describe(
      'What the agent would ask for: only its type, its tool or model, and what rules look at.',
    ),
    agent: agentDocument.optional().describe('In the place of what is registered of it.'),
    rules: z
      .array(ruleDocument)
      .max(MOST_CANDIDATES)
      .default([])
      .describe('Each in the place of the one of its id, or beside the others.'),
    policies: z
      .array(policyDocument)
      .max(MOST_CANDIDATES)
      .default([])
      .describe('Each as if it were published now.'),
    at: time.optional().describe('Now when absent.'),
  })
  .meta({
    examples: [
      { action: { id: 'preview', agentId: 'airline-007', type: 'tool_call', tool: 'read_booking' } },
    ],
  });

const planned = z.object({
  mandate: mandateReference.nullable().describe('null: no rule matches, and nothing is allowed.'),
  refusal: z
    .object({ code: z.enum(CODES), reason: z.string(), remedy: z.string() })
    .nullable()
    .describe('null: nothing but a limit, a kill or a deadline could stop it.'),
  observe: z.boolean().describe('It only watches: what it refuses is let through.'),
  reserveMicros: z.int(),
  limits: z.array(limit).describe('What the ledger would judge, and whose bound each is.'),
  checks: z.array(check),
});

const answer = planned.extend({
  matchedRules: z.array(
    z.object({
      rule: id,
      policy: z.string(),
      mode: z.enum(RULE_MODES),
      agent: id.optional().describe('Whom above the agent it matches; absent: the agent itself.'),
    }),
  ),
  near: z
    .array(z.object({ rule: id, mode: z.enum(RULE_MODES), why: z.string() }))
    .describe('Rules that name the agent and do not match, 20 at most, and what of each does not hold.'),
  appliedPolicies,
  shadow: planned.nullable().describe('The same were the shadow rules in force; null where none matches.'),
});

export function previewMandate(server: HttpServer, { followed, clock }: Control): void {
  server.post(
    '/v1/mandates/preview',
    {
      config: { scope: MAY_READ, refusals: NOT_THERE },
      schema: {
        tags: ['mandates'],
        summary: 'What an agent could do: which rules match, what they compose to, and what each policy says',
        description: 'Changes nothing. What was spent is not looked at.',
        querystring: z.strictObject(expand),
        body,
        response: { 200: answer },
      },
    },
    (request) => {
      const { tenant } = callerOf(request);
      const { rules, policies, at } = request.body;
      // As a decider has it.
      const action = { ...request.body.action, tenant };
      for (const rule of rules) mustCompile(compileRule(rule));
      for (const policy of policies) mustCompile(compilePolicy(policy, policy.id));
      const control = followed.tenant(tenant);
      const agent = request.body.agent ?? control.agents.get(action.agentId)?.document;
      if (agent === undefined) throw notFound('agent', action.agentId);
      const atMs = at === undefined ? clock() : Date.parse(at);
      const { matches, documents, plan, shadowPlan } = preview(control, {
        agent,
        action,
        atMs,
        rules,
        policies,
      });
      return {
        ...shown(plan),
        matchedRules: [...matches],
        near: [...nearRules(control, { agent, action, atMs, rules })],
        appliedPolicies: shownPolicies(documents, request.query),
        shadow: shadowPlan && shown(shadowPlan),
      };
    },
  );
}

function shown({ mandate, refusal, observe, reserveMicros, limits, checks }: Plan): z.output<typeof planned> {
  return { mandate, refusal, observe, reserveMicros, limits: [...limits], checks: [...checks] };
}
