/** From what ClickHouse says to what Mandate does: refuse a row, or wait and try again. */
import { MandateError } from '@mandate/runtime';

/**
 * Codes by which ClickHouse says that a row itself cannot be stored, from its list of error codes
 * (src/Common/ErrorCodes.cpp). Everything else (memory, disk, too many parts, a missing table, a lost
 * connection) is an ill server: a row must never be set aside for that.
 */
const ROW_FAULTS: ReadonlySet<string> = new Set([
  '6', // CANNOT_PARSE_TEXT
  '25', // CANNOT_PARSE_ESCAPE_SEQUENCE
  '26', // CANNOT_PARSE_QUOTED_STRING
  '27', // CANNOT_PARSE_INPUT_ASSERTION_FAILED
  '38', // CANNOT_PARSE_DATE
  '41', // CANNOT_PARSE_DATETIME
  '53', // TYPE_MISMATCH
  '69', // ARGUMENT_OUT_OF_BOUND
  '70', // CANNOT_CONVERT_TYPE
  '72', // CANNOT_PARSE_NUMBER
  '117', // INCORRECT_DATA
  '130', // CANNOT_READ_ARRAY_FROM_TEXT
  '131', // TOO_LARGE_STRING_SIZE
  '321', // VALUE_IS_OUT_OF_RANGE_OF_DATA_TYPE
  '349', // CANNOT_INSERT_NULL_IN_ORDINARY_COLUMN
  '467', // CANNOT_PARSE_BOOL
  '469', // VIOLATED_CONSTRAINT
]);

/** ClickHouse's own code, from either driver. `instanceof` will not do: chdb brings its own copy of the error class. */
function clickhouseCode(error: unknown): string | null {
  if (!(error instanceof Error) || !('code' in error)) return null;
  return typeof error.code === 'string' && /^\d+$/.test(error.code) ? error.code : null;
}

export function unavailable(doing: string, cause: unknown): MandateError {
  const said = cause instanceof Error ? cause.message : String(cause);
  return new MandateError('AUDIT_UNAVAILABLE', `ClickHouse could not ${doing}: ${said}`, {
    remedy:
      'Check that ClickHouse runs and has disk and memory left; what waits is recorded as soon as it answers.',
    retryable: true,
    cause,
  });
}

export function insertFailed(table: string, cause: unknown): MandateError {
  const code = clickhouseCode(cause);
  if (code === null || !ROW_FAULTS.has(code)) return unavailable(`insert into ${table}`, cause);
  const said = cause instanceof Error ? cause.message : String(cause);
  return new MandateError(
    'AUDIT_ROW_REFUSED',
    `ClickHouse refused a row for ${table} (code ${code}): ${said}`,
    {
      remedy: 'The row goes to the table quarantine with its bytes; see there which record it was.',
      cause,
    },
  );
}
