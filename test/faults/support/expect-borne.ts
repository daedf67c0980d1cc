/** Checks what must hold after an attack: for the plane, and for the honest callers during the attack. */
import { ATTACK } from '@mandate/testing';
import { expect } from 'vitest';
import { type Attacked, p99 } from './attack-at-once.ts';

const MIB = 1024 * 1024;

/**
 * The limits in ms. A measured run has the machine to itself. In `npm test` other tests run at the same time, so the
 * limits are higher and only find a plane that hangs.
 */
const MOST = ATTACK.isMeasured ? { killMs: 100, decisionMs: 250 } : { killMs: 5_000, decisionMs: 20_000 };
/**
 * How much the disk may grow, in bytes: at once, and for each second of the attack. The limits on records of a tenant
 * keep the growth below both.
 */
const DISK = { atOnce: 64 * MIB, perSecond: 16 * MIB };
/**
 * The allowed growth of the heap in bytes. The ledger remembers each action for a day, in 0.8 KB
 * (docs/operations.md).
 */
const HEAP = { atOnce: 128 * MIB, perSecond: 8 * MIB };
const MOST_RESIDENT = 2_048 * MIB;

export function expectBorne(attacked: Attacked): void {
  console.log(summaryOf(attacked));
  const { killMs, decisionMs, wronged, ended, exitCode, faults, heldBytes, diskBytes } = attacked;
  expect(Object.entries(ended).filter(([, error]) => error !== null)).toEqual([]);
  expect(wronged).toEqual([]);
  expect([exitCode, faults]).toEqual([null, 0]);
  // The checks are `soft`: if one fails, the others still run, because a run takes minutes.
  expect.soft(p99(killMs), 'kill p99').toBeLessThan(MOST.killMs);
  expect.soft(p99(decisionMs), 'decision p99').toBeLessThan(MOST.decisionMs);
  expect.soft(diskBytes.after - diskBytes.before, 'disk').toBeLessThan(mostOf(DISK));
  expect.soft(heldBytes.after - heldBytes.before, 'heap').toBeLessThan(mostOf(HEAP));
  expect(attacked.mostResidentBytes, 'a reading of the resident set').toBeGreaterThan(0);
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
