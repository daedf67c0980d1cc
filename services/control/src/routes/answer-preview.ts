/** The answer of POST /v1/mandates/preview: by the present documents, and by planned ones. */
import { nearRules, previewMandate as preview, type TenantControl } from '@mandate/control';
import { type HidingRules, trialHiding } from '@mandate/privacy';
import { action, CODES, check, id, limit, mandateReference, type Plan, RULE_MODES } from '@mandate/schemas';
import { readBody } from '@mandate/server';
import { z } from 'zod';
import { appliedPolicies, type Expanded, shownPolicies } from './applied-policies.ts';
import { issueAnswer, issueAsked, issuePreviewed } from './preview-issue.ts';
import { candidatesOf, near, thoughtOf } from './thought-of.ts';

const actionAsked = z.strictObject({
  action: action.describe(
    'What the agent would ask for: only its type, its tool or model, and what rules look at.',
  ),
  ...thoughtOf,
});

export const previewBody = z.union([actionAsked, issueAsked]).meta({
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

export const previewAnswer = z.union([actionAnswer, issueAnswer]);

export type PreviewAsked = {
  tenant: string;
  atMs: number;
  body: Uint8Array;
  query: Expanded;
  hiding: HidingRules;
};

/** @throws HttpProblem for a body that is not as described, and for an agent that is not there */
export function answerPreview(standing: TenantControl, asked: PreviewAsked): z.output<typeof previewAnswer> {
  const body = readBody(asked.body, previewBody);
  return 'action' in body
    ? actionAnswer.parse(actionPreviewed(standing, body, asked))
    : issueAnswer.parse(issuePreviewed(standing, body, asked));
}

function actionPreviewed(
  standing: TenantControl,
  asked: z.output<typeof actionAsked>,
  { tenant, atMs, query, hiding }: PreviewAsked,
): z.input<typeof actionAnswer> {
  // As a decider has it: a gateway has redacted it.
  const action = trialHiding(hiding)({ ...asked.action, tenant }, tenant);
  const candidates = { ...candidatesOf(standing, action.agentId, asked, atMs), action };
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
