/** Reads the body of a publishing request: one record or a list. The strict reader checks it before anything else. */

import { type Fault, type Json, type ListedFault, readSome } from '@mandate/schemas';
import { HttpProblem } from '@mandate/server';
import type { z } from 'zod';

export const MAX_RECORDS = 500;
/** The maximum number of faults that a problem lists. The first faults of the list are chosen. */
export const LISTED = 20;

export type Submission<T> = { many: boolean; items: readonly T[] };

/** The schemas of one kind of record: the whole record as on the log, and only its content. */
export type SubmissionSchemas<T> = { record: z.ZodType<T>; bare: z.ZodType<T> };

/**
 * Checks the body. If a record is bad, throws a 400 with a fault for each bad record, and nothing is published.
 * Yields after each record of a list.
 */
export function* readSubmission<T>(
  body: Buffer,
  schemas: SubmissionSchemas<T>,
  code: 'INVALID_ACTION' | 'INVALID_OUTCOME',
): Generator<void, Submission<T>> {
  const schemaOf = (json: Json) => (isRecord(json) ? schemas.record : schemas.bare);
  const some = yield* readSome(body, schemaOf, { records: MAX_RECORDS, faults: LISTED });
  if ('faults' in some) throw badRecords(code, some.faults, { wrong: some.wrong, records: some.records });
  if (!some.read.ok) throw badRecord(code, some.read.fault);
  if (!some.many) return { many: false, items: [some.read.value] };
  const items = some.read.value;
  if (items.length === 0) throw emptyList(code);
  return { many: true, items };
}

/** A bare action may have a field `event` too (memory_write), but only an action has a type. */
function isRecord(json: Json): boolean {
  return json !== null && typeof json === 'object' && 'event' in json && !('type' in json);
}

/**
 * Makes the problem for a bad record. It has the code of the route, because the code of the fault is for records on
 * the log.
 */
export function badRecord(code: string, { reason, remedy, pointer, line, column }: Fault): HttpProblem {
  return new HttpProblem(400, code, `line ${line}, column ${column}: ${reason}`, {
    remedy: `Nothing was published: ${remedy}.`,
    extension: { errors: [{ pointer, line, column, detail: reason, remedy }] },
  });
}

export function badRecords(
  code: string,
  faults: readonly ListedFault[],
  { wrong, records }: { wrong: number; records: number },
): HttpProblem {
  const errors = faults.map(({ index, pointer, line, column, reason, remedy }) => ({
    index,
    pointer,
    line,
    column,
    detail: reason,
    remedy,
  }));
  return new HttpProblem(400, code, `${wrong} of ${records} records cannot be read`, {
    remedy: 'Nothing was published. Correct the records that `errors` names, and send the list again.',
    extension: { errors, errorCount: wrong },
  });
}

function emptyList(code: string): HttpProblem {
  return new HttpProblem(400, code, 'the list is empty', {
    remedy: `Nothing was published. Send 1 to ${MAX_RECORDS} records in a list.`,
  });
}
