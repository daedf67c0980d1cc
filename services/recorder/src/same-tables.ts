/**
 * Tables that were thrown away and made again have another identity, and lack whatever was committed for those before
 * them. So a recorder of the old ones must not go on: it asks after each insert, before anything is committed, and every
 * so often where nothing comes. It ends, and started again it records the log for the new ones from its start.
 */
import { type AuditClient, ask, identity } from '@mandate/audit';
import { MandateError } from '@mandate/runtime';

/** The identity of the tables. */
export async function tablesOf(audit: AuditClient): Promise<string> {
  const [tables] = await ask(audit, identity, {});
  if (tables === undefined) throw new TypeError('the audit has no identity: run its migrations first');
  return tables.id;
}

/** @throws MandateError AUDIT_TABLES_REPLACED when the tables are no longer those, and what `AuditClient.query` throws */
export async function mustStillBe(id: string, audit: AuditClient): Promise<void> {
  const [tables] = await ask(audit, identity, {});
  if (tables?.id === id) return;
  throw new MandateError(
    'AUDIT_TABLES_REPLACED',
    `The audit tables were made anew while the recorder ran: they were ${id}, now they are ${tables?.id ?? 'nameless'}.`,
    {
      remedy: 'Start the recorder again: it fills the new tables from the start of the log.',
    },
  );
}
