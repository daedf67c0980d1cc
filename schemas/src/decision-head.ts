/**
 * The part of a decision that a ledger is folded from, without words, checks and action, for readers of the whole log.
 * Checks and action are two thirds of the bytes and come last: a text as deciders write it is cut before them, and only
 * its beginning is parsed. For decisions of 3 KB, reading a head took 11 µs of CPU, a whole decision 21, and `JSON.parse`
 * alone 10.
 *
 * What is read is checked as strictly as by `readDecisionsRecord`; the rest is not looked at. A text in any other form is
 * parsed whole.
 */
import { z } from 'zod';
import { type ActionDecided, decision } from './decision.ts';
import { type DecisionsRecord, decisionsRecord } from './decisions-record.ts';
import { id, type Json } from './scalars.ts';

/** What a ledger is folded from. The only field of the action is its idempotency key. */
const HEAD = {
  kind: true,
  actionId: true,
  attempt: true,
  tenant: true,
  agentId: true,
  verdict: true,
  code: true,
  final: true,
  leaseExpiresAt: true,
  appendedAt: true,
  decidedAt: true,
  source: true,
  ledgerEpoch: true,
  ledgerSequence: true,
  digest: true,
  reservation: true,
  deferral: true,
  grantConsumed: true,
} as const;
const HEAD_FIELDS = Object.keys(HEAD) as (keyof typeof HEAD)[];

const actionDecidedHead = z.object({
  event: z.literal('action.decided'),
  decision: z.object({
    ...decision.pick(HEAD).shape,
    action: z.object({ idempotencyKey: id.optional() }),
  }),
});
type ActionDecidedHead = z.infer<typeof actionDecidedHead>;
export type DecisionHead = ActionDecidedHead['decision'];

/** Any record of the decisions topic; of a decision at least its head. */
export type DecisionsHead = ActionDecidedHead | Exclude<DecisionsRecord, ActionDecided>;

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Throws, as `readDecisionsRecord` does, on what cannot be read. */
export function readDecisionsHead(value: Uint8Array): DecisionsHead {
  const text = utf8.decode(value);
  const json = headIn(text) ?? JSON.parse(text);
  return json?.event === 'action.decided' ? actionDecidedHead.parse(json) : decisionsRecord.parse(json);
}

/** The head of a record that was read already. The head of a decision is a copy, so it keeps nothing else of the decision in memory. */
export function decisionsHeadOf(record: DecisionsRecord): DecisionsHead {
  if (record.event !== 'action.decided') return record;
  const { event, decision } = record;
  const { idempotencyKey } = decision.action;
  const head = Object.fromEntries(HEAD_FIELDS.map((name) => [name, decision[name]]));
  return { event, decision: { ...head, action: { idempotencyKey } } as DecisionHead };
}

/** An object of JSON, as text, in which the decision of that record stands behind `fields`, just as it stands on the log. */
export function beforeDecision(fields: { [key: string]: Json }, text: string): string {
  const written = text.startsWith(BEGINS) ? text : JSON.stringify(JSON.parse(text));
  if (!written.startsWith(BEGINS)) throw new TypeError('a decision was expected');
  return `${JSON.stringify(fields).slice(0, -1)},${written.slice(EVENT.length)}`;
}

const EVENT = '{"event":"action.decided",';
const BEGINS = `${EVENT}"decision":{`;
const CHECKS = ',"checks":[';

/**
 * null where the text has another form. That the cut is at the right depth shows in that what is left parses once it is
 * closed; and within a string the quotes of `CHECKS` cannot stand.
 */
function headIn(text: string): { [key: string]: Json } | null {
  if (!text.startsWith(BEGINS) || !text.endsWith('}}}')) return null;
  const end = text.indexOf(CHECKS);
  if (end === -1 || text.includes('"idempotencyKey"', end)) return null;
  try {
    return JSON.parse(`${text.slice(0, end)},"action":{}}}`);
  } catch {
    return null;
  }
}
