/** Checks that reconcile finds no broken law. A failure names the broken law and the record that breaks it. */
import type { reconcilePlane } from '@mandate/reconcile';
import { expect } from 'vitest';

export function expectLaws(report: Awaited<ReturnType<typeof reconcilePlane>>): void {
  expect(report.laws.filter(({ broken }) => broken > 0)).toEqual([]);
  expect(report).toMatchObject({ differences: [], driftMicros: 0, doubledActions: [] });
}
