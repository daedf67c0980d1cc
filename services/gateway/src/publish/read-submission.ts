/** The body of a publishing request: one record or a list, read by the strict reader before anything is made of it. */
import { HttpProblem } from '@mandate/runtime';
import { type Fault, type Json, readSome } from '@mandate/schemas';
import type { z } from 'zod';

export const MAX_RECORDS = 500;
/** At most so many faults of a list are listed; the first ones are what one mends. */
const LISTED = 20;

export type Submission<T> = { many: boolean; items: readonly T[] };

/** The schemas of one kind of record: as it stands on the log, and what is inside of it, bare. */
export type SubmissionSchemas<T> = { record: z.ZodType<T>; bare: z.ZodType<T> };

/** Throws a 400 with a fault for each bad record of a list, when there is any: nothing is published then. */
export function readSubmission<T>(
  body: Buffer,
  schemas: SubmissionSchemas<T>,
  code: 'INVALID_ACTION' | 'INVALID_OUTCOME',
): Submission<T> {
  const some = readSome(body, (json) => (isRecord(json) ? schemas.record : schemas.bare), body.length);
  if (!some.many) {
    if (some.read.ok) return { many: false, items: [some.read.value] };
    throw badRecord(code, some.read.fault);
  }
  if (!some.read.ok) throw badRecord(code, some.read.fault);
  const reads = some.read.value;
  if (reads.length === 0 || reads.length > MAX_RECORDS) throw wrongCount(code, reads.length);
  const items = reads.flatMap((read) => (read.ok ? [read.value] : []));
  if (items.length === reads.length) return { many: true, items };
  const faults = reads.flatMap((read, index) => (read.ok ? [] : [{ index, ...read.fault }]));
  throw badRecords(code, faults, reads.length);
}

function isRecord(json: Json): boolean {
  return json !== null && typeof json === 'object' && 'event' in json;
}

/** `code` of the problem is of the route; the fault's own is of the record on the log. */
export function badRecord(code: string, { reason, remedy, pointer, line, column }: Fault): HttpProblem {
  return new HttpProblem(400, code, `line ${line}, column ${column}: ${reason}`, {
    remedy: `Nothing was published: ${remedy}.`,
    extension: { errors: [{ pointer, line, column, detail: reason, remedy }] },
  });
}

export function badRecords(
  code: string,
  faults: readonly (Fault & { index: number })[],
  count: number,
): HttpProblem {
  const errors = faults.slice(0, LISTED).map(({ index, pointer, line, column, reason, remedy }) => ({
    index,
    pointer,
    line,
    column,
    detail: reason,
    remedy,
  }));
  return new HttpProblem(400, code, `${faults.length} of ${count} records cannot be read`, {
    remedy: 'Nothing was published. Correct what stands under errors and send the list again.',
    extension: { errors, errorCount: faults.length },
  });
}

function wrongCount(code: string, count: number): HttpProblem {
  return new HttpProblem(400, code, `a list holds 1 to ${MAX_RECORDS} records, not ${count}`, {
    remedy: 'Nothing was published. Send several lists.',
  });
}
