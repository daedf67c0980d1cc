/** Previews POST /v1/grants/issue: the grant, or the reason why no grant would be issued. */
import { previewIssue as preview, type TenantControl } from '@mandate/control';
import { described, id, time, wireTime } from '@mandate/schemas';
import { z } from 'zod';
import { appliedPolicies, type Expanded, shownPolicies } from './applied-policies.ts';
import { matched, namesOf } from './grants.ts';
import { endMsOf, issueBody, NOTHING_TO_ISSUE, nothingToIssue } from './issue-grant.ts';
import { near, plannedDocuments, previewCandidates } from './preview-candidates.ts';

export const issueAsked = issueBody.extend(plannedDocuments);

export const issueAnswer = z.object({
  grant: described(
    z
      .object({
        ...{
          agentId: described(id, 'The agent of the grant.', 'airline-007'),
          context: described(z.record(z.string(), z.unknown()), 'The context of the grant.', {
            environment: 'prod',
          }),
        },
        ...{
          rules: described(z.array(id), 'The rules that match every action under the grant.', [
            'support-reads',
          ]),
          policies: described(
            z.array(z.string()),
            'The policies that these rules give, with their versions.',
            ['read-only@3'],
          ),
          expiresAt: described(time, 'The time at which the grant would end.'),
        },
      })
      .nullable(),
    'The grant that would be issued. null: none.',
  ),
  refusal: described(
    z
      .object({
        code: described(z.enum(NOTHING_TO_ISSUE), 'The code of the refusal.'),
        reason: described(z.string(), 'Why, as a sentence.', 'No rule matches the agent in this context.'),
        remedy: described(
          z.string(),
          'What to do about it.',
          'Ask for a rule that matches, or for another context.',
        ),
      })
      .nullable(),
    'Why no grant would be issued. null: it would be issued.',
  ),
  ttlMs: described(
    z.int().nullable(),
    'How long the grant would be valid, in milliseconds. It is shorter than the request asks for if a rule begins ' +
      'or ends earlier. null: no grant would be issued.',
    300_000,
  ),
  matchedRules: described(matched, 'The rules that match every action under the grant.'),
  openRules: described(
    matched,
    'The rules that are asked again for each action, because they look at the action.',
  ),
  near,
  appliedPolicies,
});

export function issuePreviewed(
  current: TenantControl,
  asked: z.output<typeof issueAsked>,
  { atMs, query }: { atMs: number; query: Expanded },
): z.input<typeof issueAnswer> {
  const { agentId, context } = asked;
  const candidates = previewCandidates(current, agentId, asked, atMs);
  const { issue, near, documents } = preview(current, { ...candidates, context });
  const told = { near: [...near], appliedPolicies: shownPolicies(documents, query) };
  const nothing = { grant: null, ttlMs: null, matchedRules: [], openRules: [] };
  if (!issue.ok) return { ...told, ...nothing, refusal: nothingToIssue(issue) };
  const { rules, openRules } = issue.composed;
  const endMs = endMsOf(issue.composed, asked, candidates.atMs);
  return {
    ...told,
    grant: { agentId, context, ...namesOf(rules), expiresAt: wireTime(endMs) },
    refusal: null,
    ttlMs: endMs - candidates.atMs,
    ...{ matchedRules: [...rules], openRules: [...openRules] },
  };
}
