/** What must be true of a plane that was attacked, and of the honest callers beside the attack. */
import { ATTACK } from '@mandate/testing';
import { expect } from 'vitest';
import { type Attacked, p99 } from './attack-at-once.ts';

const MIB = 1024 * 1024;

/** Where time is measured, nothing else runs on the machine. Elsewhere everything may, and a bound only tells slow from stuck. */
const MOST = ATTACK.isMeasured ? { killMs: 100, decisionMs: 250 } : { killMs: 5_000, decisionMs: 20_000 };
/** For a second of the attack, beside what is there at once. A tenant's limits of records bound both. */
const DISK = { atOnce: 64 * MIB, perSecond: 16 * MIB };
const HEAP = { atOnce: 128 * MIB, perSecond: 4 * MIB };
const MOST_RESIDENT = 2_048 * MIB;

export function expectBorne(attacked: Attacked): void {
  console.log(summaryOf(attacked));
  const { killMs, decisionMs, wronged, ended, exitCode, faults, heldBytes, diskBytes } = attacked;
  expect(Object.entries(ended).filter(([, error]) => error !== null)).toEqual([]);
  expect(wronged).toEqual([]);
  expect([exitCode, faults]).toEqual([null, 0]);
  expect(p99(killMs)).toBeLessThan(MOST.killMs);
  expect(p99(decisionMs)).toBeLessThan(MOST.decisionMs);
  expect(diskBytes.after - diskBytes.before).toBeLessThan(mostOf(DISK));
  expect(heldBytes.after - heldBytes.before).toBeLessThan(mostOf(HEAP));
  expect(attacked.mostResidentBytes).toBeLessThan(MOST_RESIDENT);
}

function mostOf({ atOnce, perSecond }: { atOnce: number; perSecond: number }): number {
  return atOnce + (perSecond * ATTACK.ms) / 1_000;
}

function summaryOf(attacked: Attacked): string {
  const { heldBytes, diskBytes } = attacked;
  const times = (sorted: readonly number[]) =>
    `${sorted.length} answers, p50 ${ms(sorted[sorted.length >> 1])}, p99 ${ms(p99(sorted))}, longest ${ms(sorted.at(-1))}`;
  return [
    `kill: ${times(attacked.killMs)}`,
    `decision: ${times(attacked.decisionMs)}`,
    `heap: ${mib(heldBytes.before)} to ${mib(heldBytes.after)}, resident at most ${mib(attacked.mostResidentBytes)}`,
    `disk: ${mib(diskBytes.before)} to ${mib(diskBytes.after)}`,
    `the measuring process was late by ${ms(attacked.ownLagMs)} at most`,
  ].join('\n');
}

function ms(value = Number.NaN): string {
  return `${value.toFixed(0)} ms`;
}

function mib(bytes: number): string {
  return `${(bytes / MIB).toFixed(0)} MiB`;
}
