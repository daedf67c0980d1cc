/** A question to the audit: its SQL, the schema of its parameters, and the schema of each row of its answer. */
import { MandateError } from '@mandate/runtime';
import { z } from 'zod';
import type { AuditClient } from './port.ts';

export type Question<Params extends z.ZodType<Asked>, Row extends z.ZodType> = {
  params: Params;
  row: Row;
  /**
   * Returns the SQL. The text may depend on which parameters are present, but never on their values. The driver binds
   * the values.
   */
  sql(params: z.output<Params>): string;
};

/** The parameters of a question. A list parameter matches any of its values. */
export type Asked = Readonly<
  Record<string, string | number | boolean | readonly string[] | readonly number[] | undefined>
>;

/** Returns the question unchanged. TypeScript infers its types from the argument. */
export function question<Params extends z.ZodType<Asked>, Row extends z.ZodType>(
  asked: Question<Params, Row>,
): Question<Params, Row> {
  return asked;
}

/**
 * Asks a question. The order of the rows is documented at the question. `givenUp`: as in `AuditClient.query`.
 *
 * @throws MandateError AUDIT_QUESTION_INVALID if a parameter is missing, unknown or out of range, and the errors of
 *   `AuditClient.query`
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

/** Returns the SQL fragments of the given parameters, each after AND. */
export function narrowed(params: Asked, fragments: Readonly<Record<string, string>>): string {
  return Object.entries(fragments)
    .filter(([name]) => params[name] !== undefined)
    .map(([, sql]) => ` AND ${sql}`)
    .join('');
}
