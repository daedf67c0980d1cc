/** A decision for tests. It answers a request at this offset of partition 0. */
import type { ActionDecided, Decision, LogPosition } from '@mandate/schemas';
import { buildDecision } from '@mandate/testing';
import type { Decided } from './recent-answers.ts';

export function decided(offset: number, given: Partial<Decision> = {}): ActionDecided {
  const own = { id: `dec_${offset}`, actionId: `a-${offset}`, source: sourceAt(offset) };
  const decision = buildDecision(offset, { appendedAtMs: Date.UTC(2026, 0, 1), ...own, ...given });
  return { event: 'action.decided', decision };
}

/** The same decision in the form that pending replies store. */
export function posted(offset: number, given: Partial<Decision> = {}): Decided {
  const record = decided(offset, given);
  return { ...record, value: Buffer.from(JSON.stringify(record)) };
}

export function sourceAt(offset: number): LogPosition {
  return { topic: 'actions', partition: 0, offset };
}
