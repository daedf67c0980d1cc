/**
 * Tests documents that people write. Here an attacker or a broken program has written them. Each must be refused at
 * the position of its fault. It must be refused quickly, because a running plane reads a document again after each
 * edit.
 */

import { readAgentManifest } from '@mandate/agent-manifest';
import { checkAlerting } from '@mandate/alerter';
import { loadCategories, loadManifest } from '@mandate/manifest';
import { stepBudgetOfAction } from '@mandate/policy';
import { type DocumentFault, loadMandates } from '@mandate/policy/documents';
import { compileIntents } from '@mandate/policy/governance';
import { loadPrivacy } from '@mandate/privacy';
import { CAPS } from '@mandate/schemas';
import { leastCpuMs, MOST_BUSY_MS } from '@mandate/testing/busiest-turn';
import { describe, expect, test } from 'vitest';

type Loaded = { ok: boolean; faults?: readonly DocumentFault[] };

const MANIFEST = 'version: "1.0"\nname: m\nintents: [{ id: chat, triggers: { fallback: true } }]\n';
const POLICY = 'version: "1.0"\nname: p\nroles: [{ id: user }]\n';

/** The same with the name that other documents give to their faults. */
function withFaults({ ok, errors }: { ok: boolean; errors: readonly DocumentFault[] }): Loaded {
  return { ok, faults: errors };
}

/** Every kind of document: its parser, and its first three lines. */
const DOCUMENTS: readonly [name: string, load: (text: string) => Loaded, head: string][] = [
  ['mandates', loadMandates, 'version: 1\nid: m\nagents: ["*"]\n'],
  ['the privacy document', loadPrivacy, 'version: 1\nfields: []\npatterns: []\n'],
  ['the alert rules', (text) => checkAlerting(text, {}), 'version: 1\nrules: {}\nwebhooks: []\n'],
  [
    'a manifest',
    (text) => withFaults(loadManifest({ manifest: text, policy: POLICY })),
    'version: "1.0"\nname: m\nintents: []\n',
  ],
  [
    'an agent manifest',
    (text) => readAgentManifest(text),
    'apiVersion: coreason.ai/v2\nkind: Agent\nmetadata: { name: m }\n',
  ],
  ['permissions', (text) => withFaults(loadManifest({ manifest: MANIFEST, policy: text })), POLICY],
  ['categories', (text) => withFaults(loadCategories(text)), 'stores:\n  notes:\n    kind: filesystem\n'],
];

const times = (count: number, line: (n: number) => string) =>
  Array.from({ length: count }, (_, n) => line(n)).join('');
const bomb = times(9, (n) => `l${n + 1}: &a${n + 1} [${`*a${n},`.repeat(9)}]\n`);

/**
 * The position at which a document exceeds the limit of lines, items or fields. The position depends on the
 * document's first lines.
 */
const TOO_MUCH = expect.stringMatching(/^\d{4,}:\d+$|^4:\d{4,}$/);

/** The position of the value. If the document has no such field, the position of the field. */
const VALUE = expect.stringMatching(/^4:[14]$/);

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
  ['a number of 900,000 digits', `a: 1${'0'.repeat(900_000)}1`, VALUE],
  ['an infinite number', 'a: 1e400', VALUE],
  ['NaN', 'a: .nan', VALUE],
  ['hexadecimal', 'a: 0x10', VALUE],
  ['__proto__', '__proto__: { admin: true }', '4:1'],
  ['constructor', 'constructor: { prototype: {} }', '4:1'],
  ['a field twice', 'version: 1', '4:1'],
  ['a text that does not end', `a: "${'x'.repeat(900_000)}`, '4:900005'],
  ['a text of many lines', `a: |\n${'  x\n'.repeat(200_000)}`, TOO_MUCH],
  ['very many escapes', `a: "${String.raw`\u0041`.repeat(150_000)}"`, '4:1'],
  ['a half character', String.raw`a: "\ud83d"`, '4:1'],
  ['an executable tag', 'a: !!js/function "function () { return 1 }"', VALUE],
  ['a control character', 'a: "\0"', '4:1'],
];

const wrong = ({ faults = [] }: Loaded) => faults.map(({ line, column }) => `${line}:${column}`);

describe.each(DOCUMENTS)('%s', (_document, load, head) => {
  test.each(HOSTILE)('%s', (_name, text, place) => {
    const whole = head + text;
    const loaded = load(whole);
    expect(loaded.ok).toBe(false);
    expect(wrong(loaded)).toEqual(expect.arrayContaining([place]));
    expect(wrong(loaded).length).toBeLessThanOrEqual(101);
    for (const { message } of loaded.faults ?? []) expect(message.length).toBeLessThan(500);
    expect(leastCpuMs(() => load(whole))).toBeLessThan(MOST_BUSY_MS);
  });
});

const INTENTS = 'version: "1.0"\nname: m\nmemory: { stores: [] }\nintents:\n';

/** As many keywords as a policy on the log can have. A longer list is refused when it is applied. */
const KEYWORDS = CAPS.elements - 100;

describe('keywords', () => {
  test.each([
    ['short ones', KEYWORDS, (n: number) => `word${n}`],
    ['long ones', 1_200, (n: number) => `${n} ${'ab'.repeat(90)}`],
    ['ones with the same end', 10_000, (n: number) => `${n} is the end`],
    ['ones that contain each other', 190, (n: number) => 'a'.repeat(n + 1)],
    ['equal ones', KEYWORDS, () => 'a'],
    ['ones that are folded', 5_000, (n: number) => `\uff57\uff4f\uff52\uff44 ${n}`],
  ])('%s are found in bounded time', (_name, count, keyword) => {
    const keywords = Array.from({ length: count }, (_, n) => keyword(n));
    const intents = [
      { id: 'words', triggers: { keywords } },
      { id: 'chat', triggers: { fallback: true } },
    ];
    const texts = [keywords.join(' '), 'a'.repeat(CAPS.stringUnits), 'a '.repeat(CAPS.stringUnits / 2)];
    expect(leastCpuMs(() => compileIntents({ intents }))).toBeLessThan(MOST_BUSY_MS);
    const { classify } = compileIntents({ intents });
    for (const text of texts)
      expect(leastCpuMs(() => classify(text.slice(0, CAPS.stringUnits), stepBudgetOfAction()))).toBeLessThan(
        MOST_BUSY_MS,
      );
  });

  test('a manifest with 20,000 keywords loads, and a fault in it is placed', () => {
    const lines = times(20_000, (n) => `        - ${n === 19_999 ? '" "' : `word${n}`}\n`);
    const text = `${INTENTS}  - id: words\n    triggers:\n      keywords:\n${lines}`;
    const { errors } = loadManifest({ manifest: text, policy: POLICY });
    expect(errors.map(({ line, column }) => `${line}:${column}`)).toContain('20007:11');
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
