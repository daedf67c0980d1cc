/**
 * Finds the field that sets the limit of a check. The field is in the mandate with the id and hash that the decision
 * names. If this mandate is composed of policies, the field is in the policy that the check names.
 */
import {
  type Check,
  type Decision,
  described,
  mayNotWait,
  rulesThatGave,
  TOTAL_BUDGET,
  UNIT_NAMES,
} from '@mandate/schemas';
import { z } from 'zod';
import { parseEvidence } from './parse-evidence.ts';

export const boundOrigin = z.object({
  field: described(
    z.string(),
    'The field of the mandate that sets the limit.',
    'toolPolicies.send_certificate.cost',
  ),
  mandate: described(
    z.object({
      id: described(z.string(), 'The id of the mandate.', 'support-bot'),
      hash: described(
        z.string(),
        'The SHA-256 of the mandate, in hex.',
        'd917f6c0656db7673eea3c6db8b1a231fa5fce9687a95c8e94de3b404a9dacfa',
      ),
    }),
    'The mandate of the decision.',
  ),
  policy: described(
    z.string().nullable(),
    'The policy that has the field. null: the mandate has no policies, or the record does not name one.',
    'read-only@3',
  ),
  rules: described(
    z.array(z.string()),
    'The rules that gave that policy. Empty: no rule did, or the record does not name them.',
    ['support-reads'],
  ),
});
export type BoundOrigin = z.output<typeof boundOrigin>;

/** Returns null if no field of a mandate sets the limit of this check, or if the check was skipped. */
export function boundOf(check: Check, { mandate, tool }: Decision): BoundOrigin | null {
  if (mandate === null) return null;
  const field = fieldOf(check, `toolPolicies.${tool}`);
  if (field === null) return null;
  const rules = [...rulesThatGave(check.policy, mandate)];
  return { field, mandate: { id: mandate.id, hash: mandate.hash }, policy: check.policy ?? null, rules };
}

function fieldOf(check: Check, toolPolicy: string): string | null {
  const evidence = parseEvidence(check);
  switch (evidence.by) {
    case 'mandate-alive':
      return 'expiresAt';
    case 'tool-denied':
      return 'deniedTools';
    case 'tool-known':
      return 'tools';
    case 'tool-allowed':
      return evidence.delegated ? 'delegableTools' : 'allowedTools';
    case 'arguments-valid':
      return `${toolPolicy}.argumentValidation`;
    case 'model-allowed':
      return (check.result === 'pass') === (evidence.pattern === undefined)
        ? 'deniedModels'
        : 'allowedModels';
    case 'provider-allowed':
      return (check.result === 'pass') === (evidence.pattern === undefined) && evidence.provider !== null
        ? 'deniedProviders'
        : 'allowedProviders';
    case 'estimate-stated':
      return 'requireEstimate';
    case 'tool-cost-per-call':
      return `${toolPolicy}.maxCostPerCall`;
    case 'mandate-cost-per-call':
      return 'maxCostPerCall';
    case 'tool-rate':
      return `${toolPolicy}.rateLimit`;
    case 'mandate-rate':
      return 'rateLimit';
    case 'open-calls':
      return 'maxOpen';
    case 'budget': {
      const { scope, id, windowMs, maxMicros } = evidence;
      if (maxMicros === null) return null;
      if (scope === 'agent' && id === TOTAL_BUDGET) return 'maxCostTotal';
      return `budgets (${scope} "${id}"${windowMs === null ? '' : `, windowMs ${windowMs}`})`;
    }
    case 'tokens':
    case 'tool-calls': {
      const { by, scope, id, windowMs } = evidence;
      const { total, perWindow } = UNIT_NAMES[by === 'tokens' ? 'tokens' : 'toolCalls'];
      if (scope === 'agent' && id === TOTAL_BUDGET) return total;
      return `${perWindow} (${scope} "${id}", windowMs ${windowMs})`;
    }
    case 'confirmation':
      return mayNotWait(evidence, evidence) ? 'maxWaiting' : `${toolPolicy}.requiresConfirmation`;
    case 'role-known':
      return 'governance.roles';
    case 'role-allowed':
      return `${toolPolicy}.roles`;
    case 'input-length':
      return 'governance.guardrails.input.max_length';
    case 'input-patterns':
      return 'governance.guardrails.input.blocked_patterns';
    case 'output-length':
      return 'governance.guardrails.output.max_length';
    case 'output-content':
      return 'governance.guardrails.output.blocked_content';
    case 'intent':
      return 'governance.intents';
    case 'argument-defaults':
      return evidence.filled.length === 0 ? null : 'governance.tools';
    case 'read-choices':
      return 'governance.memory_policies.read.llm_cannot';
    case 'read-isolation':
      return 'governance.memory_policies.read.user_isolation';
    case 'stores-allowed':
      return 'governance.memory_policies.read.intent_mapping';
    case 'saves-decided':
      return evidence.store === undefined
        ? 'governance.memory_policies.write'
        : 'governance.specialist.memory_access';
    case 'category-policies':
      return 'governance.categories';
    case 'turn':
      return 'governance.guardrails.agent';
    case 'duplicate':
    case 'replay-memory':
    case 'deadline':
    case 'kill-switch':
    case 'tenant-open':
    case 'within-steps':
    case 'mandate-found':
    case 'policy-found':
    case 'model-priced':
    case 'tokens-stated':
    case 'unknown':
      return null;
  }
}
