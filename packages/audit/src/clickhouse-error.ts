/**
 * Translates errors of ClickHouse into errors of Mandate. The error says either that a row was refused, or what an
 * operator can do while the recorder waits.
 */
import { MandateError, tlsRemedy } from '@mandate/runtime';

/**
 * The codes of ClickHouse for a row that cannot be stored, from its list of error codes (src/Common/ErrorCodes.cpp).
 * Every other code (memory, disk, too many parts, a missing table, a lost connection) is a fault of the server, and
 * no row may be quarantined for it.
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

type Condition = {
  code: 'AUDIT_UNAVAILABLE' | 'AUDIT_ACCESS_DENIED' | 'AUDIT_DATABASE_MISSING';
  remedy: string;
};

const AWAY: Condition = {
  code: 'AUDIT_UNAVAILABLE',
  remedy:
    'Check that ClickHouse runs, has free disk space and memory, and accepts the client certificate (MANDATE_CLICKHOUSE_TLS_CERT_PATH). Waiting records are stored when ClickHouse answers again.',
};
const DENIED: Condition = {
  code: 'AUDIT_ACCESS_DENIED',
  remedy:
    'Check the user, the password and the rights of the user: infra/clickhouse/users.d/mandate.xml lists the rights of each user. Waiting records are stored when ClickHouse accepts the user.',
};

const ill = (remedy: string): Condition => ({ code: 'AUDIT_UNAVAILABLE', remedy });

/** Errors of a server that have their own advice for operators. Each passes by itself or after an operator acts. */
const CONDITIONS: ReadonlyMap<string, Condition> = new Map([
  ['164', DENIED], // READONLY
  ['192', DENIED], // UNKNOWN_USER
  ['193', DENIED], // WRONG_PASSWORD
  ['194', DENIED], // REQUIRED_PASSWORD
  ['195', DENIED], // IP_ADDRESS_NOT_ALLOWED
  ['497', DENIED], // ACCESS_DENIED
  ['516', DENIED], // AUTHENTICATION_FAILED
  [
    '81', // UNKNOWN_DATABASE
    {
      code: 'AUDIT_DATABASE_MISSING',
      remedy:
        'Run `mandate migrate` as a user who may create the database, or name the right database in MANDATE_CLICKHOUSE_DATABASE.',
    },
  ],
  ['60', ill('A table is missing: run `mandate migrate`.')], // UNKNOWN_TABLE
  [
    '159',
    ill('Ask for a shorter period, or find the queries that keep ClickHouse busy in system.processes.'),
  ], // TIMEOUT_EXCEEDED
  ['202', ill('ClickHouse has too many queries at once: see max_concurrent_queries.')], // TOO_MANY_SIMULTANEOUS_QUERIES
  [
    '241',
    ill('ClickHouse lacks memory: see max_server_memory_usage, and the running queries in system.processes.'),
  ], // MEMORY_LIMIT_EXCEEDED
  ['242', ill('The table is read-only: has its server lost its Keeper, or its disk?')], // TABLE_IS_READ_ONLY
  ['243', ill('The disk of ClickHouse is full.')], // NOT_ENOUGH_SPACE
  [
    '252', // TOO_MANY_PARTS
    ill(
      'Merges are slower than inserts: look at system.merges, let the recorder collect larger batches, and give ClickHouse a faster disk.',
    ),
  ],
]);

/**
 * The error code of ClickHouse, from either driver. `instanceof` does not work for errors of chdb, because chdb has a
 * copy of the error class.
 */
function clickhouseCode(error: unknown): string | null {
  if (!(error instanceof Error) || !('code' in error)) return null;
  return typeof error.code === 'string' && /^\d+$/.test(error.code) ? error.code : null;
}

/** Returns the error for a failed statement, unless a row of an insert is at fault. The error is always retryable. */
export function failed(doing: string, cause: unknown): MandateError {
  const found = CONDITIONS.get(clickhouseCode(cause) ?? '') ?? AWAY;
  const { code, remedy } = { ...found, remedy: tlsRemedy('CLICKHOUSE', cause) ?? found.remedy };
  return new MandateError(code, `ClickHouse could not ${doing}: ${said(cause)}`, {
    remedy,
    retryable: true,
    cause,
  });
}

/**
 * Throws if an answer has fewer rows than the server announced.
 *
 * @param summary the header in which a server announces its rows. The embedded ClickHouse and some proxies send none
 */
export function mustBeWhole(rows: number, summary: string | string[] | undefined): void {
  const told = Number(/"result_rows":"(\d+)"/.exec(String(summary))?.[1]);
  if (!(told > rows)) return;
  throw new MandateError('AUDIT_UNAVAILABLE', `ClickHouse sent ${rows} of the ${told} rows of an answer.`, {
    remedy: 'ClickHouse stores a long answer on its disk first, and the disk was full. Free some disk space.',
    retryable: true,
  });
}

export function insertFailed(table: string, cause: unknown): MandateError {
  const code = clickhouseCode(cause);
  if (code === null || !ROW_FAULTS.has(code)) return failed(`insert into ${table}`, cause);
  return new MandateError(
    'AUDIT_ROW_REFUSED',
    `ClickHouse refused a row for ${table} (code ${code}): ${said(cause)}`,
    {
      remedy: 'The row goes to the table quarantine with its bytes. The table names the record.',
      cause,
    },
  );
}

/** An error message quotes at most this many characters. A proxy may answer with a whole page of text. */
const MOST_CHARACTERS = 2_000;

function said(cause: unknown): string {
  return (cause instanceof Error ? cause.message : String(cause)).slice(0, MOST_CHARACTERS);
}
