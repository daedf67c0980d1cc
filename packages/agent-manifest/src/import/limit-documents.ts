/**
 * The policies and rules of an import: limits from its files for which a manifest has no field. They are applied in
 * addition to the compiled manifest. All policies of an agent apply together, so these policies only restrict the
 * agent.
 */
import type { PolicyDocument, RuleDocument } from '@mandate/schemas';
import { policyIdOf, slugOf } from '../compile/ids.ts';
import type { Imported } from './imported.ts';

export type LimitDocuments = { policies: readonly PolicyDocument[]; rules: readonly RuleDocument[] };

/** @param id the id of the manifest when it is compiled. Null: it is made from its name. Null without an id */
export function limitDocuments(
  { manifest, policies }: Pick<Extract<Imported, { ok: true }>, 'manifest' | 'policies'>,
  id: string | null = null,
): LimitDocuments | null {
  const own = id ?? slugOf(manifest.metadata.name);
  if (own === null) return null;
  const limited = policies.filter(({ policy }) => Object.keys(policy).length > 0);
  const each = limited.map(({ agent, policy }) => {
    const agentId = `${own}.${agent}`;
    const policyId = `${policyIdOf(agentId)}.imported`;
    const rule: RuleDocument = {
      version: 1,
      id: policyId,
      priority: 0,
      policy: policyId,
      mode: 'enforce',
      agents: [agentId],
    };
    return { policy: { version: 1 as const, id: policyId, ...policy }, rule };
  });
  return { policies: each.map(({ policy }) => policy), rules: each.map(({ rule }) => rule) };
}
