/** Raises the quotas of a plane for a bench. */
import type { Load } from './http-load.ts';

export type To = Pick<Load, 'url' | 'key'>;

/**
 * Raises the tenant's quotas very high. A bench publishes as fast as it can with one key, and kills agents that do
 * not exist. Otherwise it would reach the quotas for records and for changes.
 */
export async function limitNothing({ url, key }: To): Promise<void> {
  const most = { perSecond: 1_000_000_000 };
  const changes = { ...most, perDay: 1_000_000_000 };
  const publish = {
    records: { ...most, perDay: 1_000_000_000 },
    bytes: { ...most, perDay: 1_000_000_000_000 },
  };
  const response = await fetch(`${url}/v1/tenants/default`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json', 'x-api-key': key ?? '' },
    body: JSON.stringify({ version: 1, id: 'default', quotas: { publish, publishPerKey: publish, changes } }),
  });
  if (!response.ok) throw new Error(await response.text());
}
