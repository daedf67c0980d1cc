import { expect, it } from 'vitest';
import { marked, onLines } from './letter-text.ts';

const fault = {
  code: 'INVALID_ACTION',
  reason: 'names another tenant',
  remedy: 'leave it out',
  pointer: '',
  line: 1,
  column: 1,
} as const;
const BAD =
  '{"event":"action.requested","action":{"id":"a","agentId":"b","type":"tool_call","tool":"t","attempt":0}}';

/** Returns the text without remarks. A remark begins with `//`, and no line of JSON begins in this way. */
function withoutRemarks(text: string): string {
  return text.replace(/^\s*\/\/.*$/gm, '');
}

it('marks a fault under its line, and leaves the record unchanged apart from the remark', () => {
  const text = marked(BAD, { fault });
  const lines = text.split('\n');
  const at = lines.findIndex((line) => line.includes('"attempt": 0'));
  expect(lines[at + 1]).toMatch(/^\/\/ +\^ \/action\/attempt must be at least 1: give the field/);
  expect(lines[at + 1]?.indexOf('^')).toBe(lines[at]?.indexOf('0'));
  expect(onLines(withoutRemarks(text))).toBe(onLines(BAD));
});

it('leaves text that is not JSON unchanged', () => {
  const text = '{"event":\n  oops';
  expect(onLines(text)).toBe(text);
  expect(marked(text, { fault })).toMatch(/^\{"event":\n {2}oops\n\/\/ +\^ /);
});

it('marks the first line if the record can be read but its content was refused', () => {
  const good = BAD.replace('"attempt":0', '"attempt":1');
  expect(marked(good, { fault }).split('\n')[1]).toBe('// ^ names another tenant: leave it out');
});

it('keeps text from a producer inside the remark', () => {
  const text = marked('{"a\\u2028\\nb":1}', { fault });
  expect(onLines(withoutRemarks(text))).toBe(onLines('{"a\\u2028\\nb":1}'));
});
