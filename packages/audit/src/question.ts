/** A question to the audit: its SQL, the schema of what it takes and the schema of each row it gives. */
import { MandateError } from '@mandate/runtime';
import { z } from 'zod';
import type { AuditClient } from './port.ts';

export type Question<Params extends z.ZodType<Asked>, Row extends z.ZodType> = {
  params: Params;
  row: Row;
  /** Only which parameters are present may shape the text; their values are bound by the driver. */
  sql(params: z.output<Params>): string;
};

/** What a question may take: a list stands for any of its values. */
export type Asked = Readonly<
  Record<string, string | number | boolean | readonly string[] | readonly number[] | undefined>
>;

/** Fixes the types of a question where it is written. */
export function question<Params extends z.ZodType<Asked>, Row extends z.ZodType>(
  asked: Question<Params, Row>,
): Question<Params, Row> {
  return asked;
}

/**
 * Asks a question. Rows come in the order that the question states. `givenUp`: as of `AuditClient.query`.
 *
 * @throws MandateError AUDIT_QUESTION_INVALID when a parameter is missing, unknown or out of range, and what
 *   `AuditClient.query` throws
 */
export async function ask<Params extends z.ZodType<Asked>, Row extends z.ZodType>(
  client: AuditClient,
  { params, row, sql }: Question<Params, Row>,
  given: z.input<Params>,
  givenUp?: AbortSignal,
): Promise<z.output<Row>[]> {
  const read = params.safeParse(given);
  if (!read.success) {
    throw new MandateError('AUDIT_QUESTION_INVALID', z.prettifyError(read.error), {
      remedy: 'Correct the named parameters and ask again.',
      cause: read.error,
    });
  }
  const bound: Record<string, string | number | boolean | readonly string[] | readonly number[]> = {};
  for (const [name, value] of Object.entries(read.data)) if (value !== undefined) bound[name] = value;
  return client.query(sql(read.data), bound, row, givenUp);
}

/** The fragments with a given parameter, each led by AND: they narrow a question down. */
export function narrowed(params: Asked, fragments: Readonly<Record<string, string>>): string {
  return Object.entries(fragments)
    .filter(([name]) => params[name] !== undefined)
    .map(([, sql]) => ` AND ${sql}`)
    .join('');
}
