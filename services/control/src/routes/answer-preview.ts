/** Answers POST /v1/mandates/preview from the documents in force and from the planned documents in the request. */
import {
  almostMatchingRules,
  plannedObligations,
  previewMandate as preview,
  type TenantControl,
  withPlannedAgents,
} from '@mandate/control';
import { contentFinders, type RedactionRules, trialRedactor } from '@mandate/privacy';
import {
  action,
  CODES,
  check,
  described,
  id,
  limit,
  type MemoryOperation,
  mandateReference,
  obligations,
  type Plan,
  type PolicyDocument,
  RULE_MODES,
} from '@mandate/schemas';
import { readBody } from '@mandate/server';
import { z } from 'zod';
import { appliedPolicies, type Expanded, shownPolicies } from './applied-policies.ts';
import { categoriesNamed, categoryPolicy, categoryPolicyOf } from './category-policy.ts';
import { near, plannedDocuments, previewCandidates } from './preview-candidates.ts';
import { issueAnswer, issueAsked, issuePreviewed } from './preview-issue.ts';

const actionAsked = z.strictObject({
  action: described(
    action,
    'The action that the agent would ask for. It needs its type, its tool or model, and the fields that rules look at.',
  ),
  ...plannedDocuments,
});

export const previewBody = z.union([actionAsked, issueAsked]).meta({
  examples: [
    { action: { id: 'preview', agentId: 'airline-007', type: 'tool_call', tool: 'read_booking' } },
    { agentId: 'airline-007', context: { environment: 'prod' } },
  ],
});

const planned = z.object({
  mandate: described(
    mandateReference.nullable(),
    'The mandate that would apply. null: no rule matches, so nothing is allowed.',
  ),
  refusal: described(
    z
      .object({
        code: described(z.enum(CODES), 'The code of the refusal.'),
        reason: described(z.string(), 'Why, as a sentence.', 'No policy allows the tool "delete_files".'),
        remedy: described(z.string(), 'What to do about it.', 'Ask for a policy that allows the tool.'),
      })
      .nullable(),
    'Why the action would be refused at any time. null: only a limit, a kill or a deadline could stop it.',
  ),
  observe: described(
    z.boolean(),
    'Whether the mandate only observes, so that refusals are let through.',
    false,
  ),
  reserveMicros: described(z.int(), 'What an ALLOW would reserve, in micro-dollars.', 100_000),
  limits: described(z.array(limit), 'The limits that the ledger would check, each with its policy.'),
  checks: described(z.array(check), 'The checks that need no ledger, with what they found.'),
  obligations: described(
    obligations,
    'What an ALLOW would oblige to, by name. In a turn, the turn may decide more.',
    { tools: ['create_cards'] },
  ),
});

const actionAnswer = planned.extend({
  matchedRules: described(
    z.array(
      z.object({
        rule: described(id, 'The rule.', 'support-reads'),
        policy: described(z.string(), 'The policy that it gives, with its version.', 'read-only@3'),
        mode: described(z.enum(RULE_MODES), 'The mode of the rule.'),
        agent: described(
          id.optional(),
          'The ancestor that the rule matches. Absent if the rule matches the agent itself.',
          'airline-lead',
        ),
        claims: described(
          z.array(z.string()).optional(),
          'The claims of the caller that the rule used. Absent if the rule used no claims.',
          ['context.environment'],
        ),
      }),
    ),
    'The rules that match.',
  ),
  near,
  appliedPolicies,
  categories: described(
    z
      .array(
        categoryPolicy.extend({
          policy: described(z.string(), 'The policy, with its version.', 'tutor-policy@3'),
        }),
      )
      .optional(),
    'For an operation on memory: what each policy says of the categories that the operation names.',
  ),
  shadow: described(
    planned.nullable(),
    'The same, if the shadow rules were enforced. null: no shadow rule matches.',
  ),
});

export const previewAnswer = z.union([actionAnswer, issueAnswer]);

export type PreviewAsked = {
  tenant: string;
  atMs: number;
  body: Uint8Array;
  query: Expanded;
  redaction: RedactionRules;
};

/** @throws HttpProblem if the body does not fit the schema, or if the agent does not exist */
export function answerPreview(current: TenantControl, asked: PreviewAsked): z.output<typeof previewAnswer> {
  const body = readBody(asked.body, previewBody);
  const planned = withPlannedAgents(current, body.ancestors ?? []);
  return 'action' in body
    ? actionAnswer.parse(actionPreviewed(planned, body, asked))
    : issueAnswer.parse(issuePreviewed(planned, body, asked));
}

function actionPreviewed(
  current: TenantControl,
  asked: z.output<typeof actionAsked>,
  { tenant, atMs, query, redaction }: PreviewAsked,
): z.input<typeof actionAnswer> {
  // The preview redacts the action, because a gateway redacts each action before a decider sees it.
  const action = trialRedactor(redaction)({ ...asked.action, tenant }, tenant);
  const candidates = { ...previewCandidates(current, action.agentId, asked, atMs), action };
  const { matches, documents, plan, shadowPlan } = preview(current, candidates, contentFinders);
  return {
    ...shown(plan, candidates.atMs),
    matchedRules: [...matches],
    near: [...almostMatchingRules(current, candidates)],
    appliedPolicies: shownPolicies(documents, query),
    ...(action.type === 'memory_operation' && { categories: categoriesOf(action, documents) }),
    shadow: shadowPlan && shown(shadowPlan, candidates.atMs),
  };
}

function categoriesOf(
  operation: MemoryOperation,
  documents: ReadonlyMap<string, PolicyDocument | null>,
): z.input<typeof actionAnswer>['categories'] {
  return [...documents].flatMap(([policy, document]) =>
    categoriesNamed(operation).flatMap(({ store, category }) => {
      const of = document && categoryPolicyOf(document, store, category);
      return of === null ? [] : [{ policy, ...of }];
    }),
  );
}

function shown(plan: Plan, atMs: number): z.output<typeof planned> {
  const { mandate, refusal, observe, reserveMicros, limits, checks } = plan;
  return {
    ...{ mandate, refusal, observe, reserveMicros },
    limits: [...limits],
    checks: [...checks],
    obligations: plannedObligations(plan, atMs),
  };
}
