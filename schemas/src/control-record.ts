/**
 * What stands in the control topic: every change of tenants, agents, API keys, policies, rules and issued mandates, with who, when and why. It is one
 * partition, and so one order. A change takes effect at its place there, or, where it expected what was no longer so, never:
 * every reader finds the same (packages/control/src).
 */
import { z } from 'zod';
import { agentDocument } from './agent-document.ts';
import { apiKeyRecord, ROLE_NAMES } from './api-key.ts';
import { CAPS } from './defaults.ts';
import { issuedMandateDocument } from './issued-mandate.ts';
import { policyDocument } from './mandate-document.ts';
import { ruleDocument } from './rule-document.ts';
import { count, id, tenant, time } from './scalars.ts';
import { tenantDocument } from './tenant-document.ts';

/**
 * `expects`: the revision of the changed document that the author of the change saw; 0: the document does not exist yet;
 * absent: any revision.
 */
const change = z.strictObject({
  id,
  tenant,
  by: z.string(),
  reason: z.string(),
  at: time,
  expects: count.optional(),
});

const changes = <Event extends string, Shape extends z.ZodRawShape>(
  event: Event,
  description: string,
  shape: Shape,
) => z.strictObject({ event: z.literal(event), change, ...shape }).meta({ title: event, description });

export const agentPut = changes('agent.put', 'An agent was registered, or changed.', {
  agent: agentDocument,
});
export const agentRetired = changes('agent.retired', 'An agent was taken off the register.', { agentId: id });
export const keyIssued = changes('key.issued', 'An API key was issued, with which an agent publishes.', {
  agentId: id,
  key: apiKeyRecord,
});
export const keyRevoked = changes('key.revoked', 'A key of an agent lets nobody in any more.', {
  agentId: id,
  keyId: id,
});
/** With which it was asked for, where that is itself a key of a role; absent: a key of a file, or no key. */
const byKey = id.optional();
export const roleGranted = changes(
  'role.granted',
  'Somebody was issued an API key with the scopes of a role.',
  {
    role: z.enum(ROLE_NAMES),
    key: apiKeyRecord,
    byKey,
  },
);
export const roleRevoked = changes('role.revoked', 'A key of a role lets nobody in any more.', {
  keyId: id,
  byKey,
});
export const policyPublished = changes(
  'policy.published',
  'A policy has a new version, which is the latest from here on.',
  { policy: policyDocument },
);
export const policyArchived = changes('policy.archived', 'A policy is no longer to be used.', {
  policyId: id,
  /** Also where rules use it: from then on they block. */
  forced: z.boolean(),
});
export const rulePut = changes('rule.put', 'A rule is new, or was changed.', { rule: ruleDocument });
export const ruleRemoved = changes('rule.removed', 'A rule was removed.', { ruleId: id });
export const rulesReordered = changes('rules.reordered', 'The rules were put into another order.', {
  /** All of them. */
  ruleIds: z.array(id).max(CAPS.rules),
});

export const mandateIssued = changes(
  'mandate.issued',
  'An agent was issued a mandate: rules and policies as they stand here, until it ends.',
  { mandate: issuedMandateDocument },
);
export const mandateRevoked = changes(
  'mandate.revoked',
  'Nothing is allowed any more under an issued mandate.',
  { mandateId: id },
);

/** In both, the tenant is the tenant of the change. */
export const tenantPut = changes(
  'tenant.put',
  'A tenant was opened, changed, or opened again after it was closed.',
  { tenant: tenantDocument },
);
export const tenantClosed = changes(
  'tenant.closed',
  'A tenant was closed: nothing is allowed in it, and nothing changed, until it is opened again.',
  {},
);

export const controlRecord = z.discriminatedUnion('event', [
  agentPut,
  agentRetired,
  keyIssued,
  keyRevoked,
  roleGranted,
  roleRevoked,
  policyPublished,
  policyArchived,
  rulePut,
  ruleRemoved,
  rulesReordered,
  mandateIssued,
  mandateRevoked,
  tenantPut,
  tenantClosed,
]);
export type ControlRecord = z.output<typeof controlRecord>;

export const CONTROL_RECORDS = controlRecord.options.map(({ shape }) => shape.event.value);

/** The shape of changes, as JSON Schema: two processes with the same text read the same records. */
export function shapeOfControlRecords(): string {
  return JSON.stringify(z.toJSONSchema(controlRecord, { io: 'input' }));
}

const utf8 = new TextDecoder('utf-8', { fatal: true });
const MOST_DEEP = CAPS.depth * 2;

/** Why a change cannot stand on the log, in words that follow "it"; null: it can. */
export function controlRecordFault(record: ControlRecord): string | null {
  const text = JSON.stringify(record);
  if (new TextEncoder().encode(text).length > CAPS.changeBytes)
    return `has more than ${CAPS.changeBytes} bytes`;
  return isDeeperThan(MOST_DEEP, text) ? `is nested more than ${MOST_DEEP} deep` : null;
}

/**
 * Throws on anything else, a field that this version does not know among it: it may be a bound, and who passed it over
 * would allow what others refuse.
 */
export function readControlRecord(value: Uint8Array): ControlRecord {
  const text = utf8.decode(value);
  if (isDeeperThan(MOST_DEEP, text)) throw new RangeError('nested too deep');
  return controlRecord.parse(JSON.parse(text));
}

/** Before it is parsed: how much a stack holds differs from reader to reader, and so would what they find. */
function isDeeperThan(most: number, text: string): boolean {
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const sign = text[at];
    if (sign === '"') at = endOfText(text, at);
    else if (sign === '[' || sign === '{') depth += 1;
    else if (sign === ']' || sign === '}') depth -= 1;
    if (depth > most) return true;
  }
  return false;
}

/** Where the text closes that begins there; the end of all, where it does not, which is no JSON then. */
function endOfText(text: string, from: number): number {
  let at = from + 1;
  for (; at < text.length && text[at] !== '"'; at += 1) if (text[at] === '\\') at += 1;
  return at;
}
