/** The mandates of a process: reads them from objects and files, and finds the mandate of an agent. */
import {
  compileMandate,
  compose,
  composeWithAncestors,
  type Mandate,
  type MandateOfFile,
  type MandatesInForce,
  mandatesOfFile,
  type Policy,
} from '@mandate/policy';
import { describeFault, loadMandates } from '@mandate/policy/documents';
import { MandateError, readNamedFile } from '@mandate/runtime';
import { type Action, CAPS, mandateDocument, readShape } from '@mandate/schemas';
import { misused } from './errors.ts';
import { isPlainObject } from './plain-values.ts';
import type { MandateDocument } from './types.ts';

/** The maximum number of faults of one mandate that are reported. */
const MAX_FAULTS = 100;

/** The maximum number of different mandates that a process may state for one agent. */
const MOST_STATED = 32;

/**
 * Reads a mandate that is given as an object.
 *
 * @param agentId the agent that gets the mandate; null: every agent
 * @throws MandateError MANDATES_INVALID, with all faults
 */
export function readMandate(document: MandateDocument, agentId: string | null): MandateOfFile {
  if (!isPlainObject(document)) {
    throw invalid([{ path: [], message: 'must be an object with the fields of a mandate' }]);
  }
  const whole = { version: 1, id: agentId ?? 'mandate', agents: [agentId ?? '*'], ...document };
  const shape = readShape(mandateDocument, whole, MAX_FAULTS);
  if (!shape.ok) throw invalid(shape.faults);
  const compiled = compileMandate(shape.value);
  if (!compiled.ok) throw invalid(compiled.faults);
  if (agentId !== null && compiled.compiled.agents(agentId) === null) {
    throw invalid([{ path: ['agents'], message: `names other agents than "${agentId}", which it is for` }]);
  }
  return compiled.compiled;
}

/**
 * Reads a mandate file.
 *
 * @throws MandateError FILE_UNREADABLE; MANDATES_INVALID, with all faults
 */
export function readMandateFile(path: string): readonly MandateOfFile[] {
  const loaded = loadMandates(readNamedFile(path));
  if (loaded.ok) return loaded.mandates;
  throw mandatesInvalid(loaded.faults.map((fault) => describeFault(path, fault)));
}

function invalid(faults: readonly { path: readonly PropertyKey[]; message: string }[]): MandateError {
  return mandatesInvalid(
    faults.map(
      ({ path, message }) => `${path.length === 0 ? 'the mandate' : path.map(String).join('.')}: ${message}`,
    ),
  );
}

function mandatesInvalid(faults: readonly string[]): MandateError {
  return new MandateError('MANDATES_INVALID', `The mandate cannot be used:\n${faults.join('\n')}`, {
    remedy: 'Correct every line, then create the agent again. Without a valid mandate nothing runs.',
  });
}

/**
 * The mandates of all agents of a process. An agent is under the first mandate of the file that names the agent, and
 * under each mandate that the code states for the agent. An action needs the consent of all of them.
 */
export class MandatesOfAgents implements MandatesInForce {
  readonly revision = 0;
  readonly #file: MandatesInForce;
  readonly #stated = new Map<string, readonly MandateOfFile[]>();
  /** The composition of each agent with a stated mandate. */
  readonly #composed = new Map<string, Mandate>();
  readonly #parents = new Map<string, string>();
  /** The composition of each sub-agent, with the mandates that it was made of. */
  readonly #delegated = new Map<string, { parts: readonly (Mandate | null)[]; mandate: Mandate }>();

  constructor(file: readonly MandateOfFile[]) {
    this.#file = mandatesOfFile(file, 0);
  }

  /** Adds a mandate of an agent. A mandate with the same content as an earlier one changes nothing. */
  state(agentId: string, mandate: MandateOfFile): void {
    const stated = this.#stated.get(agentId) ?? [];
    if (stated.some(({ reference }) => reference.hash === mandate.reference.hash)) return;
    if (stated.length >= MOST_STATED) {
      throw misused(
        `${MOST_STATED} mandates are stated for "${agentId}".`,
        'State one mandate for each agent. All mandates of an agent apply together.',
      );
    }
    this.#stated.set(agentId, [...stated, mandate]);
    this.#composed.delete(agentId);
  }

  /**
   * Makes an agent a sub-agent. The parent of a sub-agent never changes.
   *
   * @throws MandateError SDK_MISUSED
   */
  delegate(parentId: string, agentId: string): void {
    const known = this.#parents.get(agentId);
    if (known === parentId) return;
    const ancestors = [parentId, ...this.ancestorsOf(parentId)];
    const fault =
      known !== undefined
        ? `is a sub-agent of "${known}" already`
        : ancestors.includes(agentId)
          ? 'is the same agent, or its ancestor'
          : ancestors.length > CAPS.parents
            ? `would have more than ${CAPS.parents} ancestors`
            : null;
    if (fault !== null) {
      throw misused(
        `"${agentId}" cannot be a sub-agent of "${parentId}": it ${fault}.`,
        'Give each sub-agent an id of its own.',
      );
    }
    this.#parents.set(agentId, parentId);
  }

  mandateFor(tenant: string, action: Action, atMs: number): ReturnType<MandatesInForce['mandateFor']> {
    const found = this.#ownMandate(tenant, action, atMs);
    const ancestors = this.ancestorsOf(action.agentId);
    if (ancestors.length === 0 || found.mandate === null) return found;
    const held = ancestors.map((ancestor) => ({
      ancestor,
      mandate: this.#ownMandate(tenant, { ...action, agentId: ancestor }, atMs).mandate,
    }));
    const parts = [found.mandate, ...held.map(({ mandate }) => mandate)];
    const known = this.#delegated.get(action.agentId);
    const isSame = known?.parts.every((part, at) => part === parts[at]) === true;
    const mandate = isSame && known !== undefined ? known.mandate : composeWithAncestors(found.mandate, held);
    if (!isSame) this.#delegated.set(action.agentId, { parts, mandate });
    return { ...found, mandate, ancestors };
  }

  /** Returns the ancestors of an agent, the nearest first. */
  ancestorsOf(agentId: string): string[] {
    const ancestors: string[] = [];
    let next = this.#parents.get(agentId);
    while (next !== undefined) {
      ancestors.push(next);
      next = this.#parents.get(next);
    }
    return ancestors;
  }

  /** Returns the sub-agents of an agent, with theirs. */
  descendantsOf(agentId: string): string[] {
    return [...this.#parents.keys()].filter((one) => this.ancestorsOf(one).includes(agentId));
  }

  #ownMandate(tenant: string, action: Action, atMs: number): ReturnType<MandatesInForce['mandateFor']> {
    const found = this.#file.mandateFor(tenant, action, atMs);
    const stated = this.#stated.get(action.agentId);
    if (stated === undefined) return found;
    let mandate = this.#composed.get(action.agentId) ?? null;
    if (mandate === null) {
      mandate = together(action.agentId, found.mandate === null ? stated : [found.mandate, ...stated]);
      this.#composed.set(action.agentId, mandate);
    }
    return { ...found, mandate };
  }
}

/** Composes mandates. On records, each gets a number in the order in which the mandates were stated. */
function together(agentId: string, mandates: readonly Mandate[]): Mandate {
  const [only, ...others] = mandates;
  if (only !== undefined && others.length === 0) return only;
  const named = mandates
    .flatMap(({ policies }) => policies)
    .map((policy: Policy, at) => ({ ...policy, name: `${policy.id}@${at + 1}` }));
  const composed = compose(agentId, named);
  if (composed === null) throw new TypeError('a composition of no mandates');
  return composed;
}
