/**
 * The tables that contain rows of a tenant: the owner of each row, and the time that retention compares. All code of
 * retention uses this list, for dropping rows, recording and reconciliation.
 */
import {
  type AuditRead,
  type DeadLetter,
  type Decision,
  type Republication,
  type SdkRecord,
  type Settlement,
  TOPICS,
  tenantOfTopic,
} from '@mandate/schemas';
import type { KeptBuild } from '../rows/context-build-row.ts';
import { type ControlEvent, toldBy } from '../rows/control-event-row.ts';

/** The owner of a record, and its time in RFC 3339. */
type Owned = { owner: string; at: string };

type TenantTable<R> = {
  /** SQL for the owner of a row: a tenant, or one of the two names below. */
  owner: string;
  /** The column with the time of the row. If the table has partitions, the partition is the month of this time. */
  at: string;
  hasPartitions: boolean;
  of(record: R): Owned;
};

/**
 * The owner of rows that name no tenant but may belong to any tenant. The default of the retention document applies
 * to these rows.
 */
export const ANYBODY = '*';
/** The owner of rows that concern every tenant: ledger epochs and kills of everything. They are never dropped. */
export const EVERYBODY = '';

const ownTopic = TOPICS.actions.length + 2;
const ofTopic = (otherwise: string) =>
  `if(startsWith(source_topic, '${TOPICS.actions}.'), substring(source_topic, ${ownTopic}), ${otherwise})`;

export const TENANT_TABLES = {
  decisions: {
    owner: 'tenant',
    at: 'appended_at',
    hasPartitions: true,
    of: ({ tenant, appendedAt }) => ({ owner: tenant, at: appendedAt }),
  } satisfies TenantTable<Decision>,
  settlements: {
    owner: 'tenant',
    at: 'settled_at',
    hasPartitions: true,
    of: ({ tenant, settledAt }) => ({ owner: tenant, at: settledAt }),
  } satisfies TenantTable<Settlement>,
  control_events: {
    owner: 'tenant',
    at: 'happened_at',
    hasPartitions: false,
    of(record) {
      const { tenant, happened_at: at } = toldBy(record);
      return { owner: tenant, at };
    },
  } satisfies TenantTable<ControlEvent>,
  dead_letters: {
    owner: ofTopic(`'${ANYBODY}'`),
    at: 'appended_at',
    hasPartitions: true,
    of: ({ source, appendedAt }) => ({ owner: tenantOfTopic(source.topic) ?? ANYBODY, at: appendedAt }),
  } satisfies TenantTable<DeadLetter['deadLetter']>,
  republications: {
    owner: ofTopic(`if(tenant = '', '${ANYBODY}', tenant)`),
    at: 'happened_at',
    hasPartitions: false,
    of: ({ source, tenant, at }) => ({ owner: tenantOfTopic(source.topic) ?? tenant ?? ANYBODY, at }),
  } satisfies TenantTable<Republication>,
  audit_reads: {
    owner: `if(tenant = '', '${ANYBODY}', tenant)`,
    at: 'read_at',
    hasPartitions: true,
    of: ({ tenant, at }) => ({ owner: tenant ?? ANYBODY, at }),
  } satisfies TenantTable<AuditRead>,
  sdk_records: {
    owner: 'tenant',
    at: 'happened_at',
    hasPartitions: true,
    of: (record) =>
      record.event === 'sdk.decided'
        ? { owner: record.decision.tenant, at: record.decision.decidedAt }
        : { owner: record.settlement.tenant, at: record.settlement.settledAt },
  } satisfies TenantTable<SdkRecord>,
  context_builds: {
    owner: 'tenant',
    at: 'built_at',
    hasPartitions: true,
    of: ({ build }) => ({ owner: build.tenant, at: build.builtAt }),
  } satisfies TenantTable<KeptBuild>,
} as const;

export type TenantTableName = keyof typeof TENANT_TABLES;
export const TENANT_TABLE_NAMES = Object.keys(TENANT_TABLES) as TenantTableName[];

/** The type of the records that become rows of this table. */
export type RecordOf<Table extends TenantTableName> = Parameters<(typeof TENANT_TABLES)[Table]['of']>[0];

/** The tables from which retention drops nothing, with the reason. */
export const OTHER_TABLES: Readonly<Record<string, string>> = {
  quarantine: 'holds bytes in which no tenant could be read; to be empty, and watched',
  rollup_marks: 'says that an hour of a tenant was touched, and nothing of by what',
  rollup_sums: 'follows the rows that it sums up',
  rollups: 'the same, of earlier versions',
  kept_from: 'says what was dropped',
  identity: 'of the tables themselves',
};

/** Returns the time from which the owner's rows are kept, or null if all of them are kept. */
export type RetentionStartOf = (owner: string) => number | null;

/** Returns the owner of a past record, so that the recorder can skip the record. Null if the record is not past. */
export function ownerIfPast<Table extends TenantTableName>(
  table: Table,
  record: RecordOf<Table>,
  keptFrom: RetentionStartOf,
): string | null {
  // Each function accepts the records of one table only. TypeScript cannot infer this from the union type.
  const of = TENANT_TABLES[table].of as (record: RecordOf<Table>) => Owned;
  const { owner, at } = of(record);
  if (owner === EVERYBODY) return null;
  const fromMs = keptFrom(owner);
  // A record with an invalid time does not count as past. It goes to quarantine.
  return fromMs !== null && Date.parse(at) < fromMs ? owner : null;
}
