/** A dead letter goes back to the topic it came from: as it was, or as somebody corrected it. */
import type { Acknowledged, Bus, Outgoing } from '@mandate/bus';
import { HttpProblem } from '@mandate/runtime';
import {
  type Action,
  agentKey,
  DEFAULTS,
  type DeadLetter,
  deadLetter,
  type Json,
  readActionsRecord,
  TOPICS,
  tenantOfTopic,
} from '@mandate/schemas';

/** Names the dead letter on the record that was published from it. */
const HEADER = 'mandate-dead-letter';

export type Corrected = { value: Json } | null;

export function readDeadLetter(value: Uint8Array): DeadLetter {
  return deadLetter.parse(
    JSON.parse(Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString()),
  );
}

/** Throws a problem when the letter cannot go back, or when the correction is still not readable. */
export async function republish(
  bus: Bus,
  letter: DeadLetter['deadLetter'],
  corrected: Corrected,
  redact: (action: Action) => Action,
): Promise<Acknowledged> {
  const { topic } = letter.source;
  if (topic !== TOPICS.actions && tenantOfTopic(topic) === null) {
    throw new HttpProblem(409, 'NOT_REPUBLISHABLE', `it came from ${topic}, which takes no actions`, {
      remedy: 'Publish it there yourself.',
    });
  }
  const content = corrected === null ? originalOf(letter) : correctedRecord(topic, corrected.value, redact);
  const [acknowledged] = await bus.append(topic, [{ ...content, headers: { [HEADER]: letter.id } }]);
  if (acknowledged === undefined) throw new Error('the log acknowledged nothing');
  return acknowledged;
}

function originalOf({ lastOffset, truncated, key, valueBase64 }: DeadLetter['deadLetter']): Outgoing {
  if (lastOffset !== undefined) {
    throw new HttpProblem(409, 'NOT_REPUBLISHABLE', 'it is a batch of records that cannot be told apart', {
      remedy: 'Have its producer send them again, or send one of them with it: {"value": {…}}.',
    });
  }
  if (!truncated) return { key, value: Buffer.from(valueBase64, 'base64') };
  throw new HttpProblem(409, 'DEAD_LETTER_TRUNCATED', 'the record was too large to be kept whole', {
    remedy: 'Send the corrected record with it: {"value": {…}}.',
  });
}

function correctedRecord(topic: string, value: Json, redact: (action: Action) => Action): Outgoing {
  const read = readActionsRecord(Buffer.from(JSON.stringify(value)));
  if (!read.ok) {
    const { reason, remedy, pointer } = read.fault;
    throw new HttpProblem(400, 'INVALID_ACTION', `the correction cannot be read either: ${reason}`, {
      remedy: `Nothing was published: ${remedy}.`,
      extension: { errors: [{ pointer: `/value${pointer}`, detail: reason, remedy }] },
    });
  }
  const record = read.value;
  const { tenant, agentId } = record.event === 'action.requested' ? record.action : record.outcome;
  const key = agentKey(tenantOfTopic(topic) ?? tenant ?? DEFAULTS.tenant, agentId);
  const redacted =
    record.event === 'action.requested' ? { ...record, action: redact(record.action) } : record;
  return { key, value: JSON.stringify(redacted) };
}
