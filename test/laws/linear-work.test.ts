/**
 * Whatever reads what comes from outside does work that grows no faster than what it reads. Hostile texts are drawn, each at
 * a length and at four times that length: four times the work is linear, sixteen times is quadratic.
 */
import { byLength } from '@mandate/testing';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { arbitraryHostile, KNOWN_HOSTILE, textAt } from './arbitrary-hostile.ts';
import { startCounting, type WorkCounter } from './counted-work.ts';
import { READERS } from './readers.ts';

// A law takes a second; how long that is on a busy machine is no part of it.
vi.setConfig({ testTimeout: 120_000 });

const SHORT = 120;
const TIMES = 4;
/**
 * As a multiple of the work at the short length: linear work comes to `TIMES`, work that depends on no length to less.
 */
const MOST = 1.6 * TIMES;
/** Work that is there whatever is read. */
const CONSTANT = 3_000;

let counter: WorkCounter;
beforeAll(async () => {
  counter = await startCounting(['/schemas/src/', '/packages/', '/services/', '/node_modules/yaml/']);
});
afterAll(() => counter.stop());

describe.each(READERS.map(([name]) => name))('%s', (reader) => {
  test('takes work that is linear in the text', async () => {
    await fc.assert(
      fc.asyncProperty(arbitraryHostile, async (hostile) => {
        const [short, long] = [textAt(hostile, SHORT), textAt(hostile, SHORT * TIMES)];
        const less = await counter.countOf(reader, short);
        const more = await counter.countOf(reader, long);
        expect(more, `${more} for ${long.length} characters, ${less} for ${short.length}`).toBeLessThan(
          MOST * less + CONSTANT,
        );
      }),
      { numRuns: byLength({ short: 8, full: 40 }), examples: KNOWN_HOSTILE.map((hostile) => [hostile]) },
    );
  });
});
