/** What both kinds of preview take beside their question: planned documents. */

import type { TenantControl } from '@mandate/control';
import { compilePolicy, compileRule, roomToWrite } from '@mandate/policy';
import {
  type AgentDocument,
  agentDocument,
  clockTime,
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

export const thoughtOf = {
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
  at: clockTime.optional().describe('Now when absent.'),
};

type ThoughtOf = z.output<z.ZodObject<typeof thoughtOf>>;

export const near = z
  .array(z.object({ rule: id, mode: z.enum(RULE_MODES), why: z.string() }))
  .describe('Rules that name the agent and do not match, 20 at most, and what of each does not hold.');

/**
 * All documents of a request share the room that one document has: however many there are, they compile in the same time.
 *
 * @param nowMs when the request came
 * @throws HttpProblem where a document cannot be compiled, is of another agent, or there is none
 */
export function candidatesOf(
  { agents }: TenantControl,
  agentId: string,
  { agent: thought, rules, policies, at }: ThoughtOf,
  nowMs: number,
): { agent: AgentDocument; rules: ThoughtOf['rules']; policies: ThoughtOf['policies']; atMs: number } {
  const room = roomToWrite();
  for (const [index, rule] of rules.entries()) mustCompile(compileRule(rule, { room }), ['rules', index]);
  for (const [index, policy] of policies.entries())
    mustCompile(compilePolicy(policy, policy.id, { room }), ['policies', index]);
  const agent = thought ?? agents.get(agentId)?.document;
  if (agent === undefined) throw notFound('agent', agentId);
  if (agent.id !== agentId)
    throw new HttpProblem(
      400,
      'ID_DIFFERS',
      `the document is of the agent "${agent.id}", and "${agentId}" is asked of`,
      {
        remedy: 'Send both the same.',
      },
    );
  return { agent, rules, policies, atMs: at === undefined ? nowMs : Date.parse(at) };
}
