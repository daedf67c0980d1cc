/**
 * Checks that the audit returns one row for each valid decision and settlement on the log, and for each change of
 * agents, keys, policies, rules and grants, and no other rows. The audit must return no row for a record that a newer
 * epoch made void, or for a repeated change. Months that the audit dropped are left out.
 */
import type { Breach, Findings } from './law.ts';

export const AUDITED = ['decisions', 'settlements', 'changes'] as const;
export type Audited = (typeof AUDITED)[number];

/** A row of the audit. */
export type AuditRow = {
  id: string;
  /** True if the row is marked as void. Then no answer of the audit contains it. */
  void: boolean;
  atMs: number;
  logPartition: number;
  logOffset: number;
};

export function createAuditRows(findings: { rows: Findings; voids: Findings }) {
  const tables = new Map<string, { stand: Map<string, string>; voids: Set<string> }>();
  const tableOf = (tenant: string, table: Audited) => {
    const name = `${tenant} ${table}`;
    const known = tables.get(name);
    if (known !== undefined) return known;
    const none = { stand: new Map<string, string>(), voids: new Set<string>() };
    tables.set(name, none);
    return none;
  };

  return {
    stands: (tenant: string, table: Audited, id: string, at: string): void => {
      const { stand } = tableOf(tenant, table);
      if (!stand.has(id)) stand.set(id, at);
    },
    isVoid: (tenant: string, table: Audited, id: string): void => {
      tableOf(tenant, table).voids.add(id);
      findings.voids.checked();
    },
    /**
     * @param rows all rows of the audit, by id
     * @param isRead whether the part of the log with this record was read; the audit may already contain later rows
     */
    async compare(
      tenant: string,
      table: Audited,
      {
        rows,
        retentionStartMs,
        isRead,
      }: {
        rows: AsyncIterable<AuditRow>;
        retentionStartMs: number | null;
        isRead(row: AuditRow): boolean;
      },
    ): Promise<void> {
      const { stand, voids } = tableOf(tenant, table);
      const missing = new Map(stand);
      const broken = (law: Findings, id: string, at: string | null, what: string) =>
        law.broken((): Breach => ({ at, ids: { tenant, table, id }, what }));
      for await (const row of rows) {
        const { id } = row;
        if (row.void || !isRead(row) || row.atMs < (retentionStartMs ?? 0)) continue;
        findings.rows.checked();
        if (missing.delete(id)) continue;
        const at = stand.get(id) ?? null;
        if (at !== null) broken(findings.rows, id, at, 'the audit answers with it twice');
        else if (voids.has(id)) broken(findings.voids, id, null, 'it is void, and the audit answers with it');
        else broken(findings.rows, id, null, 'the audit answers with it, and it is not on the log');
      }
      for (const [id, at] of missing) broken(findings.rows, id, at, 'the audit does not have it');
    },
  };
}
