/** Imports a text in the same way as the command, but without files. */
import { replaceSpans } from '@mandate/schemas/json-spans';
import { runs } from '@mandate/testing/run-options';
import fc from 'fast-check';
import { expect } from 'vitest';
import { type ProxyAsked, planImport, planUndo } from './plan-import.ts';
import { readClientConfig } from './read-client-config.ts';

export const ASKED: ProxyAsked = {
  command: ['npx', '-y', 'mandate', 'mcp'],
  agent: 'coder',
  options: [],
  prefixesNames: true,
};

export async function imported(text: string, asked: ProxyAsked = ASKED): Promise<string> {
  return replaceSpans(text, planImport(await readClientConfig(text, 'the file'), asked).edits);
}

export async function undone(text: string): Promise<string> {
  return replaceSpans(text, planUndo(await readClientConfig(text, 'the file')).edits);
}

/** Checks that an import and its undo leave the same bytes, for any of these texts. */
export async function expectUndone(given: fc.Arbitrary<{ text: string }>): Promise<void> {
  const isUndone = fc.asyncProperty(given, async ({ text }) => {
    expect(await undone(await imported(text))).toBe(text);
  });
  await fc.assert(isUndone, { numRuns: runs(2_000) });
}
