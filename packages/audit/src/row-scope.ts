/**
 * A question may see the rows of one tenant only. The SQL of every question filters by its tenant. A header repeats
 * the tenant, and the row policies of the query user (infra/clickhouse/users.d/mandate.xml) compare rows with the
 * header. So a faulty question, or SQL that an attacker injected, still sees only that tenant.
 *
 * The tenant is a header and not a setting, because a subquery can change settings in its own SETTINGS clause.
 */
import type { BoundParams } from './port.ts';

/** The name that means all tenants or all topics. No real tenant or topic has this name. */
const ALL = '*';

/**
 * Returns the headers for a question. Dead letters belong to a topic. A question without tenant and topic sees all
 * dead letters, and no rows of a tenant.
 */
export function rowScope({ tenant, sourceTopic }: BoundParams): Record<string, string> {
  const topic = sourceTopic ?? (tenant === undefined ? ALL : '');
  return { 'X-Mandate-Tenant': String(tenant ?? ''), 'X-Mandate-Topic': String(topic) };
}
