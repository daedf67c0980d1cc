/** Laws of import and undo, for random configurations. */
import { replaceSpans } from '@mandate/schemas/json-spans';
import { runs } from '@mandate/testing/run-options';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { jsonConfig, tomlConfig } from './arbitrary-config.fixture.ts';
import { ASKED, expectUndone, imported } from './imported.fixture.ts';
import { planImport } from './plan-import.ts';
import { endOfProxy } from './proxied-command.ts';
import { readClientConfig } from './read-client-config.ts';
import { wordsOf } from './rewrite-entry.ts';
import { unifiedDiff } from './unified-diff.ts';

const FORMATS = [
  ['JSON', jsonConfig],
  ['TOML', tomlConfig],
] as const;

async function wordsByName(text: string): Promise<Map<string, string[]>> {
  const { servers } = await readClientConfig(text, 'the file');
  return new Map(servers.map((entry) => [entry.name, entry.kind === 'stdio' ? wordsOf(entry) : []]));
}

describe.each(FORMATS)('in %s', (_format, config) => {
  const given = config.filter(({ servers }) => servers.every(({ words }) => endOfProxy(words) === null));

  test('an import and its undo leave the same bytes as before', () => expectUndone(given));

  test('a second import changes nothing', async () => {
    await fc.assert(
      fc.asyncProperty(given, async ({ text }) => {
        const once = await imported(text);
        expect(await imported(once)).toBe(once);
      }),
      { numRuns: runs(1_000) },
    );
  });

  test('the command of each server becomes the proxy followed by the old command', async () => {
    await fc.assert(
      fc.asyncProperty(given, async ({ text, servers }) => {
        const words = await wordsByName(await imported(text));
        expect([...words.keys()].sort()).toEqual(servers.map(({ name }) => name).sort());
        for (const { name, words: old } of servers) {
          const now = words.get(name) ?? [];
          expect(now.slice(0, 6)).toEqual([...ASKED.command, '--agent', 'coder']);
          expect(now.slice((endOfProxy(now) ?? 0) + 1)).toEqual(old);
        }
      }),
      { numRuns: runs(1_000) },
    );
  });

  test('the diff contains the lines of both texts', async () => {
    await fc.assert(
      fc.asyncProperty(given, async ({ text }) => {
        const { edits } = planImport(await readClientConfig(text, 'the file'), ASKED);
        const before = text.split(/\r?\n/);
        const after = replaceSpans(text, edits).split(/\r?\n/);
        const diff = unifiedDiff(text, edits, []);
        const heads = diff.flatMap(({ mark }, at) => (mark === '@' ? [at] : []));
        const rest = [[...before], [...after]];
        for (const [index, at] of heads.entries()) {
          const lines = diff.slice(at + 1, heads[index + 1] ?? diff.length);
          const [, ...figures] = /^@@ -(\d+),(\d+) \+(\d+),(\d+) @@$/.exec(diff[at]?.text ?? '') ?? [];
          const [from = 0, count = 0, to = 0, countAfter = 0] = figures.map(Number);
          const marked = (mark: string) => lines.filter((one) => one.mark !== mark).map((one) => one.text);
          expect(marked('+')).toEqual(before.slice(from - 1, from - 1 + count));
          expect(marked('-')).toEqual(after.slice(to - 1, to - 1 + countAfter));
          rest[0]?.fill('', from - 1, from - 1 + count);
          rest[1]?.fill('', to - 1, to - 1 + countAfter);
        }
        expect(rest[0]?.filter((line) => line !== '')).toEqual(rest[1]?.filter((line) => line !== ''));
      }),
      { numRuns: runs(1_000) },
    );
  });
});
