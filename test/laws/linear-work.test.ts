/**
 * Tests that readers of outside input do work that grows at most linearly with the input. They read random hostile
 * texts at one length and at four times the length. Four times the work is linear, sixteen times is quadratic.
 */
import { byLength } from '@mandate/testing';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { arbitraryHostile, KNOWN_HOSTILE, textAt } from './arbitrary-hostile.ts';
import { startCounting, type WorkCounter } from './counted-work.ts';
import { READERS } from './readers.ts';

// The timeout is long: each test reads many random texts, which takes about a second, and more on a busy machine.
vi.setConfig({ testTimeout: 120_000 });

const SHORT = 120;
const TIMES = 4;
/** The limit, as a multiple of the work at the short length. Linear work gives `TIMES`, constant work gives 1. */
const MOST = 1.6 * TIMES;
/** The work that a reader does for any text, however short. */
const CONSTANT = 3_000;

let counter: WorkCounter;
beforeAll(async () => {
  counter = await startCounting(['/schemas/src/', '/packages/', '/services/', '/node_modules/yaml/']);
});
afterAll(() => counter.stop());

describe.each(READERS.map(([name]) => name))('%s', (reader) => {
  test('does work that is at most linear in the length of the text', async () => {
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
