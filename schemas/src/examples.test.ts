/** Tests that the production code still reads every example record, and loses no field. */
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readAlertsRecord } from './alert.ts';
import { readAccessRecord } from './audit-read.ts';
import { readContextRecord } from './context-built.ts';
import { RECORDS } from './contracts.ts';
import { readControlRecord } from './control-record.ts';
import { readDeadLettersRecord } from './dead-letter.ts';
import { type DecisionsRecord, readDecisionsRecord } from './decisions-record.ts';
import { readPersonsRecord } from './person-erased.ts';
import { readActionsRecord } from './read-record.ts';
import { readRunEvent } from './run-event.ts';
import { readSdkRecord } from './sdk-record.ts';
import { TOPICS } from './topics.ts';

const folder = new URL('../examples/v1/', import.meta.url);
const names = readdirSync(folder);
const kinds = Object.entries(RECORDS).flatMap(([topic, records]) =>
  Object.keys(records).map((event): [string, string] => [event, topic]),
);

function bytesOf(name: string): Uint8Array {
  return readFileSync(new URL(name, folder));
}

function read(topic: string, bytes: Uint8Array): unknown {
  switch (topic) {
    case TOPICS.actions: {
      const record = readActionsRecord(bytes);
      if (!record.ok) throw new Error(record.fault.reason);
      return record.value;
    }
    case TOPICS.decisions:
      return readDecisionsRecord(bytes);
    case TOPICS.alerts:
      return readAlertsRecord(bytes);
    case TOPICS.access:
      return readAccessRecord(bytes);
    case TOPICS.sdkRecords:
      return readSdkRecord(bytes);
    case TOPICS.runs:
      return readRunEvent(bytes);
    case TOPICS.context:
      return readContextRecord(bytes);
    case TOPICS.persons:
      return readPersonsRecord(bytes);
    case TOPICS.control:
      return readControlRecord(bytes);
    default:
      return readDeadLettersRecord(bytes);
  }
}

describe.each(kinds)('%s', (event, topic) => {
  const examples = names.filter((name) => name.startsWith(`${event}.`));

  it('has an example', () => {
    expect(examples).not.toEqual([]);
  });
  it.each(examples)('%s', (name) => {
    const bytes = bytesOf(name);
    const json = JSON.parse(Buffer.from(bytes).toString());
    expect(json.event).toBe(event);
    expect(read(topic, bytes)).toEqual(json);
  });
});

it('every file is an example of a known record', () => {
  const known = (name: string) =>
    kinds.some(([event]) => name.startsWith(`${event}.`) && name.endsWith('.json'));
  expect(names.filter((name) => !known(name))).toEqual([]);
});

describe('a reader that is older than the writer of a decision', () => {
  const text = Buffer.from(bytesOf('action.decided.allow.json')).toString();

  it('leaves out fields that a newer writer adds, at any depth', () => {
    const record: DecisionsRecord = JSON.parse(text, (_key, value) =>
      value !== null && typeof value === 'object' && !Array.isArray(value) ? { ...value, added: 1 } : value,
    );
    const expected = JSON.parse(text);
    const read = readDecisionsRecord(Buffer.from(JSON.stringify(record)));
    if (read.event !== 'action.decided') throw new Error(`read as ${read.event}`);
    // Arguments and evidence have no fixed shape, so every field in them is kept.
    const { args, context } = JSON.parse(JSON.stringify(record)).decision.action;
    const checks = JSON.parse(JSON.stringify(record)).decision.checks.map(
      ({ added, ...check }: { added: number }) => check,
    );
    Object.assign(expected.decision, { checks, action: { ...expected.decision.action, args, context } });
    expect(read).toEqual(expected);
  });

  it.each([
    ['what is no JSON', text.slice(1)],
    ['another event', text.replace('action.decided', 'action.requested')],
    ['a code that it does not know', text.replace('"ALLOWED"', '"MAYBE"')],
    ['a charge that is no amount', text.replace('"chargedMicros": 100000', '"chargedMicros": 0.1')],
  ])('refuses %s', (_name, broken) => {
    expect(broken).not.toBe(text);
    expect(() => readDecisionsRecord(Buffer.from(broken))).toThrow();
  });

  it('refuses bytes that are not UTF-8', () => {
    expect(() => readDecisionsRecord(Buffer.concat([Buffer.from(text), Buffer.of(0xff)]))).toThrow();
  });
});
