import { expect, test } from 'vitest';
import { lengthConditionHolds, readLengthCondition } from './length-condition.ts';

function holds(text: string, message_length: number, response_length: number): boolean {
  const read = readLengthCondition(text);
  if (!read.ok) throw new Error(read.message);
  return lengthConditionHolds(read.condition, { message_length, response_length });
}

test.each<[string, number, number, boolean]>([
  ['message_length > 50', 50, 0, false],
  ['message_length > 50', 51, 0, true],
  ['message_length>=50', 50, 0, true],
  ['message_length < 50', 50, 0, false],
  ['message_length <= 50', 50, 0, true],
  ['response_length == 3', 0, 3, true],
  ['response_length != 3', 0, 3, false],
  ['message_length > 1 and response_length > 1', 2, 1, false],
  ['message_length > 1 or response_length > 1', 2, 1, true],
  ['message_length > 1 and message_length < 9 and response_length == 0', 5, 0, true],
])('%s holds for %i and %i: %s', (text, message, response, expected) => {
  expect(holds(text, message, response)).toBe(expected);
});

test.each<[unknown, string]>([
  ['', 'but it ends there'],
  ['len > 5', '"len"'],
  ['message_length', 'but it ends there'],
  ['message_length => 5', '"=>"'],
  ['message_length constructor 5', '"constructor"'],
  ['message_length > 5.5', '"5.5"'],
  ['message_length > -1', '"-1"'],
  ['message_length > 5 xor message_length < 9', '"xor"'],
  ['message_length > 5 and', 'but it ends there'],
  ['message_length > 1 and message_length < 9 or response_length > 1', 'must not mix'],
  ['process.exit()', '"process.exit()"'],
  [`message_length > 5${' '.repeat(2_000)}`, 'at most 1000 characters'],
  [5, 'must be a text'],
])('refuses %j and names the part', (text, part) => {
  const read = readLengthCondition(text);
  expect(read.ok ? '' : read.message).toContain(part);
});
