/** What reconcile must find of a plane that is well, told so that a failure names the law and what breaks it. */
import type { reconcilePlane } from '@mandate/reconcile';
import { expect } from 'vitest';

export function expectLaws(report: Awaited<ReturnType<typeof reconcilePlane>>): void {
  expect(report.laws.filter(({ broken }) => broken > 0)).toEqual([]);
  expect(report).toMatchObject({ differences: [], driftMicros: 0, doubledActions: [] });
}
