/**
 * Reads two forms of a line: a whole record, as on the log, or only the content of a record. The content is an action
 * or an outcome. Only an outcome has the field `actionId`.
 */
import { decodeText } from '@mandate/schemas';

export type RecordKind = { kind: 'action' | 'outcome'; bare: boolean };

/**
 * Returns the kind of the JSON value. Any value that is not an outcome counts as an action, and may be refused as an
 * action.
 */
export function recordKind(json: unknown): RecordKind {
  if (typeof json !== 'object' || json === null) return { kind: 'action', bare: false };
  // An action has a type, and the question what to save has a field `event` too.
  if ('event' in json && !('type' in json)) {
    return { kind: json.event === 'action.completed' ? 'outcome' : 'action', bare: false };
  }
  return { kind: 'actionId' in json ? 'outcome' : 'action', bare: !Array.isArray(json) };
}

const AROUND = {
  action: ['{"event":"action.requested","action":', '}'],
  outcome: ['{"event":"action.completed","outcome":', '}'],
} as const;

/**
 * Returns the line as a whole record, with the text of the content unchanged. A line that is not JSON is returned
 * unchanged.
 */
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
