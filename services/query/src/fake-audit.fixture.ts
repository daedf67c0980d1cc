import type { AuditClient } from '@mandate/audit';

/** An audit that can only be asked, and answers as told. */
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
