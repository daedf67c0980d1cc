/**
 * The service and the keys that tests of the query service need: a service with a history, and keys of several
 * tenants.
 */
import type { AuditClient } from '@mandate/audit';
import type { ActionDecided } from '@mandate/schemas';
import type { issueApiKey } from '@mandate/server';

type Issued = ReturnType<typeof issueApiKey>;

export type Scene = {
  /** Sends a request. `key` is the auditor's key by default. */
  get(
    path: string,
    query?: Record<string, string | string[]>,
    key?: Issued,
    // biome-ignore lint/suspicious/noExplicitAny: the tests check its shape
  ): Promise<{ status: number; body: any }>;
  /** Returns every page of a list, in the order of the answers. */
  pages(
    path: string,
    list: string,
    query: Record<string, string>,
    between?: () => Promise<void>,
    key?: Issued,
  ): Promise<{ id: string; agentId: string }[]>;
  /** Records decisions in the audit that are not on the log. */
  record(decisions: readonly ActionDecided[]): Promise<void>;
  audit(): AuditClient;
  /** Returns the database client that the service uses. */
  reader(): AuditClient;
  keys: {
    /** A key of the tenant "acme", which has the history. */
    auditor: Issued;
    /** A key of the tenant "acme", with the scope operate:all. */
    operator: Issued;
    publisher: Issued;
    /** A key of the tenant "globex". */
    stranger: Issued;
    /** A key of the tenant "hooli", with the scope operate. */
    spender: Issued;
    /** A key of the tenant "soylent", which has nothing on record. */
    watcher: Issued;
  };
};
