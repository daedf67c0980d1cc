/** POST /v1/mandates/preview: what an agent could do, with what stands and with what somebody thinks of changing. */
import { nearRules, previewMandate as preview } from '@mandate/policy';
import { callerOf, type HttpServer } from '@mandate/runtime';
import { action, CODES, check, id, limit, mandateReference, type Plan, RULE_MODES } from '@mandate/schemas';
import { z } from 'zod';
import type { Control } from '../control.ts';
import { appliedPolicies, type Expanded, expand, shownPolicies } from './applied-policies.ts';
import { issueAnswer, issueAsked, issuePreviewed } from './preview-issue.ts';
import { MAY_READ, NOT_THERE } from './shapes.ts';
import { candidatesOf, near, thoughtOf } from './thought-of.ts';

const actionAsked = z.strictObject({
  action: action.describe(
    'What the agent would ask for: only its type, its tool or model, and what rules look at.',
  ),
  ...thoughtOf,
});

const body = z.union([actionAsked, issueAsked]).meta({
  examples: [
    { action: { id: 'preview', agentId: 'airline-007', type: 'tool_call', tool: 'read_booking' } },
    { agentId: 'airline-007', context: { environment: 'prod' } },
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

const actionAnswer = planned.extend({
  matchedRules: z.array(
    z.object({
      rule: id,
      policy: z.string(),
      mode: z.enum(RULE_MODES),
      agent: id.optional().describe('Whom above the agent it matches; absent: the agent itself.'),
      claims: z
        .array(z.string())
        .optional()
        .describe(
          'What it looked at that the caller says of itself, unless its API key pins it; absent: nothing.',
        ),
    }),
  ),
  near,
  appliedPolicies,
  shadow: planned.nullable().describe('The same were the shadow rules in force; null where none matches.'),
});

export function previewMandate(server: HttpServer, control: Control): void {
  server.post(
    '/v1/mandates/preview',
    {
      config: { scope: MAY_READ, refusals: NOT_THERE },
      schema: {
        tags: ['mandates'],
        summary: 'What an agent could do: which rules match, what they compose to, and what each policy says',
        description:
          'Of an `action`: what would be decided. Of an `agentId` and its `context`: what POST /v1/mandates/issue would issue. ' +
          'Of either with rules and policies that are only thought of. Changes nothing; what was spent is not looked at.',
        querystring: z.strictObject(expand),
        body,
        response: { 200: z.union([actionAnswer, issueAnswer]) },
      },
    },
    (request) => {
      const { tenant } = callerOf(request);
      const { body, query } = request;
      return 'action' in body
        ? actionPreviewed(control, tenant, body, query)
        : issuePreviewed(control, tenant, body, query);
    },
  );
}

function actionPreviewed(
  control: Control,
  tenant: string,
  asked: z.output<typeof actionAsked>,
  query: Expanded,
): z.output<typeof actionAnswer> {
  // As a decider has it.
  const action = { ...asked.action, tenant };
  const standing = control.followed.tenant(tenant);
  const candidates = { ...candidatesOf(control, standing, action.agentId, asked), action };
  const { matches, documents, plan, shadowPlan } = preview(standing, candidates);
  return {
    ...shown(plan),
    matchedRules: [...matches],
    near: [...nearRules(standing, candidates)],
    appliedPolicies: shownPolicies(documents, query),
    shadow: shadowPlan && shown(shadowPlan),
  };
}

function shown({ mandate, refusal, observe, reserveMicros, limits, checks }: Plan): z.output<typeof planned> {
  return { mandate, refusal, observe, reserveMicros, limits: [...limits], checks: [...checks] };
}
