/**
 * Tests documents that people write. Here an attacker or a broken program has written them. Each must be refused at
 * the position of its fault. It must be refused quickly, because a running plane reads a document again after each
 * edit.
 */

import { checkAlerting } from '@mandate/alerter';
import { stepBudgetOfAction } from '@mandate/policy';
import { type DocumentFault, loadMandates } from '@mandate/policy/documents';
import { loadPrivacy } from '@mandate/privacy';
import { CAPS } from '@mandate/schemas';
import { describe, expect, test } from 'vitest';
import { leastCpuMs, MOST_BUSY_MS } from './support/busiest-turn.ts';

type Loaded = { ok: boolean; faults?: readonly DocumentFault[] };

/** Every kind of document: its parser, and the first lines of a valid one. */
const DOCUMENTS: readonly [name: string, load: (text: string) => Loaded, head: string][] = [
  ['mandates', loadMandates, 'version: 1\nid: m\nagents: ["*"]\n'],
  ['the privacy document', loadPrivacy, 'version: 1\nfields: []\npatterns: []\n'],
  ['the alert rules', (text) => checkAlerting(text, {}), 'version: 1\nrules: {}\nwebhooks: []\n'],
];

const times = (count: number, line: (n: number) => string) =>
  Array.from({ length: count }, (_, n) => line(n)).join('');
const bomb = times(9, (n) => `l${n + 1}: &a${n + 1} [${`*a${n},`.repeat(9)}]\n`);

/**
 * The position at which a document exceeds the limit of lines, items or fields. The position depends on the
 * document's first lines.
 */
const TOO_MUCH = expect.stringMatching(/^\d{4,}:\d+$|^4:\d{4,}$/);

/** The hostile text after three valid lines, and the position at which the document is refused. */
const HOSTILE: readonly [name: string, text: string, place: unknown][] = [
  ['5 MB', `# ${'x'.repeat(5_000_000)}`, '1:1'],
  ['a million items', `a: [${'5,'.repeat(500_000)}]`, TOO_MUCH],
  ['a million items, one on each line', `a:\n${'- 5\n'.repeat(250_000)}`, TOO_MUCH],
  ['lists that never close', '['.repeat(1_000_000), TOO_MUCH],
  ['lists in lists', `a: ${'['.repeat(25_000)}${']'.repeat(25_000)}`, '4:68'],
  ['objects that never close', '{a: '.repeat(25_000), '4:257'],
  ['JSON as deep as a stack', `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`, '4:321'],
  ['dashes', '- '.repeat(50_000), '4:129'],
  ['question marks', '? '.repeat(50_000), '4:129'],
  ['colons', ': '.repeat(500_000), TOO_MUCH],
  ['aliases that multiply', `l0: &a0 [x]\n${bomb}`, '5:10'],
  ['very many anchors', times(50_000, (n) => `k${n}: &a${n} 1\n`), TOO_MUCH],
  ['aliases to nothing', `a: [${'*a,'.repeat(100_000)}]`, TOO_MUCH],
  ['merge keys', '<<: { a: 1 }\n'.repeat(50_000), TOO_MUCH],
  ['one merge key', '<<: { version: 2 }', '4:1'],
  ['very many comments', '#\n'.repeat(400_000), TOO_MUCH],
  ['very many blank lines', '\n'.repeat(900_000), TOO_MUCH],
  ['very many unknown fields', times(60_000, (n) => `k${n}: 1\n`), TOO_MUCH],
  ['directives', '%FOO\n'.repeat(100_000), TOO_MUCH],
  ['tags', '!'.repeat(900_000), '4:1'],
  ['a number of 900,000 digits', `a: 1${'0'.repeat(900_000)}1`, '4:4'],
  ['an infinite number', 'a: 1e400', '4:4'],
  ['NaN', 'a: .nan', '4:4'],
  ['hexadecimal', 'a: 0x10', '4:4'],
  ['__proto__', '__proto__: { admin: true }', '4:1'],
  ['constructor', 'constructor: { prototype: {} }', '4:1'],
  ['a field twice', 'version: 1', '4:1'],
  ['a text that does not end', `a: "${'x'.repeat(900_000)}`, '4:900005'],
  ['a text of many lines', `a: |\n${'  x\n'.repeat(200_000)}`, TOO_MUCH],
  ['very many escapes', `a: "${String.raw`\u0041`.repeat(150_000)}"`, '4:1'],
  ['a half character', String.raw`a: "\ud83d"`, '4:1'],
  ['an executable tag', 'a: !!js/function "function () { return 1 }"', '4:4'],
  ['a control character', 'a: "\0"', '4:1'],
];

const wrong = ({ faults = [] }: Loaded) => faults.map(({ line, column }) => `${line}:${column}`);

describe.each(DOCUMENTS)('%s', (_document, load, head) => {
  test.each(HOSTILE)('%s', (_name, text, place) => {
    const whole = head + text;
    const loaded = load(whole);
    expect([loaded.ok, wrong(loaded)[0]]).toEqual([false, place]);
    expect(wrong(loaded).length).toBeLessThanOrEqual(101);
    for (const { message } of loaded.faults ?? []) expect(message.length).toBeLessThan(500);
    expect(leastCpuMs(() => load(whole))).toBeLessThan(MOST_BUSY_MS);
  });
});

describe('patterns in an argument schema', () => {
  const withPattern = (pattern: string) =>
    `version: 1\nid: m\nagents: ["*"]\ntoolPolicies:\n  t:\n    argumentValidation:\n      schema:\n        type: object\n        properties:\n          a: { type: string, pattern: ${JSON.stringify(pattern)} }\n`;

  test.each([
    ['repetitions of repetitions', '^((a{1000}){1000}){1000}$'],
    ['repetitions of a long text', `^(${'a'.repeat(1_000)}){1000}$`],
    ['brackets that never close', '('.repeat(50_000)],
    ['nested brackets', `${'('.repeat(5_000)}a${')'.repeat(5_000)}`],
    ['look-ahead', '^(?=a)a$'],
    ['a back-reference', String.raw`^(a+)\1$`],
    ['very many alternatives', `^(${'a|'.repeat(30_000)}a$`],
  ])('are refused at their own position: %s', (_name, pattern) => {
    const text = withPattern(pattern);
    const loaded = loadMandates(text);
    expect([loaded.ok, wrong(loaded)[0]]).toEqual([false, expect.stringMatching(/^(?:[7-9]|10):\d+$/)]);
    expect(leastCpuMs(() => loadMandates(text))).toBeLessThan(MOST_BUSY_MS);
  });

  test.each(['^(a+)+$', '^(a|a)*$', '^(.*)*x$', '(x+x+)+y', '^([a-z]+)*[0-9]$'])(
    'take linear time, although a backtracking engine would not end: %s',
    (pattern) => {
      const loaded = loadMandates(withPattern(pattern));
      const rules = loaded.ok ? loaded.mandates[0]?.policies[0]?.tools.get('t')?.argumentRules : undefined;
      expect(rules).toBeDefined();
      const args = { a: `${'a'.repeat(CAPS.stringUnits / 2)}!` };
      expect(leastCpuMs(() => rules?.validate(args, stepBudgetOfAction()))).toBeLessThan(MOST_BUSY_MS);
    },
  );
});
