/** Turns the refusal of a change into the answer of its request: what went wrong, and what to do. */
import { type Changed, idsTaken, type TenantControl } from '@mandate/control';
import { type ControlRecord, type PublishedManifest, policyNamed } from '@mandate/schemas';
import { HttpProblem } from '@mandate/server';
import { notFound } from './not-found.ts';

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

/** A change that is refused. The record of a manifest is large, so only these of its fields are needed. */
export type RefusedRecord =
  | Exclude<ControlRecord, { event: 'manifest.published' }>
  | {
      event: 'manifest.published';
      change: Pick<ControlRecord['change'], 'tenant' | 'expects'>;
      manifest?: PublishedManifest;
    };

/** @param control the documents of the tenant */
export function refusedChange(
  { refusal, revision }: Refusal,
  record: RefusedRecord,
  control: TenantControl,
): HttpProblem {
  if (refusal === 'NOT_FOUND') return missing(record);
  if (refusal === 'TOO_MANY') return tooMany(record, revision);
  if (refusal === 'REVISION_CONFLICT' && revision === 0 && record.change.expects !== 0) return isGone();
  const [status, message, remedy] = REFUSALS[refusal];
  const named = namesInTheWay(refusal, record, control);
  const more = named.length > NAMED ? [`${named.length - NAMED} more`] : [];
  // The list of names is empty if other changes have removed these documents in the meantime.
  const told = named.length === 0 ? message : `${message}: ${[...named.slice(0, NAMED), ...more].join(', ')}`;
  return new HttpProblem(status, refusal, told, { remedy, extension: { revision } });
}

/** Returns the refusal of a change that expected a revision of a document that does not exist. */
function isGone(): HttpProblem {
  return new HttpProblem(409, 'REVISION_CONFLICT', 'it does not exist: it was removed, or never existed', {
    remedy: 'List what exists, and decide again what to change.',
    extension: { revision: 0 },
  });
}

/** The maximum number of documents that one refusal names. */
const NAMED = 5;

/** Returns the documents because of which a change is refused. */
function namesInTheWay(refusal: string, record: RefusedRecord, control: TenantControl): readonly string[] {
  if (refusal === 'ID_TAKEN' && record.event === 'manifest.published' && record.manifest !== undefined)
    return idsTaken(control, record.manifest).map((name) => name.replace(/ (.*)/, ' "$1"'));
  if (refusal !== 'POLICY_IN_USE') return [];
  const [archived, own] = archivedBy(record, control);
  return [...control.rules.values()].flatMap(({ document: { id, policy } }) =>
    archived.has(policyNamed(policy).id) && !own.has(id) ? [`"${id}"`] : [],
  );
}

/** Returns the ids of the policies that the change archives, and of the rules that it removes or keeps as its own. */
function archivedBy(
  record: RefusedRecord,
  control: TenantControl,
): [ReadonlySet<string>, ReadonlySet<string>] {
  if (record.event === 'policy.archived') return [new Set([record.policyId]), new Set()];
  if (record.event !== 'manifest.removed' && record.event !== 'manifest.published')
    return [new Set(), new Set()];
  const { manifest } = { manifest: undefined, ...record };
  const id = record.event === 'manifest.removed' ? record.manifestId : manifest?.id;
  const { policies = [], rules = [] } = control.manifests.get(id ?? '')?.owns ?? {};
  const stays = new Set(manifest?.policies.map((policy) => policy.id));
  const own = new Set([...rules, ...(manifest?.rules.map((rule) => rule.id) ?? [])]);
  return [new Set(policies.filter((policy) => !stays.has(policy))), own];
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
function tooMany({ event }: Pick<ControlRecord, 'event'>, revision: number): HttpProblem {
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

function missing(record: RefusedRecord): HttpProblem {
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
