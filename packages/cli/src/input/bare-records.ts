/**
 * A line may hold a record as it lies on the log, or bare what stands inside of one: an action, or an outcome, which
 * is known by its `actionId`. Commands that read lines take both.
 */

import { decodeText } from '@mandate/schemas';

export type RecordKind = { kind: 'action' | 'outcome'; bare: boolean };

/** The kind of JSON that was read; JSON that is no outcome counts as an action, and may be refused as one. */
export function recordKind(json: unknown): RecordKind {
  if (typeof json !== 'object' || json === null) return { kind: 'action', bare: false };
  if ('event' in json) {
    return { kind: json.event === 'action.completed' ? 'outcome' : 'action', bare: false };
  }
  return { kind: 'actionId' in json ? 'outcome' : 'action', bare: !Array.isArray(json) };
}

const AROUND = {
  action: ['{"event":"action.requested","action":', '}'],
  outcome: ['{"event":"action.completed","outcome":', '}'],
} as const;

/** The line as a record, with what was written left as it is; a line that is no JSON stays what it was. */
export function wholeRecord(line: Uint8Array): Uint8Array {
  const { kind, bare } = recordKind(parsed(line));
  if (!bare) return line;
  const [before, after] = AROUND[kind];
  return Buffer.concat([Buffer.from(before), line, Buffer.from(after)]);
}

function parsed(line: Uint8Array): unknown {
  const decoded = decodeText(line);
  if (!decoded.ok) return undefined;
  try {
    return JSON.parse(decoded.text);
  } catch {
    return undefined;
  }
}
