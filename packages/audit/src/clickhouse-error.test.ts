import { expect, test } from 'vitest';
import { mustBeWhole } from './clickhouse-error.ts';

const told = (rows: number) => `{"read_rows":"9","result_rows":"${rows}","memory_usage":"4196913"}`;

test('rejects an answer with fewer rows than the server announced', () => {
  expect(() => mustBeWhole(0, told(1))).toThrow(
    expect.objectContaining({
      code: 'AUDIT_UNAVAILABLE',
      retryable: true,
      message: 'ClickHouse sent 0 of the 1 rows of an answer.',
    }),
  );
});

test.each([
  ['all of them', told(2)],
  ['fewer rows, as some statements do', told(0)],
  ['nothing', undefined],
  ['something unreadable', 'rows'],
])('accepts the rows of an answer if the server announces %s', (_, summary) => {
  expect(() => mustBeWhole(2, summary)).not.toThrow();
});
