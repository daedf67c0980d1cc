import { expect, test } from 'vitest';
import { growth, type Sample } from './memory.ts';

const MEBIBYTE = 1024 * 1024;

/** Returns 360 memory samples of one process. */
function lifeOf(mebibytes: (share: number) => number): Sample[] {
  return Array.from({ length: 360 }, (_, at) => ({
    atMs: at * 5_000,
    bytes: Math.round(mebibytes(at / 360) * MEBIBYTE),
  }));
}

test('memory that first rises and then varies with garbage collection has not grown', () => {
  const garbage = (share: number) => 80 * ((share * 97) % 1);
  expect(growth(lifeOf((share) => 150 + 200 * Math.min(1, 4 * share) + garbage(share)))).toMatchObject({
    isFlat: true,
  });
});

test('memory with ever higher peaks that are released again has not grown', () => {
  const folds = (share: number) => ((share * 12) % 1 > 0.5 ? 600 * share : 0);
  expect(growth(lifeOf((share) => 150 + folds(share)))).toMatchObject({ isFlat: true });
});

test('memory that grows all the time has grown', () => {
  const found = growth(lifeOf((share) => 150 + 200 * share));
  expect(found).toMatchObject({ isFlat: false });
  expect((found?.to ?? 0) - (found?.from ?? 0)).toBe(100 * MEBIBYTE);
});

test('a process that ran only briefly gives no result', () => {
  expect(growth(lifeOf(() => 150).slice(0, 11))).toBeNull();
});
