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

/** The text without the remarks, which begin with `//`. No line of JSON does. */
function withoutRemarks(text: string): string {
  return text.replace(/^\s*\/\/.*$/gm, '');
}

it('marks what is wrong under its line, and the record is the same without the remark', () => {
  const text = marked(BAD, { fault });
  const lines = text.split('\n');
  const at = lines.findIndex((line) => line.includes('"attempt": 0'));
  expect(lines[at + 1]).toMatch(/^\/\/ +\^ \/action\/attempt must be at least 1: give the field/);
  expect(lines[at + 1]?.indexOf('^')).toBe(lines[at]?.indexOf('0'));
  expect(onLines(withoutRemarks(text))).toBe(onLines(BAD));
});

it('leaves what is no JSON as it came', () => {
  const text = '{"event":\n  oops';
  expect(onLines(text)).toBe(text);
  expect(marked(text, { fault })).toMatch(/^\{"event":\n {2}oops\n\/\/ +\^ /);
});

it('marks the whole where the record reads well and was refused for what it says', () => {
  const good = BAD.replace('"attempt":0', '"attempt":1');
  expect(marked(good, { fault }).split('\n')[1]).toBe('// ^ names another tenant: leave it out');
});

it('lets no text of a producer break out of its remark', () => {
  const text = marked('{"a\\u2028\\nb":1}', { fault });
  expect(onLines(withoutRemarks(text))).toBe(onLines('{"a\\u2028\\nb":1}'));
});
