import type { AuditClient } from '@mandate/audit';

/** An audit whose only method is `query`, with answers that the test gives. */
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
