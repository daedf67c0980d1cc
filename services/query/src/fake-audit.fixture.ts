import type { AuditClient } from '@mandate/audit';

/** An audit with `query` as its only method. The test gives the answers. */
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
