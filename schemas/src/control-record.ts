/**
 * A record of the control topic: every change of tenants, agents, API keys, policies, rules, grants and agent
 * manifests, with author, time and reason. The topic has one partition, so all changes have one order. A change takes effect at its log
 * position. If it expected another revision, it never takes effect. Every reader gets the same result
 * (packages/control/src).
 */
import { z } from 'zod';
import { agentDocument } from './agent-document.ts';
import { apiKeyRecord, ROLE_NAMES } from './api-key.ts';
import { CAPS } from './defaults.ts';
import { described } from './described.ts';
import { grantDocument } from './grant.ts';
import { policyDocument } from './mandate-document.ts';
import { publishedManifest } from './published-manifest.ts';
import { ruleDocument } from './rule-document.ts';
import { count, id, tenant, time } from './scalars.ts';
import { tenantDocument } from './tenant-document.ts';

/**
 * `expects`: the revision of the document when the author of the change read it. 0: the document does not exist yet.
 * Default: any revision.
 */
const change = z.strictObject({
  id: described(
    id,
    'The id of the change. A command that is sent again keeps its id, and takes effect once.',
    'chg_issued',
  ),
  tenant: described(tenant, 'The tenant that is changed.', 'default'),
  by: described(z.string(), 'The person or the API key that made the change.', 'key:ops-laptop'),
  reason: described(
    z.string(),
    'Why, in the words of the person who made the change.',
    'the contract of January',
  ),
  at: described(time, 'When it was made.'),
  expects: described(
    count.optional(),
    'The revision of the document that its author saw. 0: the document does not exist yet. Default: any revision.',
    0,
  ),
});

const changes = <Event extends string, Shape extends z.ZodRawShape>(
  event: Event,
  description: string,
  shape: Shape,
) =>
  z
    .strictObject({
      event: described(z.literal(event), 'The kind of the record.'),
      change: described(change, 'Who made the change, when and why.'),
      ...shape,
    })
    .meta({ title: event, description });

export const agentPut = changes('agent.put', 'An agent was registered, or changed.', {
  agent: described(agentDocument, 'The agent as it is from now on.'),
});
export const agentRetired = changes('agent.retired', 'An agent was retired: it is no longer registered.', {
  agentId: described(id, 'The agent that is no longer registered.', 'airline-007'),
});
export const keyIssued = changes('key.issued', 'An API key was issued with which an agent publishes.', {
  agentId: described(id, 'The agent for which the key publishes.', 'airline-007'),
  key: described(apiKeyRecord, 'The record of the key, without the secret.'),
});
export const keyRevoked = changes(
  'key.revoked',
  'A key of an agent was revoked, and is refused from now on.',
  {
    agentId: described(id, 'The agent of the key.', 'airline-007'),
    keyId: described(id, 'The key that is revoked.', '1bC2dE3fG4hI'),
  },
);
/** The key of a role with which the change was requested. Absent if it was a key of a file, or no key. */
const byKey = id.optional();
export const roleGranted = changes(
  'role.granted',
  'A person or a service got an API key with the scopes of a role.',
  {
    role: described(z.enum(ROLE_NAMES), 'The role that was given.'),
    key: described(apiKeyRecord, 'The record of the key, without the secret.'),
    byKey: described(
      byKey,
      'The key of a role that made the request. Absent if the request used a key of the key file, or no key.',
      '2cD3eF4gH5iJ',
    ),
  },
);
export const roleRevoked = changes(
  'role.revoked',
  'A key of a role was revoked, and is refused from now on.',
  {
    keyId: described(id, 'The key that is revoked.', '1bC2dE3fG4hI'),
    byKey: described(
      byKey,
      'The key of a role that made the request. Absent if the request used a key of the key file, or no key.',
      '2cD3eF4gH5iJ',
    ),
  },
);
export const policyPublished = changes(
  'policy.published',
  'A version of a policy was published, and is the latest from now on.',
  { policy: described(policyDocument, 'The new version of the policy.') },
);
export const policyArchived = changes(
  'policy.archived',
  'A policy was archived: rules can no longer use it.',
  {
    policyId: described(id, 'The policy that is archived.', 'read-only'),
    forced: described(
      z.boolean(),
      'Whether it is archived although rules use it. These rules block their agents from then on.',
      false,
    ),
  },
);
export const rulePut = changes('rule.put', 'A rule was added or changed.', {
  rule: described(ruleDocument, 'The rule as it is from now on.'),
});
export const ruleRemoved = changes('rule.removed', 'A rule was removed.', {
  ruleId: described(id, 'The rule that is removed.', 'support-reads'),
});
export const rulesReordered = changes('rules.reordered', 'The rules were put into another order.', {
  ruleIds: described(z.array(id).max(CAPS.rules), 'All rules of the tenant, in their new order.', [
    'support-reads',
    'refunds-are-small',
  ]),
});

export const grantIssued = changes(
  'grant.issued',
  'A grant was issued to an agent. It keeps the rules and policies of this moment until it ends.',
  { grant: described(grantDocument, 'The grant.') },
);
export const grantRevoked = changes('grant.revoked', 'A grant was revoked. It no longer allows any action.', {
  grantId: described(id, 'The grant that is revoked.', 'mnd_01ke6p9y40d2c1b0a99887766554433'),
});

/**
 * The documents of the manifest take effect together, at the log position of this record. No reader ever sees only some
 * of them.
 */
export const manifestPublished = changes(
  'manifest.published',
  'A version of an agent manifest was published, with the agents, policies and rules that it compiles to. The documents that only the version before had are removed.',
  { manifest: described(publishedManifest, 'The new version of the manifest.') },
);
export const manifestRemoved = changes(
  'manifest.removed',
  'An agent manifest was removed: its agents are retired, its policies archived, and its rules removed.',
  {
    manifestId: described(id, 'The manifest that is removed.', 'support-team'),
    forced: described(
      z.boolean(),
      'Whether it is removed although other rules name its policies. These rules block their agents from then on.',
      false,
    ),
  },
);

/** This record and the next one are about the tenant that `change` names. */
export const tenantPut = changes(
  'tenant.put',
  'A tenant was opened, changed, or opened again after it was closed.',
  { tenant: described(tenantDocument, 'The tenant as it is from now on.') },
);
export const tenantClosed = changes(
  'tenant.closed',
  'A tenant was closed. Nothing is allowed or changed in it until it is opened again.',
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
  grantIssued,
  grantRevoked,
  manifestPublished,
  manifestRemoved,
  tenantPut,
  tenantClosed,
]);
export type ControlRecord = z.output<typeof controlRecord>;

export const CONTROL_RECORDS = controlRecord.options.map(({ shape }) => shape.event.value);

/**
 * Returns the shape of changes as JSON Schema without descriptions. If two processes have the same text, they read
 * the same records.
 */
export function shapeOfControlRecords(): string {
  const jsonSchema = z.toJSONSchema(controlRecord, {
    io: 'input',
    override: ({ jsonSchema }) => {
      delete jsonSchema.description;
      delete jsonSchema.examples;
    },
  });
  return JSON.stringify(jsonSchema);
}

const utf8 = new TextDecoder('utf-8', { fatal: true });
const MOST_DEEP = CAPS.depth * 2;

/** Returns why a change cannot be appended to the log, in words that follow "it". Null if it can be appended. */
export function controlRecordFault(record: ControlRecord): string | null {
  const text = JSON.stringify(record);
  const most = record.event === 'manifest.published' ? CAPS.manifestChangeBytes : CAPS.changeBytes;
  if (new TextEncoder().encode(text).length > most) return `has more than ${most} bytes`;
  return isDeeperThan(MOST_DEEP, text) ? `is nested more than ${MOST_DEEP} deep` : null;
}

/**
 * Reads a change. Throws on any other content, and also on an unknown field: it may be a limit, and a reader that
 * ignored it would allow what other readers refuse.
 */
export function readControlRecord(value: Uint8Array): ControlRecord {
  const steps = readControlRecordInSteps(value);
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/** Does the same in steps that each take a few milliseconds, because a manifest may have thousands of documents. */
export function* readControlRecordInSteps(value: Uint8Array): Generator<void, ControlRecord> {
  const text = utf8.decode(value);
  if (isDeeperThan(MOST_DEEP, text)) throw new RangeError('nested too deep');
  yield;
  const written: unknown = JSON.parse(text);
  if (eventIn(written) !== 'manifest.published') return controlRecord.parse(written);
  yield;
  const { manifest, ...record } = withWrittenDocuments.parse(written);
  const agents = yield* parsed(manifest.agents, agentDocument);
  const policies = yield* parsed(manifest.policies, policyDocument);
  const rules = yield* parsed(manifest.rules, ruleDocument);
  return { ...record, manifest: { ...manifest, agents, policies, rules } };
}

function eventIn(written: unknown): unknown {
  return typeof written === 'object' && written !== null && 'event' in written ? written.event : null;
}

const writtenDocuments = z.array(z.unknown()).max(CAPS.documentsPerManifest);
/** A published manifest whose documents are not checked yet. */
const withWrittenDocuments = manifestPublished.extend({
  manifest: publishedManifest.extend({
    agents: writtenDocuments.min(1),
    policies: writtenDocuments,
    rules: writtenDocuments,
  }),
});

/** How many documents are checked in one step. */
const DOCUMENTS_AT_ONCE = 100;

function* parsed<Document>(
  written: readonly unknown[],
  schema: z.ZodType<Document>,
): Generator<void, Document[]> {
  const documents: Document[] = [];
  for (const [at, one] of written.entries()) {
    if (at % DOCUMENTS_AT_ONCE === 0) yield;
    documents.push(schema.parse(one));
  }
  return documents;
}

/**
 * Checks the depth before the text is parsed. How deep a reader can parse depends on its stack, so only some readers
 * might fail.
 */
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

/**
 * Returns the index of the closing quote of the string that begins at `from`. Returns the end of the text if there is
 * no closing quote. Most of a large document is inside of strings, where `indexOf` is far faster than a loop.
 */
function endOfText(text: string, from: number): number {
  let at = text.indexOf('"', from + 1);
  while (at !== -1 && isEscaped(text, at)) at = text.indexOf('"', at + 1);
  return at === -1 ? text.length : at;
}

/** True if an odd number of backslashes precedes the character. */
function isEscaped(text: string, at: number): boolean {
  let first = at;
  while (text[first - 1] === '\\') first -= 1;
  return (at - first) % 2 === 1;
}
