/** Tests that comments are easy to read: phrases that make a comment hard to understand are rare. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ROOT } from './repository.ts';
import { pathsBelow } from './tree.ts';

/** Matches a line that is a comment or a part of a comment. The group is the text of the comment. */
const COMMENT = /^\s*(?:\/\*\*?|\*|\/\/|--)\s(.*)$/;

const RARE = [
  { phrase: 'a fragment that begins with "Of"', pattern: /(?:^|[.:;] )Of /, fewerThan: 20 },
  {
    phrase: 'whoever, whom, whose',
    pattern: /\b(?:who(?:m|se)(?:so)?ever|whoever|whom|whose)\b/i,
    fewerThan: 40,
  },
  { phrase: 'nobody, somebody, anybody', pattern: /\b(?:no|some|any)body\b/i, fewerThan: 40 },
  { phrase: 'anew, for ever, mend', pattern: /\b(?:anew|for ever|mend(?:s|ed|ing)?)\b/i, fewerThan: 20 },
] as const;

const comments = pathsBelow(ROOT)
  .filter((path) => /\.(?:ts|mjs|lua|sql)$/.test(path))
  .flatMap((path) =>
    readFileSync(join(ROOT, path), 'utf8')
      .split('\n')
      .flatMap((line, at) => {
        const text = COMMENT.exec(line)?.[1];
        return text === undefined ? [] : [{ text, place: `${path}:${at + 1}` }];
      }),
  );

it('finds the comments of the repository', () => {
  expect(comments.length).toBeGreaterThan(5_000);
});

it.each(RARE)('$phrase: occurs fewer than $fewerThan times in the comments', ({ pattern, fewerThan }) => {
  const places = comments.flatMap(({ text, place }) => (pattern.test(text) ? [`${place} ${text}`] : []));
  expect(places.length, places.join('\n')).toBeLessThan(fewerThan);
});
