/** A preview of POST /v1/mandates/issue: what it would answer, and why where it would issue nothing. */
import { previewIssue as preview, type TenantControl } from '@mandate/control';
import { id, time, wireTime } from '@mandate/schemas';
import { z } from 'zod';
import { appliedPolicies, type Expanded, shownPolicies } from './applied-policies.ts';
import { endMsOf, issueBody, NOTHING_TO_ISSUE, nothingToIssue } from './issue-mandate.ts';
import { matched, namesOf } from './issued-mandates.ts';
import { candidatesOf, near, thoughtOf } from './thought-of.ts';

export const issueAsked = issueBody.extend(thoughtOf);

export const issueAnswer = z.object({
  mandate: z
    .object({
      ...{ agentId: id, context: z.record(z.string(), z.unknown()) },
      ...{ rules: z.array(id), policies: z.array(z.string()), expiresAt: time },
    })
    .nullable()
    .describe('null: none would be issued.'),
  refusal: z.object({ code: z.enum(NOTHING_TO_ISSUE), reason: z.string(), remedy: z.string() }).nullable(),
  ttlMs: z.int().nullable().describe('Less than was asked for where a rule begins or ends before.'),
  matchedRules: matched,
  openRules: matched.describe('Those that look at what an action alone tells: each action is asked.'),
  near,
  appliedPolicies,
});

export function issuePreviewed(
  standing: TenantControl,
  asked: z.output<typeof issueAsked>,
  { atMs, query }: { atMs: number; query: Expanded },
): z.input<typeof issueAnswer> {
  const { agentId, context } = asked;
  const candidates = candidatesOf(standing, agentId, asked, atMs);
  const { issue, near, documents } = preview(standing, { ...candidates, context });
  const told = { near: [...near], appliedPolicies: shownPolicies(documents, query) };
  const nothing = { mandate: null, ttlMs: null, matchedRules: [], openRules: [] };
  if (!issue.ok) return { ...told, ...nothing, refusal: nothingToIssue(issue) };
  const { rules, openRules } = issue.composed;
  const endMs = endMsOf(issue.composed, asked, candidates.atMs);
  return {
    ...told,
    mandate: { agentId, context, ...namesOf(rules), expiresAt: wireTime(endMs) },
    refusal: null,
    ttlMs: endMs - candidates.atMs,
    ...{ matchedRules: [...rules], openRules: [...openRules] },
  };
}
