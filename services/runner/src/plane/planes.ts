/**
 * The plane as the runs of a tenant use it: the SDK for their actions, and a client for other requests of the runner.
 */
import { type ApiClient, createApiClient } from '@mandate/client';
import type { Logger } from '@mandate/runtime';
import { Mandate } from '@mandate/sdk/plane';
import { planeAttempts } from '../agent-step/plane-attempts.ts';
import type { Attempts } from '../agent-step/port.ts';

export type TenantPlane = { mandate: Mandate; attempts: Attempts; client: ApiClient };

export type Planes = {
  /** Null: this runner has no key of the tenant, so it cannot perform the runs of the tenant. */
  of(tenant: string): TenantPlane | null;
  close(): Promise<void>;
};

/** How long a step may wait for the decision about its action. */
const TIMEOUT_MS = 30_000;

/** @param keyOf returns the API key for a tenant. Null: there is none */
export function planesAt(url: string, keyOf: (tenant: string) => string | null, log: Logger): Planes {
  const opened = new Map<string, TenantPlane>();
  const closing = new AbortController();
  return {
    of(tenant) {
      const known = opened.get(tenant);
      if (known !== undefined) return known;
      const key = keyOf(tenant);
      if (key === null) return null;
      const client = createApiClient({ url, key, signal: closing.signal });
      const mandate = new Mandate({
        planeUrl: url,
        apiKey: key,
        timeoutMs: TIMEOUT_MS,
        onError: (err) => log.warn({ err, tenant }, 'an outcome of a run could not be reported yet'),
      });
      const plane = { mandate, client, attempts: planeAttempts(client) };
      opened.set(tenant, plane);
      return plane;
    },
    async close() {
      closing.abort();
      await Promise.all([...opened.values()].map(({ mandate }) => mandate.close()));
    },
  };
}
