/** Reads log, ledger and audit of a plane and compares them. `mandate reconcile` and the demo use this. */
import {
  type AuditClient,
  ask,
  type ControlEvent,
  changeRows,
  chargesByBudget,
  decisionRows,
  doubledActions,
  ownerIfPast,
  type RetentionStartOf,
  settlementRows,
  tenantRetentionStart,
} from '@mandate/audit';
import type { Bus, LogRecord } from '@mandate/bus';
import {
  type Balance,
  createFold,
  createMemoryLedger,
  foldRecord,
  type Ledger,
  type LedgerState,
  type Reconciliation,
  reconcile,
} from '@mandate/ledger';
import { foldOnto } from '@mandate/ledger-log';
import { MandateError, systemClock } from '@mandate/runtime';
import { type DecisionsRecord, readControlRecord, readDeadLettersRecord, TOPICS } from '@mandate/schemas';
import type { Audited, AuditRow } from './laws/audit-rows.ts';
import type { LawReport } from './laws/law.ts';
import { createLaws } from './laws/laws.ts';
import { committedPositions, type Requests } from './laws/offsets.ts';

export type Report = Reconciliation & {
  /** The number of decisions of any kind on the log. */
  decisions: number;
  settlements: number;
  /** Attempts that have more than one first decision in the audit. Must be empty. */
  doubledActions: readonly unknown[];
  /** The requests on all actions topics, of every tenant. */
  requests: Requests;
  laws: readonly LawReport[];
};

/** True if log, ledger and audit agree, and every law holds. */
export function allHolds({
  driftMicros,
  driftTokens,
  driftToolCalls,
  doubledActions,
  laws,
}: Report): boolean {
  const drifts = driftMicros !== 0 || driftTokens !== 0 || driftToolCalls !== 0;
  return !drifts && doubledActions.length === 0 && laws.every(({ broken }) => broken === 0);
}

/** The three sources. Each source is asked for one tenant after another. */
export type Sources = {
  bus: Bus;
  ledger: {
    /**
     * Returns the ledger's epoch. Every ledger announces its epoch on its log, so the epoch shows whether the log
     * belongs to the ledger.
     */
    epoch(): Promise<string>;
    balances(tenant: string): Promise<readonly Balance[]>;
  };
  audit: {
    /** Returns the start of the retention. Null if nothing was ever dropped. */
    keptFrom(tenant: string): Promise<number | null>;
    /** Returns the balances since that time. */
    balances(tenant: string, retentionStartMs: number | null): Promise<readonly Balance[]>;
    /** Yields all rows of a table, by id. */
    rows(tenant: string, table: Audited): AsyncIterable<AuditRow>;
    doubledActions(tenant: string): Promise<readonly unknown[]>;
  };
};

/**
 * Compares the sources. If they differ, asks all of them again until the differences stay the same, because records
 * that have not reached every source yet are no drift.
 *
 * @throws MandateError LOG_OF_OTHER_PLANE if the log does not belong to the ledger, because a difference between them
 * would mean nothing
 */
export async function reconcileSources(
  sources: Sources,
  tenants: readonly string[],
  onProgress?: (records: number) => void,
): Promise<Report> {
  let differed = '';
  for (let tries = 1; ; tries++) {
    const report = await compareOnce(sources, tenants, onProgress);
    if (allHolds(report) || tries === MAX_TRIES) return report;
    const differs = JSON.stringify([report.differences, report.laws.map(({ broken }) => broken)]);
    if (differs === differed) return report;
    differed = differs;
    await untilRecorderMayHaveLanded();
  }
}

const MAX_TRIES = 10;
const RECORDER_GATHERS_MS = 500;

/**
 * Waits long enough for the recorder to insert the missing records, or some of them. A difference that stays after
 * this wait is a real difference.
 */
async function untilRecorderMayHaveLanded(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, RECORDER_GATHERS_MS));
}

async function compareOnce(
  { bus, ledger, audit }: Sources,
  tenants: readonly string[],
  onProgress?: (records: number) => void,
): Promise<Report> {
  // The retention is asked before the log is read. If months are dropped while the log is read, the sources differ
  // and are asked again.
  const keptFrom = new Map<string, number | null>();
  for (const tenant of tenants) keptFrom.set(tenant, await audit.keptFrom(tenant));
  const keptFromOf = (tenant: string) => keptFrom.get(tenant) ?? null;
  const hasDropped = tenants.some((tenant) => keptFromOf(tenant) !== null);
  const onto = createFold();
  // A fold of the kept records only. It shares `unfinished` with the fold of all records, so both folds forget at the
  // same pace.
  const kept = hasDropped ? { ...createFold(), unfinished: onto.unfinished } : undefined;
  const committed = await committedPositions(bus);
  const laws = createLaws({
    tenants,
    partitions: (await bus.ranges(TOPICS.decisions)).length,
    isKept: (record) => isKept(record, keptFromOf),
  });

  const { fold, decisions, settlements } = await foldOnto(onto, bus, onProgress, (record, log) => {
    laws.takes(record, log);
    if (kept && isKept(record, keptFromOf)) foldRecord(kept, { source: log.position, record });
  });
  mustBeOfOnePlane(new Set([...fold.epochs.values()].map(({ id }) => id)), await ledger.epoch());
  const balancesIn = (state: LedgerState) => {
    const folded = createMemoryLedger({ clock: systemClock, epoch: 'reconcile', state });
    return allOf(tenants, (tenant) => folded.balances(tenant));
  };
  const compared = reconcile({
    log: await balancesIn(fold.state),
    kept: kept && (await balancesIn(kept.state)),
    ledger: await allOf(tenants, ledger.balances),
    audit: await allOf(tenants, (tenant) => audit.balances(tenant, keptFromOf(tenant))),
  });
  laws.checkCharges(compared);
  await readAll(bus, TOPICS.deadLetters, ({ value }) => laws.takesLetter(readDeadLettersRecord(value)));
  await readAll(bus, TOPICS.control, (log) => {
    // Changes are read from partition 0 only, because records of another partition change nothing.
    if (log.position.partition === 0) laws.takesChange(readControlRecord(log.value), log);
  });
  laws.end();
  const requests = await laws.checkOffsets(bus, committed);
  await laws.checkRows(audit.rows, fold.positions, keptFromOf);
  const doubled = await allOf(tenants, audit.doubledActions);
  return { ...compared, decisions, settlements, doubledActions: doubled, requests, laws: laws.report() };
}

async function readAll(bus: Bus, topic: string, take: (record: LogRecord) => void): Promise<void> {
  const reader = await bus.read({
    topics: [topic],
    from: 'earliest',
    onRecords: (records) => {
      for (const record of records) take(record);
    },
  });
  try {
    await Promise.race([reader.caughtUp, reader.finished]);
  } finally {
    await reader.stop();
  }
}

/**
 * True if the audit keeps a record. A settlement of an older decision does not count, because its charge is not among
 * the kept records.
 */
function isKept(record: DecisionsRecord | ControlEvent, keptFrom: RetentionStartOf): boolean {
  const owner =
    record.event === 'action.decided'
      ? ownerIfPast('decisions', record.decision, keptFrom)
      : record.event === 'action.settled'
        ? ownerIfPast('settlements', record.settlement, keptFrom)
        : ownerIfPast('control_events', record, keptFrom);
  return owner === null;
}

function mustBeOfOnePlane(onLog: ReadonlySet<string>, inForce: string): void {
  if (onLog.size === 1 && onLog.has(inForce)) return;
  const epochs = onLog.size === 0 ? 'knows no ledger epoch' : `ends in ledger epoch ${[...onLog].join(', ')}`;
  throw new MandateError(
    'LOG_OF_OTHER_PLANE',
    `this log is not that of the plane: it ${epochs}, and the plane decides in ${inForce}`,
    {
      remedy:
        'Name the data folder of that very plane with --data, or the plane of that folder with --url. If it was restarted just now, try again.',
    },
  );
}

async function allOf<T>(
  tenants: readonly string[],
  ask: (tenant: string) => Promise<readonly T[]>,
): Promise<T[]> {
  return (await Promise.all(tenants.map(ask))).flat();
}

export function ledgerSource(ledger: Ledger): Sources['ledger'] {
  return { epoch: async () => ledger.epoch, balances: (tenant) => ledger.balances(tenant) };
}

export function auditSource(audit: AuditClient): Sources['audit'] {
  return {
    keptFrom: (tenant) => tenantRetentionStart(audit, tenant),
    balances: async (tenant, retentionStartMs) =>
      lifetimeBalances(
        tenant,
        await budgetSums(audit, { tenant, retentionStartMs: retentionStartMs ?? undefined }),
      ),
    rows: (tenant, table) => rowsRecorded(audit, tenant, table),
    doubledActions: (tenant) => ask(audit, doubledActions, { tenant }),
  };
}

const ROWS = { decisions: decisionRows, settlements: settlementRows, changes: changeRows };

async function* rowsRecorded(audit: AuditClient, tenant: string, table: Audited): AsyncGenerator<AuditRow> {
  for (let after: string | undefined; ; ) {
    const page = await ask(audit, ROWS[table], { tenant, after, limit: PAGE });
    yield* page;
    after = page.at(-1)?.id;
    if (after === undefined) return;
  }
}

/** The maximum number of rows that one page of an answer may contain. */
const PAGE = 10_000;

/** Reads all sums, page after page. */
async function budgetSums(
  audit: AuditClient,
  asked: { tenant: string; retentionStartMs: number | undefined },
): Promise<BudgetSum[]> {
  const sums: BudgetSum[] = [];
  for (let last: BudgetSum | undefined; ; ) {
    const page = await ask(audit, chargesByBudget, {
      ...asked,
      afterScope: last?.scope,
      afterSubject: last?.subject,
      afterBudgetId: last?.budgetId,
      afterWindowMs: last === undefined ? undefined : (last.windowMs ?? 0),
      limit: PAGE,
    });
    sums.push(...page);
    last = page.at(-1);
    if (page.length < PAGE) return sums;
  }
}

type BudgetSum = Pick<Balance['budget'], 'scope' | 'subject' | 'windowMs'> & {
  budgetId: string;
  spentMicros: number;
};

/**
 * Returns the lifetime balances. Windows are not compared: a window's sum in the audit includes charges that have
 * left the window, and the ledger's sum does not.
 */
export function lifetimeBalances(tenant: string, rows: readonly BudgetSum[]): Balance[] {
  return rows
    .filter(({ windowMs }) => windowMs === null)
    .map(({ scope, subject, budgetId, windowMs, spentMicros }) => ({
      tenant,
      budget: { scope, subject, id: budgetId, windowMs },
      spent: spentMicros,
    }));
}
