/**
 * Shared helpers for tests of the control state: a log that is read into the state, a writer of changes, and the size
 * of a tenant's documents.
 */
import { foldControl, type TenantControl } from '@mandate/control';
import { type ControlRecord, controlRecord, ROLES } from '@mandate/schemas';
import { KEY } from './arbitrary-control-changes.ts';

export function folded(records: readonly ControlRecord[]) {
  const fold = foldControl();
  const became = records.map((record, at) => fold.apply(record, at + 1));
  return { fold, became };
}

/** Returns everything that a reader can find in the control state. */
export function found({ fold }: ReturnType<typeof folded>): unknown {
  const tenants = ['acme', 'other'].map((name) => structuredClone({ ...fold.tenant(name) }));
  return { tenants, opened: structuredClone(fold.opened), withTopics: fold.withTopics };
}

/** Returns functions that apply changes of one tenant, one after the other. */
export function writer() {
  const fold = foldControl();
  let revision = 0;
  const put = (fields: object) => {
    revision += 1;
    const made = { id: `chg-${revision}`, tenant: 'acme', by: 'ann', reason: '', at: KEY.createdAt };
    return fold.apply(controlRecord.parse({ ...fields, change: made }), revision);
  };
  const issue = (fields: object = {}) => {
    const key = { ...KEY, id: 'kkkkkkkkkkk1', agents: ['a'], scopes: ['publish'], ...fields };
    return put({ event: 'key.issued', agentId: 'a', key });
  };
  /** Issues a role key. By default the role is admin. */
  const grant = ({ role = 'admin', byKey, ...fields }: Record<string, unknown> = {}) => {
    const key = { ...KEY, id: 'kkkkkkkkkkk2', agents: ['*'], scopes: ROLES.admin, ...fields };
    return put({ event: 'role.granted', role, key, byKey });
  };
  put({ event: 'agent.put', agent: { id: 'a' } });
  return { fold, put, issue, grant };
}

export function unitsIn({ agents, policies, rules, manifests }: TenantControl): number {
  const versions = [...policies.values()].flatMap((history) => history.versions);
  const published = [...manifests.values()].flatMap((history) => history.versions);
  const kept = [...agents.values(), ...rules.values(), ...versions, ...published].map(
    ({ document }) => document,
  );
  const owned = [...manifests.values()].map(({ owns }) => owns);
  const nothing = JSON.stringify({ agents: [], policies: [], rules: [] }).length;
  return (
    [...kept, ...owned].reduce((sum, one: object) => sum + JSON.stringify(one).length, 0) -
    owned.length * nothing
  );
}
