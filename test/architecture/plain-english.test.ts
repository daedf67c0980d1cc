/** Tests that the pages in docs are easy to read: no old phrases, no fragments, no sentence that is too long. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT } from './repository.ts';
import { pathsBelow } from './tree.ts';

const AVOIDED =
  /\b(?:[Ww]hoever|[Ww]homever|[Aa]new|for ever|[Mm]end|[Mm]ends|[Mm]ended|[Mm]ending|so long as)\b|(?:^|[.!?|] )Of /;

/**
 * The most words that a sentence of prose may have. Tables and lists of figures separate their parts by bars, colons
 * and semicolons.
 */
const MOST_WORDS = 35;

/** Returns the faults of a page, as `line what is wrong`. */
function faultsOf(page: string): string[] {
  let isCode = false;
  return page.split('\n').flatMap((line, at) => {
    if (line.startsWith('```')) isCode = !isCode;
    if (isCode || line.startsWith('```')) return [];
    const prose = line
      .replace(/`[^`]*`|"[^"]*"/g, 'X')
      .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .replaceAll('*', '');
    const phrase = AVOIDED.exec(prose)?.[0].trim();
    const sentences = /^[|#]/.test(line) ? [] : prose.split(/(?<=[.!?:;])\s+/);
    const long = sentences.filter((sentence) => sentence.split(/\s+/).length > MOST_WORDS);
    return [
      ...(phrase === undefined ? [] : [`${at + 1} says "${phrase}"`]),
      ...long.map((sentence) => `${at + 1} is too long: ${sentence}`),
    ];
  });
}

describe('a page', () => {
  const pages = pathsBelow(ROOT).filter((path) => path.endsWith('.md'));

  it('is found by the search', () => {
    expect(pages.length).toBeGreaterThan(70);
  });

  it.each(pages)('%s is in plain English', (path) => {
    expect(faultsOf(readFileSync(join(ROOT, path), 'utf8'))).toEqual([]);
  });

  it.each([
    ['Whoever asks waits.', '1 says "Whoever"'],
    ['It is made anew.', '1 says "anew"'],
    ['First. Of this kind none.', '1 says ". Of"'],
    [`${'word '.repeat(35)}more.`, `1 is too long: ${'word '.repeat(35)}more.`],
  ])('that breaks a rule is refused: %s', (page, fault) => {
    expect(faultsOf(page)).toEqual([fault]);
  });

  it.each([
    '```\nfor ever\n```',
    'It says `anew`, or "for ever".',
    `| ${'word '.repeat(40)} |`,
    `${'word '.repeat(20)}: ${'word '.repeat(20)}`,
  ])('that breaks no rule passes: %s', (page) => {
    expect(faultsOf(page)).toEqual([]);
  });
});
