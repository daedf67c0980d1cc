/** How the promises of the query service ask: the service with a history, and keys of several tenants. */
import type { AuditClient } from '@mandate/audit';
import type { ActionDecided } from '@mandate/schemas';
import type { issueApiKey } from '@mandate/server';

type Issued = ReturnType<typeof issueApiKey>;

export type Scene = {
  /** `key`: by default that of the auditor. */
  get(
    path: string,
    query?: Record<string, string | string[]>,
    key?: Issued,
    // biome-ignore lint/suspicious/noExplicitAny: the tests check its shape
  ): Promise<{ status: number; body: any }>;
  /** Every page of a list, in the order of the answers. */
  pages(
    path: string,
    list: string,
    query: Record<string, string>,
    between?: () => Promise<void>,
    key?: Issued,
  ): Promise<{ id: string; agentId: string }[]>;
  /** Puts decisions on record that are not on the log. */
  record(decisions: readonly ActionDecided[]): Promise<void>;
  audit(): AuditClient;
  /** The client that the service asks with. */
  reader(): AuditClient;
  keys: {
    /** A key of the tenant "acme", which the history belongs to. */
    auditor: Issued;
    /** A key of the same tenant; may reach beyond it. */
    operator: Issued;
    publisher: Issued;
    /** A key of the tenant "globex". */
    stranger: Issued;
    /** A key of the tenant "hooli". */
    spender: Issued;
    /** A key of the tenant "soylent", which has nothing on record. */
    watcher: Issued;
  };
};
