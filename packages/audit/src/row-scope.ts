/**
 * The one tenant that a question may see rows of. The SQL of every question narrows to its tenant; beside the SQL goes a
 * header that says so once more, and the row policies of the query user (infra/clickhouse/users.d/mandate.xml) compare
 * rows with it. So a fault in a question, or SQL that an attacker smuggled into one, still sees that tenant alone.
 *
 * A header and no setting, because a subquery may have a SETTINGS clause of its own, whatever the statement forbids.
 */
import type { BoundParams } from './port.ts';

/** No tenant and no topic has this name. */
const ALL = '*';

/** Dead letters belong to a topic. Who asks for neither a tenant nor a topic sees all of those, and no tenant's rows. */
export function rowScope({ tenant, sourceTopic }: BoundParams): Record<string, string> {
  const topic = sourceTopic ?? (tenant === undefined ? ALL : '');
  return { 'X-Mandate-Tenant': String(tenant ?? ''), 'X-Mandate-Topic': String(topic) };
}
