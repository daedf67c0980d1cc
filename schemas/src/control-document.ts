/** Agents, policies and rules as files hold them: each document says its kind. */
import { z } from 'zod';
import { agentDocument } from './agent-document.ts';
import { policyDocument } from './mandate-document.ts';
import { ruleDocument } from './rule-document.ts';

export const controlDocument = z.discriminatedUnion('kind', [
  agentDocument.extend({ kind: z.literal('agent') }),
  policyDocument.extend({ kind: z.literal('policy') }),
  ruleDocument.extend({ kind: z.literal('rule') }),
]);
export type ControlDocument = z.output<typeof controlDocument>;
