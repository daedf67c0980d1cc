/** A mutation of a line that is gone breaks nothing, and would be found only minutes into `npm run test:mutations`. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { MUTATIONS } from '../mutations/mutations.ts';

test('what each mutation replaces stands once in its file', () => {
  const astray = MUTATIONS.filter(({ file, find }) => {
    const text = readFileSync(join(import.meta.dirname, '../..', file), 'utf8');
    return text.split(find).length !== 2;
  });
  expect(astray.map(({ promise, file }) => `${file}: ${promise}`)).toEqual([]);
});
