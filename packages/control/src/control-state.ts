/**
 * The fold of the control topic: which tenants, agents, policies, rules and issued mandates there are. Every reader folds the same records in the same
 * order and so finds the same, also of a change that came too late: two who changed the same thing at once both wrote a
 * record, and the first on the log counts.
 */

import { digestOf } from '@mandate/policy/parts';
import { type ApiKeyRecord, CAPS, type ControlRecord, type Json } from '@mandate/schemas';
import { growth, isTooMuch } from './control-units.ts';
import { askedFor } from './issued-mandates.ts';
import type { OpenedTenant } from './kept.ts';
import { type ChangeRefusal, isOneTooMany, objectionTo, type ThereAre } from './refuse-change.ts';
import { takeEffect } from './take-effect.ts';
import { newTenant, revisionOf, type Tenant, type TenantControl } from './tenant-control.ts';

export type ControlFold = {
  /**
   * A record of a change that was applied before changes nothing, and reports the result of then.
   *
   * @param revision the record's place on the log, counted from 1
   */
  apply(record: ControlRecord, revision: number): Changed;
  /** As it stands; what is applied later shows in it. */
  tenant(name: string): TenantControl;
  /** Those that were ever opened, by name. */
  readonly opened: ReadonlyMap<string, OpenedTenant>;
  /** Those of them that publish to topics of their own, or once did. */
  readonly withTopics: ReadonlySet<string>;
  /**
   * The keys of the agents and people of every tenant, by their public ids; with `revokedAt`, those that ended a while
   * ago.
   */
  key(id: string): ApiKeyRecord | undefined;
  /** The keys of agents and people that were not revoked, of every tenant. */
  keys(): Iterable<ApiKeyRecord>;
  /** All of it, as only the fold itself changes it: what is written down of it, and brought back (snapshot/). */
  readonly state: ControlState;
};

export type ControlState = {
  readonly tenants: Map<string, OfTenant>;
  /** Public ids are drawn of 62^12; should two tenants have the same one, the first has it for as long as its key opens anything. */
  readonly tenantOfKey: Map<string, string>;
};

export type OfTenant = { readonly control: Tenant; readonly became: Became };

export function newControlState(): ControlState {
  return { tenants: new Map(), tenantOfKey: new Map() };
}

export type Changed =
  /** `revision`: of what was changed, from here on. */
  | { ok: true; revision: number }
  /** `revision`: of what was to be changed, as it stands; 0 where there is none. */
  | { ok: false; refusal: ChangeRefusal; revision: number };

/** By the id of a change, what it was and what became of it; the oldest first. */
type Became = Map<string, { digest: string; changed: Changed }>;

/** How many changes of a tenant are remembered with their results. */
const REMEMBERED = 10_000;

/** @param state from which it goes on */
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
      const known = tenants.get(tenant) ?? { control: newTenant(), became: new Map() };
      tenants.set(tenant, known);
      const longestEnded = ENDS_KEYS.has(record.event)
        ? known.control.endedKeys.keys().take(CAPS.keysPerAgent).toArray()
        : [];
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
    tenant: (name) => tenants.get(name)?.control ?? none,
    opened,
    withTopics,
    key,
    keys: () => unrevokedKeys(tenants.values()),
    state,
  };
}

/** No id is of an agent and of a person. */
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

/** The keys of one agent at most; as many of the oldest ended keys may then be forgotten. */
const ENDS_KEYS: ReadonlySet<ControlRecord['event']> = new Set([
  'key.revoked',
  'role.revoked',
  'agent.retired',
]);

/** A writer that lost the answer of the log writes again, under the same id, as does a client that lost ours. */
function applyOnce(
  { control, became }: OfTenant,
  record: ControlRecord,
  revision: number,
  there: ThereAre,
): Changed {
  const { id } = record.change;
  const digest = digestOfChange(record);
  const known = became.get(id);
  if (known?.digest === digest) return known.changed;
  if (known !== undefined) return { ok: false, refusal: 'ID_REUSED', revision: revisionOf(control, record) };
  const changed = applyTo(control, record, revision, there);
  became.set(id, { digest, changed });
  const [oldest] = became.keys();
  if (became.size > REMEMBERED && oldest !== undefined) became.delete(oldest);
  return changed;
}

/** The digest of what it changes, and what it expects: a repeated change may give another reason. */
function digestOfChange({ change, ...what }: ControlRecord): string {
  const asked = what.event === 'mandate.issued' ? askedFor(what.mandate) : what;
  return digestOf([change.expects ?? null, asked as Json]);
}

/** A closed tenant can be opened again. A key in the wrong hands can be revoked, whether the tenant is open or not. */
const WHILE_CLOSED: ReadonlySet<ControlRecord['event']> = new Set([
  'tenant.put',
  'role.revoked',
  'key.revoked',
]);

function applyTo(control: Tenant, record: ControlRecord, revision: number, there: ThereAre): Changed {
  const { expects } = record.change;
  const current = revisionOf(control, record);
  const isLate = expects !== undefined && expects !== current;
  const grows = growth(control, record);
  const isClosed = control.opened !== null && control.opened.closedAt !== null;
  const refusal =
    isClosed && !WHILE_CLOSED.has(record.event)
      ? 'TENANT_CLOSED'
      : isLate
        ? 'REVISION_CONFLICT'
        : isOneTooMany(control, record, current, there) || isTooMuch(control, grows)
          ? 'TOO_MANY'
          : objectionTo(control, record, current, revision);
  if (refusal !== null) return { ok: false, refusal, revision: current };
  takeEffect(control, record, revision);
  control.revision = revision;
  control.units += grows;
  return { ok: true, revision };
}
