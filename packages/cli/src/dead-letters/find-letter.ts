/** A dead letter, found by its id or by its log position. */
import type { ApiClient } from '@mandate/client';
import type { DeadLetter, LogPosition } from '@mandate/schemas';
import { InvalidArgumentError } from 'commander';

export type LetterReference = { id: string } | Place;
type Place = { partition: number; offset: number };

export type Letter = DeadLetter['deadLetter'];

export type Republished = {
  by: string;
  reason: string;
  at: string;
  corrected: boolean;
  source: LogPosition;
  /**
   * Null if the republished record has no answer yet. Absent if only the log was read, because the log has no
   * answers.
   */
  became?: Answer | null;
};

type Answer = {
  kind: 'decision' | 'settlement' | 'dead-letter';
  id: string;
  actionId: string | null;
  verdict: string | null;
  code: string;
  reason: string | null;
};

export type FoundLetter = {
  deadLetter: Letter;
  place: Place;
  text: string | null;
  /** The headers of the dead letter on the log. Absent if the dead letter comes from the audit. */
  headers?: Readonly<Record<string, string>>;
  republications: readonly Republished[];
};

export const WHICH_LETTER = 'its place, such as 3/17, or its id, as `dead-letters list` shows them';

/** Reads a reference in the form of `dead-letters list`: 3/17, or dlq_…. */
export function letterReference(text: string): LetterReference {
  if (/^dlq_\w{1,100}$/.test(text)) return { id: text };
  const [, partition, offset] = /^(\d{1,9})\/(\d{1,15})$/.exec(text) ?? [];
  if (partition === undefined || offset === undefined) {
    throw new InvalidArgumentError('Give partition/offset, such as 3/17, or an id, dlq_….');
  }
  return { partition: Number(partition), offset: Number(offset) };
}

/**
 * An id is looked up in the audit, which also knows the answers to republished records. A log position is read from
 * the log.
 */
export async function findLetter(api: ApiClient, reference: LetterReference): Promise<FoundLetter> {
  if ('id' in reference) {
    const { log, ...found } = await api.get<Omit<FoundLetter, 'place'> & { log: Place }>(
      `/v1/audit/dead-letters/${encodeURIComponent(reference.id)}`,
    );
    return { ...found, place: log };
  }
  const { partition, offset } = reference;
  const found = await api.get<Omit<FoundLetter, 'place'>>(`/v1/dead-letters/${partition}/${offset}`);
  return { ...found, place: reference };
}
