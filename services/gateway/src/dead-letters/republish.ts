/**
 * Publishes a dead letter to its own topic again, unchanged or with a person's correction. An event on the log then
 * says who did this. After a crash between the record and the event, the event is missing. If the letter is then
 * published again, the plane sees a duplicate of the action. A duplicate is never charged.
 */
import type { Outgoing } from '@mandate/bus';
import type { Command } from '@mandate/ledger';
import { deadLetterId, decisionId, settlementId } from '@mandate/policy';
import { isMandateError } from '@mandate/runtime';
import {
  type ActionsRecord,
  agentKey,
  DECISION_KINDS,
  DEFAULTS,
  type DeadLetterRepublished,
  type Fault,
  type Json,
  type LogPosition,
  type Reporter,
  type Republication,
  readActionsRecord,
  recordHeaders,
  TOPICS,
  tenantOfTopic,
  traceparentOf,
  wireTime,
} from '@mandate/schemas';
import { HttpProblem } from '@mandate/server';
import { z } from 'zod';
import type { Gateway } from '../gateway.ts';
import { redactAction } from '../publish/redact-action.ts';
import { jsonIn, type Letter, type letterAt } from './read-letter.ts';
import { republicationsOf } from './republications.ts';

/** A header of the published record: the id of its dead letter. */
const HEADER = 'mandate-dead-letter';

/** `again` allows a letter that was published before. `reporter` is the person who corrects an outcome. */
export type Order = {
  command: Command;
  corrected: { value: Json } | null;
  again: boolean;
  reporter: Reporter;
};

/**
 * Republishes a letter, only once for each command id. Throws a problem if the letter cannot be published, if it was
 * published before, or if the correction is still not readable.
 */
export async function republish(
  gateway: Gateway,
  found: Awaited<ReturnType<typeof letterAt>>,
  { command, corrected, again, reporter }: Order,
): Promise<Republication> {
  const { letter, record } = found;
  const { topic } = letter.source;
  if (topic !== TOPICS.actions && tenantOfTopic(topic) === null) {
    throw new HttpProblem(409, 'NOT_REPUBLISHABLE', `it came from ${topic}, which takes no actions`, {
      remedy: 'Publish it there yourself.',
    });
  }
  const before = await republicationsOf(gateway, found);
  const same = before.find(({ id }) => id === command.id);
  if (same !== undefined) return same;
  const last = before.at(-1);
  if (last !== undefined && !again) throw alreadyRepublished(last);

  const traceparent = traceparentOf(record.headers);
  await gateway.untilSealable();
  const content =
    corrected === null
      ? { ...originalOf(letter), headers: traceparent === null ? {} : { traceparent } }
      : correctedRecord(gateway, letter, corrected.value, { id: command.id, traceparent, reporter });
  const [acknowledged] = await gateway.bus.append(topic, [
    { ...content, headers: { ...content.headers, [HEADER]: letter.id } },
  ]);
  if (acknowledged === undefined) throw new Error('the log acknowledged nothing');

  const { position: source } = acknowledged;
  const republication = {
    ...command,
    at: wireTime(gateway.clock()),
    letterId: letter.id,
    corrected: corrected !== null,
    source,
    appendedAt: wireTime(acknowledged.appendedAtMs),
    tenant: tenantIn(topic, content.value),
    answerIds: answerIds(source, acknowledged.appendedAtMs),
  };
  await note(gateway, record.position.partition, { event: 'deadletter.republished', republication });
  return republication;
}

function alreadyRepublished({ by, at, source }: Republication): HttpProblem {
  const where = `${source.topic}/${source.partition}/${source.offset}`;
  return new HttpProblem(409, 'ALREADY_REPUBLISHED', `${by} published it again at ${at}, as ${where}`, {
    remedy:
      'Nothing was published. GET /v1/audit/dead-letters/{id} shows what became of that record. To publish the dead letter once more, send {"again": true}.',
  });
}

/**
 * Returns the possible ids of the answer to the record, which depend on the kind of the answer. All deciders give the
 * same ids.
 */
function answerIds(source: LogPosition, appendedAtMs: number): string[] {
  return [
    ...DECISION_KINDS.map((kind) => decisionId(source, appendedAtMs, kind)),
    settlementId(source, appendedAtMs),
    deadLetterId(source, appendedAtMs),
  ];
}

async function note({ bus }: Gateway, partition: number, event: DeadLetterRepublished): Promise<void> {
  const { id, source } = event.republication;
  const headers = recordHeaders({ id, event: event.event }, { source: 'gateway', traceparent: null });
  try {
    await bus.append(TOPICS.deadLetters, [{ key: null, partition, value: JSON.stringify(event), headers }]);
  } catch (error) {
    if (!isMandateError(error)) throw error;
    throw new HttpProblem(
      503,
      'REPUBLISHED_NOT_NOTED',
      'it is published, but its history does not show that',
      {
        remedy:
          'Check whether it was decided before you send it again. No record says that it was published.',
        extension: { source },
        cause: error,
      },
    );
  }
}

function originalOf({ lastOffset, truncated, key, valueBase64 }: Letter): Pick<Outgoing, 'key' | 'value'> {
  if (lastOffset !== undefined) {
    throw new HttpProblem(409, 'NOT_REPUBLISHABLE', 'it is a batch of records that cannot be separated', {
      remedy: 'Ask its producer to send them again, or send one of them as the correction: {"value": {…}}.',
    });
  }
  if (!truncated) return { key, value: Buffer.from(valueBase64, 'base64') };
  throw new HttpProblem(409, 'DEAD_LETTER_TRUNCATED', 'the record was too large to be kept whole', {
    remedy: 'Send the corrected record: {"value": {…}}.',
  });
}

function correctedRecord(
  gateway: Gateway,
  letter: Letter,
  value: Json,
  { id, traceparent, reporter }: { id: string; traceparent: string | null; reporter: Reporter },
): Outgoing {
  const { topic } = letter.source;
  const read = readActionsRecord(Buffer.from(JSON.stringify(value)));
  if (!read.ok) throw unreadable(read.fault);
  const record = read.value;
  const { tenant, agentId } = subjectOf(record);
  const owner = tenantOfTopic(topic);
  if (owner !== null && tenant !== undefined && tenant !== owner) {
    const pointer = record.event === 'action.requested' ? '/action/tenant' : '/outcome/tenant';
    throw unreadable({
      reason: `it names the tenant "${tenant}", but ${topic} belongs to "${owner}"`,
      remedy: 'leave the tenant out: the topic fixes it',
      pointer,
    });
  }
  const whose = owner ?? tenant ?? DEFAULTS.tenant;
  const key = agentKey(whose, agentId);
  mustBeOfSameAgent(letter, record);
  const beside = { source: 'gateway', traceparent };
  if (record.event !== 'action.requested') {
    // The reporter that the correction names is ignored. The reporter is the key of this request. On a tenant's own
    // topic, no reporter is written.
    const { reportedBy: _, ...said } = record.outcome;
    const outcome = owner === null ? { ...said, reportedBy: reporter } : said;
    return {
      key,
      value: JSON.stringify({ ...record, outcome }),
      headers: recordHeaders({ id, event: record.event }, beside),
    };
  }
  const { action, fingerprint } = redactAction(gateway, record.action, whose);
  return {
    key,
    value: JSON.stringify({ ...record, action }),
    headers: recordHeaders({ id, event: record.event }, { ...beside, fingerprint }),
  };
}

const saidSubject = z
  .object({ tenant: z.string().optional(), agentId: z.string().optional() })
  .catch(() => ({}));
const saidRecord = z.object({ action: saidSubject.optional(), outcome: saidSubject.optional() });

/**
 * Throws if the correction changes the tenant or the agent of the letter. Otherwise it could make a record of one
 * agent a record of another agent.
 */
function mustBeOfSameAgent({ valueBase64 }: Letter, record: ActionsRecord): void {
  const said = saidRecord.safeParse(jsonIn(Buffer.from(valueBase64, 'base64'))).data;
  const before = said?.action ?? said?.outcome ?? {};
  const after = subjectOf(record);
  for (const field of ['tenant', 'agentId'] as const) {
    if (before[field] === undefined || before[field] === after[field]) continue;
    throw unreadable({
      reason: `its ${field} is "${after[field] ?? ''}", and that of the letter "${before[field]}"`,
      remedy: 'leave tenant and agent as they are, or have the producer send another record',
      pointer: `/${record.event === 'action.requested' ? 'action' : 'outcome'}/${field}`,
    });
  }
}

/** Returns the refusal of a correction that a decider could not read either. */
function unreadable({ reason, remedy, pointer }: Pick<Fault, 'reason' | 'remedy' | 'pointer'>): HttpProblem {
  return new HttpProblem(400, 'INVALID_ACTION', `the correction cannot be read either: ${reason}`, {
    remedy: `Nothing was published: ${remedy}.`,
    extension: { errors: [{ pointer: `/value${pointer}`, detail: reason, remedy }] },
  });
}

/**
 * Returns the tenant of the record. The tenant of the topic counts first, then the tenant in the record, as in the
 * decider.
 */
function tenantIn(topic: string, value: Outgoing['value']): string | null {
  const read = readActionsRecord(Buffer.from(value));
  return read.ok ? (tenantOfTopic(topic) ?? subjectOf(read.value).tenant ?? DEFAULTS.tenant) : null;
}

function subjectOf(record: ActionsRecord) {
  return record.event === 'action.requested' ? record.action : record.outcome;
}
