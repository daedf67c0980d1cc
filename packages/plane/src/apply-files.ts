/**
 * Applies agents, policies and rules from files at the start of a plane. It makes the same plan as `mandate apply`,
 * and appends a record for each difference. Documents that no file names stay.
 */
import { randomBytes } from 'node:crypto';
import type { ControlDocuments, TenantControl } from '@mandate/control';
import type { Change } from '@mandate/control/plan';
import {
  type CurrentDocument,
  currentDocumentsIn,
  LISTS,
  missingParents,
  missingPolicies,
  planChanges,
  recordOf,
} from '@mandate/control/plan';
import type { FollowedControl } from '@mandate/control-log';
import { type Clock, type Logger, MandateError } from '@mandate/runtime';
import { controlRecordFault, DEFAULTS, sortableId, wireTime } from '@mandate/schemas';

type Parts = {
  followed: Pick<FollowedControl, 'tenant' | 'change'>;
  clock: Clock;
  log: Logger;
};

/**
 * The maximum number of times that the files are compared with the log. Planes that start at the same time change the
 * same documents, but each round leaves fewer differences.
 */
const MOST_ROUNDS = 10;

const { tenant } = DEFAULTS;

/**
 * @param before documents that are removed if `wanted` does not contain them
 * @throws MandateError DOCUMENTS_REFUSED, which names the document that the plane refuses, or CONTROL_BUSY
 */
export async function applyFiles(
  wanted: ControlDocuments,
  { followed, clock, log }: Parts,
  before: ControlDocuments | null = null,
): Promise<void> {
  const made: Change[] = [];
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const current = currentDocumentsIn(followed.tenant(tenant));
    const changes = [
      ...planChanges(wanted, current, { prune: false, atMs: clock() }),
      ...(before === null ? [] : removals(wanted, before, current, clock())),
    ];
    let isOvertaken = false;
    for (const change of changes) {
      const atMs = clock();
      const id = sortableId('chg', atMs, randomBytes(10).toString('hex'));
      const why = { by: 'mandate up', reason: 'as its files say', at: wireTime(atMs) };
      const record = recordOf(change, { id, tenant, ...why });
      const fault = controlRecordFault(record);
      if (fault !== null) throw refused(change, `it ${fault}`);
      const changed = await followed.change(record);
      if (changed.ok) made.push(change);
      else if (changed.refusal === 'REVISION_CONFLICT') isOvertaken = true;
      else throw refused(change, changed.refusal);
    }
    if (!isOvertaken) {
      tellMade(made, log);
      if (before === null) tellOthers(wanted, followed.tenant(tenant), log);
      return;
    }
  }
  throw new MandateError(
    'CONTROL_BUSY',
    'other processes change agents, policies and rules again and again',
    {
      remedy: 'Start again.',
      retryable: true,
    },
  );
}

/** Returns the changes that remove the documents of `before` that `wanted` does not contain. */
function removals(
  wanted: ControlDocuments,
  before: ControlDocuments,
  current: readonly CurrentDocument[],
  atMs: number,
): Change[] {
  const known = current.filter(({ kind, id }) => before[LISTS[kind]].has(id));
  return planChanges(wanted, known, { prune: true, atMs }).filter(({ does }) => does === 'remove');
}

function refused({ kind, id }: Change, why: string): MandateError {
  return new MandateError('DOCUMENTS_REFUSED', `the ${kind} "${id}" of the files is refused: ${why}`, {
    remedy: 'docs/errors.md says more.',
  });
}

function tellMade(made: readonly Change[], log: Logger): void {
  if (made.length === 0) return;
  log.warn(
    { changes: made.length, made: made.slice(0, TOLD).map(inShort) },
    'agents, policies and rules are now equal to the files',
  );
}

/**
 * Logs what a person should check. Agents that no file names are normal, so only policies and rules that no file names
 * are logged.
 */
function tellOthers(wanted: ControlDocuments, control: TenantControl, log: Logger): void {
  const current = currentDocumentsIn(control);
  for (const line of missingParents(wanted.agents, current)) log.warn(`${line}: what it does is blocked`);
  for (const line of missingPolicies(wanted.rules, current).values())
    log.warn(`${line}: the rule blocks every agent that it matches`);
  const policies = [...control.policies].filter(
    ([id, { isArchived }]) => !isArchived && !wanted.policies.has(id),
  );
  const rules = [...control.rules.keys()].filter((id) => !wanted.rules.has(id));
  if (policies.length === 0 && rules.length === 0) return;
  log.warn(
    { policies: policies.map(([id]) => id), rules },
    'policies and rules that no file names stay: `mandate apply --prune` removes them',
  );
}

/** The most changes that one log line names. */
const TOLD = 20;

function inShort({ does, kind, id, widens }: Change): { change: string; widens?: readonly string[] } {
  return { change: `${does} ${kind} ${id}`, ...(widens.length > 0 && { widens }) };
}
