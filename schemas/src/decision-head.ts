/**
 * Of a decision what a ledger is folded from, without its words, its checks and its action, for whoever reads the whole
 * log. Checks and action are two thirds of the bytes and stand at the end: a text as deciders write it is cut in front of
 * them, and only its beginning is parsed. Of decisions of 3 KB a head took 11 µs of CPU to read, a whole one 21, and
 * `JSON.parse` alone 10.
 *
 * What is read is checked as strictly as by `readDecisionsRecord`; the rest is not looked at. A text in any other form is
 * parsed whole.
 */
import { z } from 'zod';
import { type ActionDecided, decision } from './decision.ts';
import { type DecisionsRecord, decisionsRecord } from './decisions-record.ts';
import { id, type Json } from './scalars.ts';

const actionDecidedHead = z.object({
  event: z.literal('action.decided'),
  decision: z.object({
    ...decision.pick({
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
    }).shape,
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

/** The head of a record that needs no reading. The head of a decision is a copy: it keeps nothing else of the decision in memory. */
export function decisionsHeadOf(record: DecisionsRecord): DecisionsHead {
  if (record.event !== 'action.decided') return record;
  const { kind, actionId, attempt, tenant, agentId, verdict, code, final, leaseExpiresAt, appendedAt } =
    record.decision;
  const { decidedAt, source, ledgerEpoch, ledgerSequence, digest, reservation, deferral, grantConsumed } =
    record.decision;
  const { idempotencyKey } = record.decision.action;
  return {
    event: record.event,
    decision: {
      ...{ kind, actionId, attempt, tenant, agentId, verdict, code, final, leaseExpiresAt, appendedAt },
      ...{ decidedAt, source, ledgerEpoch, ledgerSequence, digest, reservation, deferral, grantConsumed },
      action: { idempotencyKey },
    },
  };
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
