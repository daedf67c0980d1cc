/**
 * Computes the ids of Mandate's records from the log position of the request. The same delivery always gets the same
 * decision id. So if a decision is published twice, both records have the same id.
 */

import type { DecisionKind, LogPosition } from '@mandate/schemas';
import { sortableId } from '@mandate/schemas/core';
import { type Sha256, sha256Hex } from './digest.ts';

export function decisionId(
  source: LogPosition,
  appendedAtMs: number,
  kind: DecisionKind,
  sha256?: Sha256,
): string {
  return recordId('dec', source, appendedAtMs, kind, sha256);
}

export function settlementId(source: LogPosition, appendedAtMs: number, sha256?: Sha256): string {
  return recordId('stl', source, appendedAtMs, 'settlement', sha256);
}

export function deadLetterId(source: LogPosition, appendedAtMs: number): string {
  return recordId('dlq', source, appendedAtMs, 'dead.letter');
}

function recordId(
  prefix: string,
  source: LogPosition,
  appendedAtMs: number,
  kind: string,
  sha256: Sha256 = sha256Hex,
): string {
  return sortableId(
    prefix,
    appendedAtMs,
    sha256(`${source.topic}/${source.partition}/${source.offset}/${kind}`),
  );
}
