import type { AuditClient } from '@mandate/audit';

/** Returns an audit that has only the method `query`. The test gives the answers. */
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
