/**
 * Restores the control state from the text of `writeControl`. The caller must then apply the records that follow the
 * log position of the text.
 */

import { type Sha256OfPieces, sha256OfPieces } from '@mandate/policy/parts';
import type { AgentDocument, RuleDocument } from '@mandate/schemas';
import { type ControlFold, type ControlState, foldControl, newControlState } from '../control-state.ts';
import { putAgent, putKey, putRule } from '../evolve.ts';
import { type Grant, hold } from '../grants.ts';
import type { Revisioned } from '../revisioned.ts';
import { newTenant, type Tenant } from '../tenant-control.ts';
import type {
  ControlHead,
  ControlLine,
  ControlPosition,
  DocumentsOf,
  StateLine,
  StoredGrant,
} from './control-line.ts';
import { kindOfSnapshot } from './kind-of-snapshot.ts';

export type ReadControl =
  | { ok: true; fold: ControlFold; position: ControlPosition }
  | { ok: false; why: string };

/**
 * Returns no state if the text has another version, was cut short or was changed. The caller then reads the log from
 * its start. Errors of `lines` are thrown on.
 */
export async function readControl(
  lines: Iterable<string> | AsyncIterable<string>,
  seal: Sha256OfPieces = sha256OfPieces(),
): Promise<ReadControl> {
  const state = newControlState();
  const take = taking(state);
  let head: ControlHead | null = null;
  let count = 0;
  for await (const text of lines) {
    const line = parsed(text);
    if (line?.line === 'end') {
      const isWhole = line.lines === count && line.sha256 === seal.digest('hex');
      return isWhole && head !== null ? { ok: true, fold: foldControl(state), position: head } : DAMAGED;
    }
    if (head !== null && !(line && isTaken(take, line))) return DAMAGED;
    head ??= readControlHead(text);
    if (head === null) return OF_ANOTHER;
    seal.update(`${text}\n`);
    count += 1;
  }
  return DAMAGED;
}

const DAMAGED = { ok: false, why: 'it is cut short, or was changed' } as const;
const OF_ANOTHER = { ok: false, why: 'it is of another version' } as const;

/** Returns the contents of a snapshot's first line. Null if the line is not a head, or has another version. */
export function readControlHead(text: string): ControlHead | null {
  const line = parsed(text);
  const { version, shape } = kindOfSnapshot();
  const isOfThis = line?.line === 'control' && line.version === version && line.shape === shape;
  return isOfThis ? line : null;
}

/** Parses a line without checking its schema, because the digest at the end proves that this code wrote the line. */
function parsed(text: string): ControlLine | null {
  try {
    return JSON.parse(text) as ControlLine;
  } catch {
    return null;
  }
}

function isTaken(take: (line: StateLine) => void, line: ControlLine): boolean {
  if (line.line === 'control' || line.line === 'end') return false;
  try {
    take(line);
    return true;
  } catch {
    return false;
  }
}

/** The functions that restore a document of each kind, together with the data that follows from the document. */
const PUT: Record<DocumentsOf, (control: Tenant, id: string, kept: never) => void> = {
  agents: (control, _, kept) => putAgent(control, kept),
  retired: (control, id, kept) => control.retired.set(id, kept),
  keys: putKey,
  roleKeys: (control, id, kept) => control.roleKeys.set(id, kept),
  endedKeys: (control, id, kept) => control.endedKeys.set(id, kept),
  rules: (control, _, kept) => putRule(control, kept),
};

const HOLD_KEYS: ReadonlySet<DocumentsOf> = new Set(['keys', 'roleKeys', 'endedKeys']);

/** Returns a function that applies one line. A line belongs to the last tenant that was named before it. */
function taking({ tenants, tenantOfKey }: ControlState): (line: StateLine) => void {
  let [name, control, results] = ['', newTenant(), new Map()];
  let elsewhere = new Set<string>();
  const pastAgents = new Map<string, Revisioned<AgentDocument>>();
  const pastRules = new Map<string, Revisioned<RuleDocument>>();

  return (line) => {
    switch (line.line) {
      case 'tenant':
        name = line.name;
        control = Object.assign(newTenant(), line.fields);
        control.issued.forgetAt = line.forgetAt;
        results = new Map();
        tenants.set(name, { control, results });
        elsewhere = new Set();
        pastAgents.clear();
        pastRules.clear();
        return;
      case 'elsewhere':
        elsewhere.add(line.key);
        return;
      case 'document':
        PUT[line.of](control, line.id, line.kept as never);
        if (HOLD_KEYS.has(line.of) && !elsewhere.has(line.id)) tenantOfKey.set(line.id, name);
        return;
      case 'departures':
        control.departures.set(line.id, new Map(line.left));
        return;
      case 'policy': {
        const versions: Tenant['versions'] extends Map<string, infer Versions> ? Versions : never = [];
        control.versions.set(line.id, versions);
        control.policies.set(line.id, { ...line.history, versions });
        return;
      }
      case 'version':
        found(control.versions.get(line.policy)).push(line.kept);
        return;
      case 'manifest':
        control.manifests.set(line.id, { ...line.history, versions: [] });
        return;
      case 'manifest version':
        found(control.manifests.get(line.manifest)).versions.push(line.kept);
        return;
      case 'past agent':
        pastAgents.set(nameOf(line.kept.document.id, line.kept.revision), line.kept);
        return;
      case 'past rule':
        pastRules.set(nameOf(line.kept.document.id, line.kept.revision), line.kept);
        return;
      case 'grant':
        hold(control.issued, restored(line.grant));
        return;
      case 'result':
        results.set(line.id, { digest: line.digest, changed: line.changed });
        return;
      default:
        throw new TypeError('a line of another kind');
    }
  };

  function restored({ agent, rules, ...grant }: StoredGrant): Grant {
    return {
      ...grant,
      agent: madeOf(control.agents, pastAgents, grant.document.agentId, agent),
      rules: rules.map(([id, revision, version]) => {
        return { rule: madeOf(control.rules, pastRules, id, revision), version };
      }),
    };
  }
}

/**
 * Returns the document from which a grant was made. The current document and all grants that were made from it share
 * one object.
 */
function madeOf<D>(
  standing: ReadonlyMap<string, Revisioned<D>>,
  past: ReadonlyMap<string, Revisioned<D>>,
  id: string,
  revision: number,
): Revisioned<D> {
  const stands = standing.get(id);
  return stands?.revision === revision ? stands : found(past.get(nameOf(id, revision)));
}

function nameOf(id: string, revision: number): string {
  return `${revision} ${id}`;
}

function found<T>(one: T | undefined): T {
  if (one === undefined) throw new TypeError('what a line names is not there');
  return one;
}
