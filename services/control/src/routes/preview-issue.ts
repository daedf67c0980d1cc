/** A preview of POST /v1/mandates/issue: what it would answer, and why where it would issue nothing. */
import { previewIssue as preview } from '@mandate/policy';
import { id, time, wireTime } from '@mandate/schemas';
import { z } from 'zod';
import type { Control } from '../control.ts';
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

type Answer = z.output<typeof issueAnswer>;

export function issuePreviewed(
  control: Control,
  tenant: string,
  asked: z.output<typeof issueAsked>,
  query: Expanded,
): Answer {
  const { agentId, context } = asked;
  const standing = control.followed.tenant(tenant);
  const candidates = candidatesOf(control, standing, agentId, asked);
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
