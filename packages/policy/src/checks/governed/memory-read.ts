import type { Duties, Json, MemoryRead, Note } from '@mandate/schemas';
import { listed } from '@mandate/schemas/core';
import { lowerLimit } from '../../lower-limit.ts';
import { type Calls, type JointCheck, type Passed, passed } from '../check.ts';
import { governedOf } from './governed.ts';
import { filterOf, type ReadableStore, readingOf, storesOf } from './readable-stores.ts';

const CHECK = 'stores-allowed';

/**
 * Says which stores a read may use. In a turn, the stores follow from the intent of the turn, which only the ledger
 * knows. So the plan contains the answer for each intent, and the limit `turn` refuses the others.
 */
export const storesAllowed: JointCheck = (calls) => {
  if (calls[0]?.type !== 'memory_read') return null;
  const reading = readingOf(calls);
  return {
    check: CHECK,
    run({ action }) {
      const read = action as MemoryRead;
      if (read.turnId !== undefined) return { ...inTurn(calls, read), result: 'oblige' };
      const answer = readOf(calls, read, read.intent ?? null);
      if (answer.ok) return { result: 'oblige', check: passedWith(answer.duties), duties: answer.duties };
      const policy = reading[0]?.policy;
      return {
        result: 'block',
        check: { check: CHECK, result: 'block', evidence: answer.evidence },
        violation: { code: 'STORE_NOT_ALLOWED', ...answer.words },
        ...(policy !== undefined && { of: policy }),
      };
    },
  };
};

/** Returns the intents that allow the read in their turns. */
export function intentsThatRead(calls: readonly Calls[], read: MemoryRead): readonly string[] {
  return readsOf(calls, read).intents;
}

/** What a read gives in a turn of each intent. Intents that do not allow the read are missing. */
type ReadsByIntent = { intents: readonly string[]; dutiesOfIntent: Readonly<Record<string, Duties>> };

/** The reads that name neither stores nor limits, which most reads do. They depend on the policies alone. */
const plainReads = new WeakMap<readonly Calls[], ReadsByIntent>();

function readsOf(calls: readonly Calls[], read: MemoryRead): ReadsByIntent {
  if (read.stores !== undefined || read.limits !== undefined) return readsByIntent(calls, read);
  const known = plainReads.get(calls) ?? readsByIntent(calls, read);
  plainReads.set(calls, known);
  return known;
}

function readsByIntent(calls: readonly Calls[], read: MemoryRead): ReadsByIntent {
  const dutiesOfIntent: Record<string, Duties> = {};
  for (const intent of intentsOf(calls)) {
    const answer = readOf(calls, read, intent);
    if (answer.ok) dutiesOfIntent[intent] = answer.duties;
  }
  return { intents: Object.keys(dutiesOfIntent), dutiesOfIntent };
}

function inTurn(calls: readonly Calls[], read: MemoryRead) {
  const { dutiesOfIntent } = readsOf(calls, read);
  return { check: passed(CHECK, { turnId: read.turnId ?? null }), duties: NO_DUTIES, dutiesOfIntent };
}

const NO_DUTIES: Duties = { obligations: {} };

function intentsOf(calls: readonly Calls[]): readonly string[] {
  return (
    governedOf(calls).find(({ governance }) => governance.intents !== null)?.governance.intents?.ids ?? []
  );
}

type ReadAnswer =
  | { ok: true; duties: Duties }
  | { ok: false; evidence: Json; words: { reason: string; remedy: string } };

/** Answers a read in a turn of `intent`. */
function readOf(
  calls: readonly Calls[],
  { stores, limits = {} }: MemoryRead,
  intent: string | null,
): ReadAnswer {
  const reading = readingOf(calls);
  const readable = storesOf(reading, intent).filter(({ store }) => specialistReads(calls, store));
  const mayRead = new Set(readable.map(({ store }) => store));
  const refused = stores?.find((store) => !mayRead.has(store));
  const asked = stores === undefined ? readable : readable.filter(({ store }) => stores.includes(store));
  if (refused !== undefined || asked.length === 0)
    return {
      ok: false,
      evidence: { intent, stores: [...mayRead] },
      words: wordsOf(refused, intent, mayRead),
    };
  const notes: Note[] = [];
  const limited = asked.map((one) => limitedTo(one, limits, notes));
  const obligations = { stores: limited as unknown as Json, ...filterOf(reading) };
  return { ok: true, duties: notes.length === 0 ? { obligations } : { obligations, notes } };
}

function specialistReads(calls: readonly Calls[], store: string): boolean {
  return governedOf(calls).every(({ governance: { specialist } }) => specialist?.read.has(store) ?? true);
}

function limitedTo(
  { store, maxResults }: ReadableStore,
  limits: NonNullable<MemoryRead['limits']>,
  notes: Note[],
): ReadableStore {
  const asked = Object.hasOwn(limits, store) ? (limits[store] ?? null) : null;
  const given = lowerLimit(maxResults, asked);
  if (asked !== null && given !== null && given < asked)
    notes.push({ code: 'RESULTS_CLAMPED', store, asked, given });
  return { store, maxResults: given };
}

function passedWith({ obligations }: Duties): Passed {
  const stores = obligations.stores as unknown as ReadableStore[];
  return passed(CHECK, { stores: stores.map(({ store }) => store) });
}

function wordsOf(refused: string | undefined, intent: string | null, mayRead: Iterable<string>) {
  const ofIntent = intent === null ? 'Without an intent' : `For the intent "${intent}"`;
  const what = refused === undefined ? 'No store may be read.' : `The store "${refused}" may not be read.`;
  return {
    reason: `${what} ${ofIntent}, these stores may be read: ${listed(mayRead)}.`,
    remedy:
      refused === undefined
        ? 'Go on without memory.'
        : 'Leave "stores" out: then every store that may be read is read. Or go on without memory.',
  };
}
