/**
 * The identity of the tables. Tables that were dropped and created again have a new identity, and lack all earlier
 * records. So a recorder of the old tables must not continue. It checks the identity after each insert, before the
 * commit, and also from time to time. If the identity has changed, the recorder ends. After a restart it fills the
 * new tables from the start of the log.
 */
import { type AuditClient, ask, identity } from '@mandate/audit';
import { MandateError } from '@mandate/runtime';

/** Returns the identity of the tables. */
export async function tablesIdentity(audit: AuditClient): Promise<string> {
  const [tables] = await ask(audit, identity, {});
  if (tables === undefined) throw new TypeError('the audit has no identity: run its migrations first');
  return tables.id;
}

/**
 * @throws MandateError AUDIT_TABLES_REPLACED if the tables have another identity. Also throws any error of
 * `AuditClient.query`
 */
export async function assertTablesUnchanged(id: string, audit: AuditClient): Promise<void> {
  const [tables] = await ask(audit, identity, {});
  if (tables?.id === id) return;
  throw new MandateError(
    'AUDIT_TABLES_REPLACED',
    `The audit tables were created again while the recorder ran: they were ${id}, now they are ${tables?.id ?? 'nameless'}.`,
    {
      remedy: 'Start the recorder again: it fills the new tables from the start of the log.',
    },
  );
}
