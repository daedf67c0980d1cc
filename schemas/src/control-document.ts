/** Agents, policies and rules in files. Each document states its kind. */
import { z } from 'zod';
import { agentDocument } from './agent-document.ts';
import { described } from './described.ts';
import { policyDocument } from './mandate-document.ts';
import { ruleDocument } from './rule-document.ts';

export const controlDocument = z.discriminatedUnion('kind', [
  agentDocument.extend({ kind: described(z.literal('agent'), 'An agent.') }),
  policyDocument.extend({ kind: described(z.literal('policy'), 'A policy.') }),
  ruleDocument.extend({ kind: described(z.literal('rule'), 'A rule.') }),
]);
export type ControlDocument = z.output<typeof controlDocument>;
