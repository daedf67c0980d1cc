/** Carries out a change: from the request to the result on the log. */
import { createHash, randomBytes } from 'node:crypto';
import type { Changed } from '@mandate/control';
import { type ControlChange, controlWidening } from '@mandate/control/lint';
import { type ControlRecord, controlRecordFault, policyNamed, sortableId, wireTime } from '@mandate/schemas';
import { callerOf, HttpProblem, type HttpReply, type HttpRequest, idempotencyKeyOf } from '@mandate/server';
import type { Control } from '../control.ts';
import { createsOnly, etagOf, expectedRevision } from './expected-revision.ts';
import { notFound } from './not-found.ts';

export type Asked = HttpRequest<{ Querystring: { reason?: string | undefined } }>;

export type CarriedOut = {
  /** The revision of the change. All readers in this process already see the change. */
  revision: number;
  /** The new permissions of the change, one line each. Null if an earlier request made this change. */
  widens: string[] | null;
};

/**
 * Writes the change. If there is a reply, sets its ETag to the revision of the changed document.
 *
 * @param options.expects the expected revision, instead of the revision in the headers
 * @param options.part names one of several changes that a request makes
 * @param options.tenant the tenant to change; default: the caller's
 * @throws HttpProblem 409 with the current `revision`, if the change did not take effect
 */
export async function carryOut(
  control: Control,
  request: Asked,
  reply: HttpReply | null,
  what: ControlChange,
  options: { expects?: number; part?: string; tenant?: string } = {},
): Promise<CarriedOut> {
  const asked = expectedRevision(request);
  if (asked !== undefined && options.expects !== undefined && asked !== options.expects) throw createsOnly();
  const expects = options.expects ?? asked;
  const record = { ...what, change: changeOf(control, request, { ...options, expects }) } as ControlRecord;
  mustStandOnLog(record);
  const before = { revision: 0, widens: [] as readonly string[] };
  const changed = await control.followed.change(record, (tenant) => {
    before.revision = tenant.revision;
    before.widens = controlWidening(tenant, what, control.clock());
  });
  if (!changed.ok) throw refused(changed, record, control);
  const { revision } = changed;
  reply?.header('etag', etagOf(revision));
  return { revision, widens: revision > before.revision ? [...before.widens] : null };
}

/**
 * Returns the change id of a request with an Idempotency-Key. The id is computed from the key. So a repeated request
 * is the same change, and the change takes effect once. Null if the request has no such key.
 */
export function repeatableId(request: Asked, part = ''): string | null {
  const key = idempotencyKeyOf(request);
  return key === null ? null : `chg_${digest([callerOf(request).tenant, key, part])}`;
}

function changeOf(
  { clock, redactText }: Control,
  request: Asked,
  { expects, part, tenant }: { expects: number | undefined; part?: string; tenant?: string },
): ControlRecord['change'] {
  const { id: keyId, name, tenant: own } = callerOf(request);
  const atMs = clock();
  return {
    id: repeatableId(request, part) ?? sortableId('chg', atMs, randomBytes(10).toString('hex')),
    tenant: tenant ?? own,
    by: `${name} (${keyId})`,
    reason: redactText(request.query.reason ?? ''),
    at: wireTime(atMs),
    ...(expects !== undefined && { expects }),
  };
}

function digest(parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 40);
}

function mustStandOnLog(record: ControlRecord): void {
  const fault = controlRecordFault(record);
  if (fault === null) return;
  throw new HttpProblem(413, 'CHANGE_TOO_LARGE', `as a record of the log it ${fault}`, {
    remedy: 'Make the document smaller. A policy can be split into several, each with a rule of its own.',
  });
}

type Refusal = Extract<Changed, { ok: false }>;

/** For each refusal: the HTTP status, what went wrong, and what to do. */
const REFUSALS: Readonly<
  Record<
    Exclude<Refusal['refusal'], 'NOT_FOUND' | 'TOO_MANY'>,
    readonly [status: number, message: string, remedy: string]
  >
> = {
  REVISION_CONFLICT: [
    409,
    'its revision has changed: another request changed it, or it exists already',
    'Read it again, and decide again what to change. `revision` is its present revision.',
  ],
  ID_REUSED: [
    409,
    'this Idempotency-Key was used for another change',
    'Send another Idempotency-Key with each change.',
  ],
  TENANT_CLOSED: [
    409,
    'the tenant is closed: nothing in it can change',
    'Ask an operator of the plane to open it again.',
  ],
  ID_DIFFERS: [
    400,
    'the document belongs to another tenant than the change',
    'Send the same id in both places.',
  ],
  POLICY_IN_USE: [
    409,
    'rules name this policy',
    'Change or remove these rules. With ?forced=true the policy is archived, and these rules block.',
  ],
  RULES_DIFFER: [
    409,
    'the list must contain each rule once, and no other',
    'Read the rules again, and send all of them in order.',
  ],
  GRANT_UNFIT: [
    409,
    'the grant would end as soon as it is issued, or last too long',
    'A rule begins or ends at this moment, or the clocks of two control services differ. Try again.',
  ],
  KEY_UNFIT: [409, 'the key has too many rights, or another key has its id', 'Issue another key.'],
  ADMIN_REVOKED: [401, 'the API key of the request was revoked meanwhile', 'Ask another admin to do it.'],
  OWN_KEY: [
    409,
    'this is the key of the request itself: without it, there may be no key that can issue another',
    'Revoke it with the key of another admin, or with a key of `mandate keys issue`.',
  ],
  MANIFEST_UNFIT: [
    409,
    'the documents of the manifest are not of the form that manifests compile to',
    'The versions of the control services differ. Update them, and publish the manifest again.',
  ],
  ID_TAKEN: [
    409,
    'an agent, a policy or a rule with an id of the manifest exists, and does not belong to it',
    'Publish the manifest under another id, or remove that document first.',
  ],
  PARENT_UNKNOWN: [409, 'its parent is not registered', 'Register the parent first.'],
  PARENT_IS_BELOW: [409, 'its parent is the agent itself or one of its descendants', 'Name another parent.'],
  PARENT_TOO_DEEP: [409, 'it would have too many ancestors', 'Choose a parent with fewer ancestors.'],
  PARENT_CHANGED_TOO_OFTEN: [
    409,
    'the agent has had too many other ancestors before',
    'Register it under another id. A kill of any of its former ancestors may stop it, so each is remembered.',
  ],
};

function refused({ refusal, revision }: Refusal, record: ControlRecord, control: Control): HttpProblem {
  if (refusal === 'NOT_FOUND') return missing(record);
  if (refusal === 'TOO_MANY') return tooMany(record, revision);
  if (refusal === 'REVISION_CONFLICT' && revision === 0 && record.change.expects !== 0) return isGone();
  if (refusal === 'POLICY_IN_USE' && record.event === 'policy.archived')
    return inUse(record, revision, control);
  const [status, message, remedy] = REFUSALS[refusal];
  return new HttpProblem(status, refusal, message, { remedy, extension: { revision } });
}

/** Returns the refusal of a change that expected a revision of a document that does not exist. */
function isGone(): HttpProblem {
  return new HttpProblem(409, 'REVISION_CONFLICT', 'it does not exist: it was removed, or never existed', {
    remedy: 'List what exists, and decide again what to change.',
    extension: { revision: 0 },
  });
}

/** The maximum number of rules that one refusal names. */
const RULES_NAMED = 5;

function inUse(
  { policyId, change }: Extract<ControlRecord, { event: 'policy.archived' }>,
  revision: number,
  { followed }: Control,
): HttpProblem {
  const [status, message, remedy] = REFUSALS.POLICY_IN_USE;
  const rules = [...followed.tenant(change.tenant).rules.values()].flatMap(({ document: { id, policy } }) =>
    policyNamed(policy).id === policyId ? [`"${id}"`] : [],
  );
  const more = rules.length > RULES_NAMED ? [`${rules.length - RULES_NAMED} more`] : [];
  const named = [...rules.slice(0, RULES_NAMED), ...more].join(', ');
  // The list of names is empty if other changes have removed these rules in the meantime.
  const told = named === '' ? message : `${message}: ${named}`;
  return new HttpProblem(status, 'POLICY_IN_USE', told, { remedy, extension: { revision } });
}

const LIMITED = 'GET /v1/tenants/{id} shows the quotas of a tenant, and how much it has.';

/** For each event with a quota: what is full, and what to do. */
const FULL: Readonly<Partial<Record<ControlRecord['event'], readonly [full: string, remedy: string]>>> = {
  'agent.put': ['agents', `Retire unused agents. ${LIMITED}`],
  'key.issued': ['keys of this agent', 'Revoke unused keys.'],
  'role.granted': ['keys of people', 'Revoke unused keys.'],
  'policy.published': [
    'policies, of versions of this policy,',
    `Archived policies count too: reuse one of them. If one policy has too many versions, publish it under another id. ${LIMITED}`,
  ],
  'rule.put': ['rules', `Remove unused rules. ${LIMITED}`],
  'grant.issued': ['grants that are in force', `Revoke unused grants. ${LIMITED}`],
  'manifest.published': [
    'manifests, of their versions, or of agents, policies or rules,',
    `Remove unused manifests and agents. ${LIMITED}`,
  ],
};

/** Returns the refusal of a change that exceeds a quota of the tenant or of the plane. */
function tooMany({ event }: ControlRecord, revision: number): HttpProblem {
  const [full, remedy] = FULL[event] ?? [
    'tenants, or of topics of tenants',
    'The plane can have 10,000 tenants, closed ones included. Only 250 tenants can have topics of their own: the others publish through a gateway.',
  ];
  const message =
    event === 'tenant.put'
      ? `the plane has reached its quota of ${full}`
      : `the tenant has reached its quota of ${full} or of characters in documents`;
  return new HttpProblem(409, 'TOO_MANY', message, { remedy, extension: { revision } });
}

export function adminRevoked(): HttpProblem {
  const [status, message, remedy] = REFUSALS.ADMIN_REVOKED;
  return new HttpProblem(status, 'ADMIN_REVOKED', message, { remedy });
}

function missing(record: ControlRecord): HttpProblem {
  switch (record.event) {
    case 'agent.retired':
    case 'key.issued':
      return notFound('agent', record.agentId);
    case 'grant.issued':
      return notFound('agent', record.grant.agentId);
    case 'grant.revoked':
      return notFound('grant', record.grantId);
    case 'key.revoked':
    case 'role.revoked':
      return notFound('key', record.keyId);
    case 'policy.archived':
      return notFound('policy', record.policyId);
    case 'manifest.removed':
      return notFound('manifest', record.manifestId);
    case 'rule.removed':
      return notFound('rule', record.ruleId);
    case 'tenant.closed':
      return notFound('tenant', record.change.tenant);
    default:
      throw new TypeError(`${record.event} needs nothing that could be missing`);
  }
}
