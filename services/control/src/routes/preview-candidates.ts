/** The planned documents that both kinds of preview accept. */

import type { TenantControl } from '@mandate/control';
import { compilePolicy, compileRule, roomToWrite } from '@mandate/policy';
import {
  type AgentDocument,
  agentDocument,
  CAPS,
  clockTime,
  described,
  id,
  policyDocument,
  RULE_MODES,
  ruleDocument,
} from '@mandate/schemas';
import { HttpProblem } from '@mandate/server';
import { z } from 'zod';
import { notFound } from '../writes/not-found.ts';
import { mustCompile } from './must-compile.ts';

const MOST_CANDIDATES = 1_000;

export const plannedDocuments = {
  agent: described(agentDocument.optional(), 'The agent to try. Default: the agent as it is registered.'),
  ancestors: described(
    z.array(agentDocument).max(CAPS.parents).optional(),
    'Ancestors of the agent to try. Each replaces the agent with its id, or is added.',
  ),
  rules: described(
    z.array(ruleDocument).max(MOST_CANDIDATES).default([]),
    'Rules to try. Each replaces the rule with its id, or is added.',
  ),
  policies: described(
    z.array(policyDocument).max(MOST_CANDIDATES).default([]),
    'Policies to try, as if each were published now.',
  ),
  at: described(clockTime.optional(), 'The time for which to preview. Default: now.', '2026-02-01T00:00:00Z'),
};

type PlannedDocuments = z.output<z.ZodObject<typeof plannedDocuments>>;

export const near = z
  .array(
    z.object({
      rule: described(id, 'The rule.', 'refunds-are-small'),
      mode: described(z.enum(RULE_MODES), 'The mode of the rule.'),
      why: described(z.string(), 'Why it does not match.', 'context.environment is "staging", not "prod"'),
    }),
  )
  .describe('Rules that name the agent but do not match, at most 20, each with the reason.');

/**
 * Compiles the planned documents. All documents of a request share the limits of one document, so a request with many
 * documents takes no longer.
 *
 * @param nowMs when the request came
 * @throws HttpProblem if a document does not compile, if it belongs to another agent, or if the agent does not exist
 */
export function previewCandidates(
  { agents }: TenantControl,
  agentId: string,
  { agent: planned, rules, policies, at }: PlannedDocuments,
  nowMs: number,
): {
  agent: AgentDocument;
  rules: PlannedDocuments['rules'];
  policies: PlannedDocuments['policies'];
  atMs: number;
} {
  const room = roomToWrite();
  for (const [index, rule] of rules.entries()) mustCompile(compileRule(rule, { room }), ['rules', index]);
  for (const [index, policy] of policies.entries())
    mustCompile(compilePolicy(policy, policy.id, { room }), ['policies', index]);
  const agent = planned ?? agents.get(agentId)?.document;
  if (agent === undefined) throw notFound('agent', agentId);
  if (agent.id !== agentId)
    throw new HttpProblem(
      400,
      'ID_DIFFERS',
      `the document is for the agent "${agent.id}", but the request is about "${agentId}"`,
      {
        remedy: 'Send the same id in both places.',
      },
    );
  return { agent, rules, policies, atMs: at === undefined ? nowMs : Date.parse(at) };
}
