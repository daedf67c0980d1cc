/**
 * The state that the control topic describes: the tenants, agents, policies, rules and grants. Every reader applies
 * the same records in the same order. So all readers get the same result, also for a change that came too late. If
 * two writers change the same document at once, both write a record, and the first record on the log wins.
 */

import { digestOf } from '@mandate/policy/parts';
import { type ApiKeyRecord, CAPS, type ControlRecord, type Json } from '@mandate/schemas';
import { growth, isTooMuch } from './control-units.ts';
import { copyTenant } from './copy-tenant.ts';
import { evolve } from './evolve.ts';
import { askedFor } from './grants.ts';
import { singleChanges } from './manifests/single-changes.ts';
import type { OpenedTenant } from './revisioned.ts';
import { newTenant, revisionOf, type Tenant, type TenantControl } from './tenant-control.ts';
import { type ChangeRefusal, isOneTooMany, type ThereAre, validateChange } from './validate-change.ts';

export type ControlFold = {
  /**
   * Applies a record. A change that was applied before has no effect, and its first result is returned again.
   *
   * @param revision the log position of the record, counted from 1
   */
  apply(record: ControlRecord, revision: number): Changed;
  /**
   * Returns the result that a new change would have as the next record. Null if it would take effect. The state does not
   * change.
   */
  refusalOf(record: ControlRecord, revision: number): Refused | null;
  /**
   * Returns the state of the tenant after a record that is not applied, or why the record would be refused. The state of
   * the fold does not change. Takes as long as copying the tenant.
   */
  tried(record: ControlRecord, revision: number): Tried | Refused;
  /** Returns the state of a tenant. The returned object changes when later records are applied. */
  tenant(name: string): TenantControl;
  /** All tenants that were ever opened, by name. */
  readonly opened: ReadonlyMap<string, OpenedTenant>;
  /** The tenants that publish to their own topics now, or did so earlier. */
  readonly withTopics: ReadonlySet<string>;
  /**
   * Returns a key of an agent or person of any tenant, by its public id. A key with `revokedAt` was revoked, and is
   * forgotten later.
   */
  key(id: string): ApiKeyRecord | undefined;
  /** The keys of agents and people of every tenant, except revoked keys. */
  keys(): Iterable<ApiKeyRecord>;
  /** The whole state. Only this object changes it. Snapshots store and restore it (snapshot/). */
  readonly state: ControlState;
};

export type ControlState = {
  readonly tenants: Map<string, OfTenant>;
  /**
   * The tenant of each public key id. Ids are random texts of 12 characters. If keys of two tenants have the same id,
   * the id belongs to the first tenant until its key is revoked.
   */
  readonly tenantOfKey: Map<string, string>;
};

export type OfTenant = { readonly control: Tenant; readonly results: ChangeResults };

export function newControlState(): ControlState {
  return { tenants: new Map(), tenantOfKey: new Map() };
}

export type Changed =
  /** `revision`: the new revision of the changed document. */
  | { ok: true; revision: number }
  /** `revision`: the current revision of the document that the change is about. 0 if the document does not exist. */
  | { ok: false; refusal: ChangeRefusal; revision: number };

type Refused = Extract<Changed, { ok: false }>;

/**
 * `revision`: the current revision of the document. `isRepeat`: the same change was made before, so it would change
 * nothing.
 */
export type Tried = { ok: true; control: TenantControl; revision: number; isRepeat: boolean };

/** The digest and result of each change, by the id of the change, the oldest first. */
type ChangeResults = Map<string, { digest: string; changed: Changed }>;

/** How many changes of a tenant are remembered with their results. */
const REMEMBERED = 10_000;

/** @param state the state to continue from */
export function foldControl(state: ControlState = newControlState()): ControlFold {
  const { tenants, tenantOfKey } = state;
  const opened = new Map<string, OpenedTenant>();
  const withTopics = new Set<string>();
  const note = (name: string, { opened: now }: Tenant) => {
    if (now === null) return;
    opened.set(name, now);
    if (now.hadTopic) withTopics.add(name);
  };
  for (const [name, { control }] of tenants) note(name, control);
  const none = newTenant();
  const key = (id: string) => keyIn(tenants.get(tenantOfKey.get(id) ?? '')?.control ?? none, id);

  return {
    apply(record, revision) {
      const { tenant } = record.change;
      const known = tenants.get(tenant) ?? { control: newTenant(), results: new Map() };
      tenants.set(tenant, known);
      const longestEnded = known.control.endedKeys.keys().take(mostEndedBy(record)).toArray();
      const changed = applyOnce(known, record, revision, {
        tenants: opened.size,
        topics: withTopics.size,
      });
      for (const id of longestEnded)
        if (tenantOfKey.get(id) === tenant && keyIn(known.control, id) === undefined) tenantOfKey.delete(id);
      note(tenant, known.control);
      if ('key' in record && opens(keyIn(known.control, record.key.id)) && !opens(key(record.key.id)))
        tenantOfKey.set(record.key.id, tenant);
      return changed;
    },
    refusalOf(record, revision) {
      const control = tenants.get(record.change.tenant)?.control ?? none;
      const there = { tenants: opened.size, topics: withTopics.size };
      const { refusal, current } = examined(control, record, revision, there);
      return refusal === null ? null : { ok: false, refusal, revision: current };
    },
    tried(record, revision) {
      const { control, results } = tenants.get(record.change.tenant) ?? { control: none, results: null };
      const known = results && resultBefore(control, results, record);
      const current = revisionOf(control, record);
      if (known) return known.ok ? { ok: true, control, revision: current, isRepeat: true } : known;
      const copy = copyTenant(control);
      const changed = applyTo(copy, record, revision, { tenants: opened.size, topics: withTopics.size });
      return changed.ok ? { ok: true, control: copy, revision: current, isRepeat: false } : changed;
    },
    tenant: (name) => tenants.get(name)?.control ?? none,
    opened,
    withTopics,
    key,
    keys: () => unrevokedKeys(tenants.values()),
    state,
  };
}

/** Returns the key with this id. An id belongs to an agent or to a person, never to both. */
function keyIn({ keys, roleKeys, endedKeys }: Tenant, id: string): ApiKeyRecord | undefined {
  return (keys.get(id) ?? roleKeys.get(id) ?? endedKeys.get(id))?.document.key;
}

function* unrevokedKeys(all: Iterable<OfTenant>): Generator<ApiKeyRecord> {
  for (const { control } of all) {
    for (const { document } of control.keys.values()) yield document.key;
    for (const { document } of control.roleKeys.values()) yield document.key;
  }
}

function opens(key: ApiKeyRecord | undefined): boolean {
  return key?.revokedAt === null;
}

/**
 * Returns how many keys the change may end at most. After it, as many of the oldest ended keys may be forgotten. One
 * agent has a limited number of keys, but a manifest may retire any number of agents.
 */
function mostEndedBy({ event }: ControlRecord): number {
  switch (event) {
    case 'key.revoked':
    case 'role.revoked':
    case 'agent.retired':
      return CAPS.keysPerAgent;
    case 'manifest.published':
    case 'manifest.removed':
      return CAPS.endedKeys;
    default:
      return 0;
  }
}

/**
 * Applies a record unless its change was applied before. A writer that got no answer from the log writes again with
 * the same id. A client that got no answer from the service also sends the same id again.
 */
function applyOnce(
  { control, results }: OfTenant,
  record: ControlRecord,
  revision: number,
  there: ThereAre,
): Changed {
  const before = resultBefore(control, results, record);
  if (before !== null) return before;
  const changed = applyTo(control, record, revision, there);
  results.set(record.change.id, { digest: digestOfChange(record), changed });
  const [oldest] = results.keys();
  if (results.size > REMEMBERED && oldest !== undefined) results.delete(oldest);
  return changed;
}

/** Returns the result of a change with an id that was used before. Null if the id is new. */
function resultBefore(control: Tenant, results: ChangeResults, record: ControlRecord): Changed | null {
  const known = results.get(record.change.id);
  if (known === undefined) return null;
  if (known.digest === digestOfChange(record)) return known.changed;
  return { ok: false, refusal: 'ID_REUSED', revision: revisionOf(control, record) };
}

/**
 * The digest of a change and of the revision that it expects. The metadata of the change is left out, because a
 * repeated change may have another reason.
 */
function digestOfChange({ change, ...what }: ControlRecord): string {
  const expects = change.expects ?? null;
  if (what.event === 'grant.issued') return digestOf([expects, askedFor(what.grant) as Json]);
  if (what.event === 'manifest.published') {
    // The documents follow from these fields, and there may be thousands of documents.
    const { id, hash, options, files } = what.manifest;
    return digestOf([expects, what.event, id, hash, options, files]);
  }
  return digestOf([expects, what as Json]);
}

/**
 * The changes that are possible while a tenant is closed. A closed tenant can be opened again, and its leaked keys
 * can be revoked.
 */
const WHILE_CLOSED: ReadonlySet<ControlRecord['event']> = new Set([
  'tenant.put',
  'role.revoked',
  'key.revoked',
]);

function applyTo(control: Tenant, record: ControlRecord, revision: number, there: ThereAre): Changed {
  const { refusal, current, changes, grows } = examined(control, record, revision, there);
  if (refusal !== null) return { ok: false, refusal, revision: current };
  for (const one of changes) evolve(control, one, revision);
  control.revision = revision;
  control.units += grows;
  return { ok: true, revision };
}

/** Returns the changes of which the record consists, and why it is refused. */
function examined(control: Tenant, record: ControlRecord, revision: number, there: ThereAre) {
  const { expects } = record.change;
  const current = revisionOf(control, record);
  const isLate = expects !== undefined && expects !== current;
  const singles = singleChanges(control, record);
  const changes = singles[0] === record ? singles : [...singles, record];
  const grows = changes.reduce((sum, one) => sum + growth(control, one), 0);
  const isClosed = control.opened !== null && control.opened.closedAt !== null;
  const refusal: ChangeRefusal | null =
    isClosed && !WHILE_CLOSED.has(record.event)
      ? 'TENANT_CLOSED'
      : isLate
        ? 'REVISION_CONFLICT'
        : isOneTooMany(control, record, current, there, singles) || isTooMuch(control, grows)
          ? 'TOO_MANY'
          : validateChange(control, record, current, revision, singles);
  return { refusal, current, changes, grows };
}
