import type { AuditClient } from '../index.ts';

/**
 * Returns a client that runs this many statements, and then always fails. This simulates the death of its process.
 */
export function mortal(audit: AuditClient, statements: number): AuditClient {
  let left = statements;
  const live = async () => {
    left -= 1;
    if (left < 0) throw new Error('died');
  };
  return {
    ...audit,
    insert: (table, rows) => live().then(() => audit.insert(table, rows)),
    command: (sql, params) => live().then(() => audit.command(sql, params)),
    query: (sql, params, row) => live().then(() => audit.query(sql, params, row)),
  };
}
