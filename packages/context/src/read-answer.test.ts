import { describe, expect, test } from 'vitest';
import { readAnswer } from './read-answer.ts';

const faultOf = (text: string, stop?: string) => readAnswer({ text, stop }).fault;
const whole = '{"focus":"a","question_type":"casual"}';

describe('the text', () => {
  test.each([
    ['```json\n{}\n```', 'INVALID_SHAPE'],
    ['```\nnull\n```', 'INVALID_SHAPE'],
    ['```{}```', 'INVALID_SHAPE'],
    ['````json\n{}\n````', 'INVALID_SHAPE'],
    ['```json\n{}', 'INVALID_JSON'],
    ['````json\n{}\n```', 'INVALID_JSON'],
    ['````\n```json\n{}\n```\n````', 'INVALID_JSON'],
    ['```', 'INVALID_JSON'],
    ['``````', 'INVALID_JSON'],
    ['``{}``', 'INVALID_JSON'],
    ['{} {}', 'INVALID_JSON'],
    ['NaN', 'INVALID_JSON'],
    [' \u200b\n', 'EMPTY_ANSWER'],
    ['```json\n```', 'INVALID_JSON'],
  ])('%j fails with %s', (text, fault) => {
    expect(faultOf(text)).toBe(fault);
  });

  test.each(['\u{feff}', ' \n', '```json\n'])('is accepted after %j', (before) => {
    expect(faultOf(before + whole + (before.startsWith('`') ? '\n```' : ' '))).toBeNull();
  });

  test('is not used if the model was stopped before the end', () => {
    expect(faultOf(whole, 'max_tokens')).toBe('TRUNCATED');
    expect(faultOf('', 'length')).toBe('TRUNCATED');
    expect(faultOf(whole, 'refusal')).toBe('REFUSED');
    expect(faultOf(whole, 'content_filter')).toBe('REFUSED');
    expect(faultOf(whole, 'end_turn')).toBeNull();
  });
});

describe('a repeated key', () => {
  test.each([
    '{"focus":"a","focus":"b","question_type":"casual"}',
    '{"focus":"a","question_type":"casual","x":[{"y":{"z":1,"z":2}}]}',
    '{"focus":"a","f\\u006fcus":"b","question_type":"casual"}',
  ])('is refused in %s', (text) => {
    expect(faultOf(text)).toBe('INVALID_JSON');
  });

  test.each([
    '{"focus":"focus","question_type":"casual","x":[{"focus":1},{"focus":2}]}',
    '{"focus":"{\\"a\\":1,\\"a\\":2}","question_type":"casual"}',
    '{"focus":"a","question_type":"casual","x":["a","a"],"y":{"a":[],"b":{"a":1}}}',
  ])('is not reported for %s', (text) => {
    expect(faultOf(text)).toBeNull();
  });
});

describe('the object', () => {
  const read = (fields: object) =>
    readAnswer({ text: JSON.stringify({ focus: 'a', question_type: 'casual', ...fields }) });

  test.each([
    [{ context_early: 'x' }, 'INVALID_SHAPE'],
    [{ answer_guidance: {} }, 'INVALID_SHAPE'],
    [{ context_early: ['1', '2', '3', '4', 5] }, 'INVALID_SHAPE'],
    [{ context_reinforce: [null] }, 'INVALID_SHAPE'],
    [{ question_type: 'Casual' }, 'INVALID_QUESTION_TYPE'],
    [{ question_type: ['casual'] }, 'INVALID_QUESTION_TYPE'],
    [{ question_type: 'x', context_early: 5 }, 'INVALID_SHAPE'],
    [{ focus: ['a'] }, 'INVALID_SHAPE'],
  ])('%j fails with %s', (fields, fault) => {
    expect(read(fields).fault).toBe(fault);
  });

  test('has its focus cut and its items cleaned, with the limits in code points', () => {
    const { manifest } = read({
      focus: ` ${'😀'.repeat(301)}`,
      answer_guidance: ['a\u200b\n b', 'a b', ' ', '😀'.repeat(300), 'x'.repeat(301)],
    });
    expect(manifest?.focus).toBe('😀'.repeat(300));
    expect(manifest?.answer_guidance).toEqual(['a b', '😀'.repeat(300)]);
  });

  test('changes no prototype of objects', () => {
    const text = `{"focus":"a","question_type":"casual","__proto__":{"context_early":["x"]},"constructor":1}`;
    expect(readAnswer({ text }).manifest?.context_early).toEqual([]);
    expect(Object.hasOwn(Object.prototype, 'context_early')).toBe(false);
  });
});

const UNITS = 65_000;

test.each([
  ['deep nesting', '['.repeat(UNITS)],
  ['deep nesting that ends', '['.repeat(UNITS / 2) + ']'.repeat(UNITS / 2)],
  ['many keys', `{${Array.from({ length: 6_000 }, (_, at) => `"k${at}":1`).join()}}`],
  ['many items', `{"focus":"a","question_type":"casual","context_early":[${'"",'.repeat(21_000)}""]}`],
  ['many quotes', `{"focus":"${'\\"'.repeat(32_000)}","question_type":"casual"}`],
  ['many backticks', '`'.repeat(UNITS)],
  ['a text over the limit', `"${'x'.repeat(2 << 20)}"`],
])('reads a hostile answer quickly: %s', (_, text) => {
  const began = performance.now();
  readAnswer({ text });
  expect(performance.now() - began).toBeLessThan(1_000);
});
