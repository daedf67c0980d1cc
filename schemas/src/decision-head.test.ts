import { readdirSync, readFileSync } from 'node:fs';
import { runs } from '@mandate/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { beforeDecision, type DecisionsHead, decisionsHeadOf, readDecisionsHead } from './decision-head.ts';
import { readDecisionsRecord } from './decisions-record.ts';

const folder = new URL('../examples/v1/', import.meta.url);
const decided = readdirSync(folder).filter((name) => name.startsWith('action.decided.'));
const allow = written(exampleOf('action.decided.allow.json'));

function exampleOf(name: string) {
  return JSON.parse(readFileSync(new URL(name, folder), 'utf8'));
}

/** Returns a record in the form that deciders write: without blanks. */
function written(json: unknown): string {
  return JSON.stringify(json);
}

function headOf(text: string): DecisionsHead {
  return readDecisionsHead(Buffer.from(text));
}

/** Returns the fields of the head, read from the whole record. */
function wholeOf(text: string) {
  const record = readDecisionsRecord(Buffer.from(text));
  if (record.event !== 'action.decided') return record;
  const { id, model, provider, observed, reason, remedy, ...decision } = record.decision;
  const { retryAfterMs, chargedMicros, cumulativeMicros, remainingMicros, remainingCalls, mandate, ...less } =
    decision;
  const { duplicateOf, requestedAt, controlRevision, shadow, checks, action, ...head } = less;
  const { idempotencyKey } = action;
  return {
    ...record,
    decision: { ...head, action: idempotencyKey === undefined ? {} : { idempotencyKey } },
  };
}

it.each(decided)('reads the same head of %s as from the whole record, with and without blanks', (name) => {
  const json = exampleOf(name);
  for (const text of [written(json), JSON.stringify(json, null, 2)])
    expect(headOf(text)).toEqual(wholeOf(text));
  expect(decisionsHeadOf(readDecisionsRecord(Buffer.from(written(json))))).toEqual(headOf(written(json)));
});

it('reads the whole record if the record is not a decision', () => {
  const text = written(exampleOf('action.settled.success.json'));
  expect(headOf(text)).toEqual(readDecisionsRecord(Buffer.from(text)));
});

/**
 * Texts that could mislead a search for the end of the head. They occur as values, as keys, in evidence and in the
 * arguments of an agent.
 */
const misleading = fc.dictionary(
  fc.constantFrom('checks', 'action', 'idempotencyKey', 'tail'),
  fc.oneof(
    fc.constantFrom(',"checks":[', '"idempotencyKey":"b"', '}}}', '\\'),
    fc.constantFrom<unknown>([], [{ checks: [] }], { idempotencyKey: 'c' }, { action: {} }),
  ),
);

it('reads the same head whatever the record contains', () => {
  fc.assert(
    fc.property(misleading, misleading, fc.option(fc.constant('key-1')), (evidence, args, idempotencyKey) => {
      const json = JSON.parse(allow);
      json.decision.reason = Object.values(evidence).join();
      json.decision.mandate = { ...json.decision.mandate, ...evidence };
      json.decision.reservation = { ...json.decision.reservation, ...args };
      json.decision.checks = [{ check: 'tool', result: 'pass', evidence }];
      json.decision.action = { ...json.decision.action, args, ...(idempotencyKey && { idempotencyKey }) };
      expect(headOf(written(json))).toEqual(wholeOf(written(json)));
    }),
    { numRuns: runs(200) },
  );
});

describe('refuses a decision with', () => {
  it.each([
    ['what is no JSON', allow.slice(1)],
    ['what is cut off', allow.slice(0, -1)],
    ['another event', allow.replace('action.decided', 'action.requested')],
    ['a code that it does not know', allow.replace('"ALLOWED"', '"MAYBE"')],
    ['a reservation that is no amount', allow.replace('"micros":100000', '"micros":0.1')],
    ['a sequence that is missing', allow.replace('"ledgerSequence":311,', '')],
  ])('%s', (_name, broken) => {
    expect(broken).not.toBe(allow);
    expect(() => headOf(broken)).toThrow();
  });

  it('bytes that are not UTF-8', () => {
    const broken = Buffer.concat([Buffer.from(allow.slice(0, -1)), Buffer.of(0xff, 0x7d)]);
    expect(() => readDecisionsHead(broken)).toThrow();
  });
});

it('writes other fields, then the decision exactly as on the log, with and without blanks', () => {
  const json = exampleOf('action.decided.allow.json');
  for (const text of [allow, JSON.stringify(json, null, 2)]) {
    expect(JSON.parse(beforeDecision({ actionId: 'a"1', withheld: false }, text))).toEqual({
      actionId: 'a"1',
      withheld: false,
      decision: json.decision,
    });
  }
  expect(() =>
    beforeDecision({ actionId: 'a' }, written(exampleOf('action.settled.success.json'))),
  ).toThrow();
});

it('reads the head of a decision with fields that a newer writer added at its end', () => {
  const more = written({ ...JSON.parse(allow), more: { checks: ['}}}'] } });
  expect(headOf(more)).toEqual(headOf(allow));
  const { decision } = JSON.parse(allow);
  expect(JSON.parse(beforeDecision({ actionId: 'a' }, more))).toMatchObject({ actionId: 'a', decision });
});
