/**
 * Shared helpers for tests of composition: policies by name, mandates composed of these policies, and a decider that
 * enforces a mandate.
 */
import { compileGlobs, compilePolicy, compose, type Mandate } from '@mandate/policy';
import { policyDocument } from '@mandate/schemas';
import type { Box } from '../decider-in-a-box.ts';

export const NAMES = ['a@1', 'b@7', 'c@2'] as const;

export const CALL = { agentId: 'a', type: 'tool_call', tool: 't' } as const;

export function policyOf(fields: object, name: string) {
  const document = policyDocument.parse({ version: 1, id: name.split('@')[0], ...fields });
  const read = compilePolicy(document, name);
  if (!read.ok) throw new Error(JSON.stringify(read.faults));
  return { ...read.compiled, name };
}

export function composed(policies: readonly ReturnType<typeof policyOf>[]): Mandate {
  const mandate = compose('m', policies);
  if (mandate === null) throw new Error('of no policies no mandate is made');
  return mandate;
}

export const named = (fields: readonly object[]) =>
  fields.map((one, at) => policyOf(one, NAMES[at] ?? `z${at}@1`));

export function enforce(box: Box, mandate: Mandate): void {
  box.mandates = [{ ...mandate, agents: compileGlobs(['*']), agentGlobs: ['*'] }];
}
