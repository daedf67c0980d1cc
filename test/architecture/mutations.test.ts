/**
 * A mutation replaces a text in a file. If the file no longer contains the text, the mutation changes nothing. This
 * test finds that in seconds; `npm run test:mutations` needs minutes.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { MUTATIONS } from '../mutations/mutations.ts';

test('the text that each mutation replaces occurs exactly once in its file', () => {
  const astray = MUTATIONS.filter(({ file, find }) => {
    const text = readFileSync(join(import.meta.dirname, '../..', file), 'utf8');
    return text.split(find).length !== 2;
  });
  expect(astray.map(({ promise, file }) => `${file}: ${promise}`)).toEqual([]);
});
