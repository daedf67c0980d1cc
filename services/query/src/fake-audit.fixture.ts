import type { AuditClient } from '@mandate/audit';

/** Returns an audit for tests. Only its method `query` gives answers, which the test provides. */
export function fakeAudit(query: AuditClient['query']): AuditClient {
  const nothing = async () => {};
  return {
    query,
    file: () => Promise.reject(new Error('no file')),
    insert: nothing,
    command: nothing,
    ping: nothing,
    close: nothing,
  };
}
