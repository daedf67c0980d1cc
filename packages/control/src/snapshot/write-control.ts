/** Writes the control state as text, one line at a time, so that the whole text is never in memory. */
import { type Sha256OfPieces, sha256OfPieces } from '@mandate/policy/parts';
import type { ControlFold, ControlState, OfTenant } from '../control-state.ts';
import type { Grant } from '../grants.ts';
import type { Revisioned } from '../revisioned.ts';
import type { Tenant } from '../tenant-control.ts';
import type {
  ControlHead,
  ControlLine,
  ControlPosition,
  DocumentsOf,
  StateLine,
  StoredGrant,
  TenantFields,
} from './control-line.ts';
import { kindOfSnapshot } from './kind-of-snapshot.ts';

/**
 * Yields JSON texts without line ends. The state must not change until the last text was read.
 *
 * @param position the log position of the last record in the state
 */
export function* writeControl(
  { state }: ControlFold,
  position: ControlPosition,
  seal: Sha256OfPieces = sha256OfPieces(),
): Generator<string> {
  let lines = 0;
  const head: ControlHead = {
    line: 'control',
    ...kindOfSnapshot(),
    entries: entriesIn(state),
    ...position,
  };
  const sealed = function* (line: ControlLine) {
    const text = JSON.stringify(line);
    seal.update(`${text}\n`);
    lines += 1;
    yield text;
  };
  yield* sealed(head);
  for (const line of stateLines(state)) yield* sealed(line);
  const end: ControlLine = { line: 'end', lines, sha256: seal.digest('hex') };
  yield JSON.stringify(end);
}

/**
 * Returns the digest of the whole state. It is equal in every process that applied the same records, with or without
 * a snapshot.
 */
export function controlDigest({ state }: ControlFold, seal: Sha256OfPieces = sha256OfPieces()): string {
  for (const line of stateLines(state)) seal.update(`${JSON.stringify(line)}\n`);
  return seal.digest('hex');
}

function entriesIn({ tenants }: ControlState): number {
  let entries = 0;
  for (const { control, results } of tenants.values()) {
    entries += 1 + results.size + control.issued.byId.size + control.departures.size;
    for (const of of DOCUMENTS) entries += control[of].size;
    for (const versions of control.versions.values()) entries += versions.length;
    for (const { versions } of control.manifests.values()) entries += versions.length;
  }
  return entries;
}

const IS_WRITTEN: Record<DocumentsOf, true> = {
  agents: true,
  retired: true,
  keys: true,
  roleKeys: true,
  endedKeys: true,
  rules: true,
};
const DOCUMENTS = Object.keys(IS_WRITTEN) as DocumentsOf[];

function* stateLines({ tenants, tenantOfKey }: ControlState): Generator<StateLine> {
  for (const [name, { control, results }] of tenants) {
    yield { line: 'tenant', name, forgetAt: control.issued.forgetAt, fields: fieldsOf(control) };
    for (const key of [...control.keys.keys(), ...control.roleKeys.keys(), ...control.endedKeys.keys()])
      if (tenantOfKey.get(key) !== name) yield { line: 'elsewhere', key };
    for (const of of DOCUMENTS)
      for (const [id, kept] of control[of]) yield { line: 'document', of, id, kept };
    for (const [id, left] of control.departures) yield { line: 'departures', id, left: [...left] };
    yield* policyLines(control);
    yield* manifestLines(control);
    yield* grantLines(control);
    yield* resultLines(results);
  }
}

function fieldsOf(control: Tenant): TenantFields {
  const {
    agents,
    retired,
    childrenOf,
    departures,
    keys,
    keysOf,
    roleKeys,
    endedKeys,
    policies,
    versions,
    rules,
    rulesOf,
    manifests,
    issued,
    ...fields
  } = control;
  return fields;
}

function* policyLines({ policies }: Tenant): Generator<StateLine> {
  for (const [id, { versions, ...history }] of policies) {
    yield { line: 'policy', id, history };
    for (const kept of versions) yield { line: 'version', policy: id, kept };
  }
}

function* manifestLines({ manifests }: Tenant): Generator<StateLine> {
  for (const [id, { versions, ...history }] of manifests) {
    yield { line: 'manifest', id, history };
    for (const kept of versions) yield { line: 'manifest version', manifest: id, kept };
  }
}

function* grantLines({ agents, rules, issued }: Tenant): Generator<StateLine> {
  const written = new Set<Revisioned<object>>();
  const isNew = (kept: Revisioned<object>) => !written.has(kept) && written.add(kept);
  for (const { agent, rules: own } of issued.byId.values()) {
    if (agents.get(agent.document.id) !== agent && isNew(agent)) yield { line: 'past agent', kept: agent };
    for (const { rule } of own)
      if (rules.get(rule.document.id) !== rule && isNew(rule)) yield { line: 'past rule', kept: rule };
  }
  for (const one of issued.byId.values()) yield { line: 'grant', grant: stored(one) };
}

function stored({ agent, rules, ...grant }: Grant): StoredGrant {
  return {
    ...grant,
    agent: agent.revision,
    rules: rules.map(({ rule, version }) => [rule.document.id, rule.revision, version]),
  };
}

function* resultLines(results: OfTenant['results']): Generator<StateLine> {
  for (const [id, of] of results) yield { line: 'result', id, ...of };
}
