import { describe, expect, test } from 'vitest';
import { fillTemplate, templateFault } from './fill-template.ts';

const VARIABLES = {
  inputs: { topic: 'ai', n: 5, list: [1, 'x'], text: 'a } b' },
  state: { count: 3 },
  steps: { one: { output: { ok: true, none: null }, visits: 2 } },
  run: { id: 'run_1' },
};
const SCHEMAS = { state: { properties: { count: { type: 'integer' } } } };

/** Biome reports a template in a plain text as a mistake, so this function inserts the dollar sign. */
const dollars = (text: string) => text.replaceAll('§', '$');

describe('an expression in a template', () => {
  test.each([
    ['is its value if it is the whole text', '§{inputs.list}', [1, 'x']],
    ['is null if its value is null', '§{steps.one.output.none}', null],
    ['is text within a text', 'about §{inputs.topic}, §{inputs.n} times', 'about ai, 5 times'],
    ['is text beside a blank', ' §{inputs.n}', ' 5'],
    ['is JSON within a text if it is a list', 'list: §{inputs.list}', 'list: [1,"x"]'],
    ['may hold braces', '§{ {"a": {"b": 1}}.a.b }', 1],
    ['may hold a brace in a text', `§{inputs.text == 'a } b'}`, true],
    ['may hold a quote in a raw text', `§{r'\\' + "}" == '\\\\}'}`, true],
    ['may hold an escaped quote', `§{"a\\" }"}`, 'a" }'],
    ['may hold a quote after a name that ends in r', '§{inputs.list[1] + "}"}', 'x}'],
    ['may hold three quotes', '§{"""a " } b""" == "a \\" } b"}', true],
    ['may come twice', '§{inputs.topic}§{inputs.topic}', 'aiai'],
    ['is plain text after two dollars', '§§{inputs.topic}', '§{inputs.topic}'],
    ['is plain text after two of three dollars', '§§§{inputs.topic}', '§§{inputs.topic}'],
    ['is none without a brace', 'costs §5 {a}', 'costs §5 {a}'],
    ['is filled in lists and maps', { a: ['§{run.id}', { b: '§{inputs.n}' }] }, { a: ['run_1', { b: 5 }] }],
    ['stays in a key', { '§{run.id}': 1 }, { '§{run.id}': 1 }],
    ['leaves other values', [1, true, null], [1, true, null]],
    ['gives a JSON number for an int', '§{state.count + 1}', 4],
    ['gives digits for an int in a text', 'n=§{state.count + 1}', 'n=4'],
    ['gives RFC 3339 for a time', '§{timestamp("2026-01-01T01:00:00+01:00")}', '2026-01-01T00:00:00Z'],
    ['gives seconds for a duration', '§{duration("1h30m")}', '5400s'],
    ['gives a list that a macro made', '§{inputs.list.map(x, {"v": x})}', [{ v: 1 }, { v: 'x' }]],
    ['gives an own __proto__ as data', '§{{"__proto__": 1}}', JSON.parse('{"__proto__":1}')],
  ])('%s', (_, template, value) => {
    const written = JSON.parse(dollars(JSON.stringify(template)));
    const filled = fillTemplate(written, VARIABLES, SCHEMAS);
    expect(filled).toEqual({ ok: true, value: JSON.parse(dollars(JSON.stringify(value))) });
    expect(() => JSON.stringify(filled)).not.toThrow();
  });

  test.each([
    ['has a field that is missing', '§{state.nope}', 'the field nope is missing'],
    ['has no end', 'a §{state.count', 'has no }'],
    ['names something unknown', '§{env:HOME}', 'no CEL'],
    ['gives bytes', '§{b"a"}', 'no JSON'],
    ['gives a type', '§{type(1)}', 'no JSON'],
    ['gives an infinite number', '§{1.0 / 0.0}', 'no JSON'],
    ['gives an int that JSON cannot hold', '§{9007199254740993}', 'too large'],
    ['gives a map with a key that is no text', '§{{1: 2}}', 'no text'],
    ['gives a failure in a nested value', '§{[1, 1 / 0]}', 'divided by zero'],
  ])('fails if it %s', (_, template, message) => {
    const filled = fillTemplate({ a: [dollars(template)] }, VARIABLES, SCHEMAS);
    expect(filled).toEqual({ ok: false, message: expect.stringContaining(message) });
  });

  test('shares its limit of work with all other expressions', () => {
    const list = Array.from({ length: 10_000 }, (_, at) => at);
    const template = Array.from({ length: 20 }, () => dollars('§{inputs.list.map(x, x + 1.0)}'));
    const filled = fillTemplate(template, { ...VARIABLES, inputs: { list } });
    expect(filled).toEqual({ ok: false, message: expect.stringContaining('too much work') });
  });

  test('cannot make the data larger than the limit of work permits', () => {
    const text = 'a'.repeat(100_000);
    const filled = fillTemplate(
      Array.from({ length: 1_000 }, () => dollars('§{inputs.text}')),
      { ...VARIABLES, inputs: { text } },
    );
    expect(filled.ok).toBe(false);
  });
});

describe('a text with expressions', () => {
  test.each([
    ['has no fault', 'a §{inputs.topic} §§{x} b', null],
    ['names something unknown', 'a §{topic} b', 'topic is not known'],
    ['has an expression without end', 'a §{inputs.topic', 'has no }'],
    ['has a text without end in an expression', '§{inputs.a + "\\"}', 'has no }'],
    ['has many quotes without end', `§{${'\\"'.repeat(32_000)}`, 'has no }'],
    ['has an empty expression', '§{}', 'empty'],
  ])('%s', (_, text, fault) => {
    const found = templateFault(dollars(text));
    expect(found).toEqual(fault === null ? null : expect.stringContaining(fault));
  });
});
