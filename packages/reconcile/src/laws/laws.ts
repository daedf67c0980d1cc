/**
 * Checks the laws of docs/semantics.md that a plane keeps: one decision, limits, outcomes, the kill switch and
 * epochs. One pass over the log checks them. Laws that compare log, audit and the deciders' positions are checked
 * after everything was read.
 *
 * Deliveries of all tenants are checked, because an offset names no tenant. Everything else is checked only for the
 * given tenants.
 */
import { type ControlEvent, idOfChange } from '@mandate/audit';
import type { Bus, GroupPosition, LogRecord } from '@mandate/bus';
import { applyRecord, foldControl } from '@mandate/control';
import type { Reconciliation } from '@mandate/ledger';
import {
  type ControlRecord,
  type DeadLettersRecord,
  type DecisionsRecord,
  type Settlement,
  standsForAction,
  TOPICS,
} from '@mandate/schemas';
import { createAnswers } from './answers.ts';
import { AUDITED, type Audited, type AuditRow, createAuditRows } from './audit-rows.ts';
import { createInOrder } from './in-order.ts';
import { createKill } from './kill.ts';
import { Findings, type LawReport, positionName } from './law.ts';
import { createLimits } from './limits.ts';
import { createMemory } from './memory.ts';
import { checkOffsets, createLetters, type Requests } from './offsets.ts';
import { oneDecision } from './one-decision.ts';
import { checkOutcome } from './outcomes.ts';
import { type Read, readInEpochs } from './read-record.ts';
import { namesOf, readSteps, type Step } from './step.ts';
import { createStoredDecisions } from './stored-decisions.ts';
import { createTerms } from './terms.ts';
import { createTurns } from './turns.ts';

/** Yields all rows of a table of the audit, page after page, by id. */
export type AskRows = (tenant: string, table: Audited) => AsyncIterable<AuditRow>;

/**
 * @param partitions the number of partitions of the decisions topic
 * @param isKept whether the audit keeps the month of a record
 */
export function createLaws(asked: {
  tenants: readonly string[];
  partitions: number;
  isKept(record: DecisionsRecord | ControlEvent): boolean;
}) {
  const tenants = new Set(asked.tenants);
  const found = {
    oneDecision: new Findings('one-decision'),
    rows: new Findings('audit-rows'),
    charges: new Findings('charges'),
    limits: new Findings('limits'),
    outcomes: new Findings('outcomes'),
    kill: new Findings('kill'),
    offsets: new Findings('offsets'),
    voids: new Findings('void'),
  };
  const read = readInEpochs();
  const stepsOf = readSteps();
  const memory = createMemory();
  const answers = createAnswers(found.oneDecision, memory);
  const letters = createLetters();
  const rows = createAuditRows(found);
  const kill = createKill(found.kill);
  const stored = createStoredDecisions(memory);
  const limits = createLimits(found.limits);
  const turns = createTurns(found.limits, memory);
  const terms = createTerms();
  const control = foldControl();
  let changesRead = 0;
  const inOrder = createInOrder(asked.partitions, onStep, (step) => {
    const ids = step.did === 'decide' ? namesOf(step.decision) : { tenant: step.tenant };
    const what = `the sequence ${step.sequence} is that of another step`;
    found.oneDecision.broken(() => ({ at: step.at, ids, what }));
  });

  function onStep(step: Step, isWhole: boolean): void {
    if (step.did === 'decide') {
      const { decision } = step;
      limits.decided(step, decision, isWhole);
      turns.decided(step, decision, isWhole);
      if (!standsForAction(decision.kind)) return;
      oneDecision(found.oneDecision, step, decision, stored.of(decision));
      stored.put(decision, step);
      const early = stored.takeEarly(decision);
      if (early !== undefined) settle(step, early, false);
    } else if (step.did === 'settle') {
      const { settlement } = step;
      const known = stored.of(settlement);
      checkOutcome(found.outcomes, step, settlement, { known, terms, isWhole });
      settle(step, settlement, isWhole);
    } else if (step.did === 'adjust') {
      limits.adjusted(step.adjustment);
      terms.adjusted(step.adjustment);
    }
  }

  function settle(step: Step, settlement: Settlement, isWhole: boolean): void {
    const known = stored.of(settlement);
    limits.settled(step, settlement, { known, isWhole });
    if (settlement.kind !== 'settled') return;
    terms.settled(settlement);
    if (known === undefined) stored.putEarly(settlement);
    else known.isSettled = true;
  }

  /** True for the first record of an answer. Also true for records that are no answers. */
  function isFirst(one: Read): boolean {
    const told = answerIn(one.record);
    if (told === null) return true;
    if (one.isOvertaken) {
      if (tenants.has(told.tenant)) rows.isVoid(told.tenant, told.table, told.answer.id);
      return false;
    }
    if (tenants.has(told.tenant) && asked.isKept(one.record)) {
      rows.stands(told.tenant, told.table, told.answer.id, positionName(one.log.position));
    }
    return answers.takes(one, told.answer);
  }

  return {
    /** Checks a record of the decisions topic. The records of each partition must come in their order. */
    takes(record: DecisionsRecord, log: Pick<LogRecord, 'position' | 'appendedAtMs'>): void {
      memory.takes(record);
      const one = read(record, log);
      const first = isFirst(one);
      const told = answerIn(record);
      if (told === null || tenants.has(told.tenant)) kill.takes(one, first);
      const steps = stepsOf(one).filter(({ tenant }) => tenants.has(tenant));
      // A repeated answer has no sequence number of its own.
      inOrder.takes(one, first || one.isOvertaken ? steps : []);
    },
    /** Checks a record of the control topic. Records must come in their order. */
    takesChange(record: ControlRecord, { position }: Pick<LogRecord, 'position'>): void {
      const { tenant } = record.change;
      changesRead = position.offset + 1;
      const outcome = applyRecord(control, record, changesRead);
      if (!tenants.has(tenant) || !asked.isKept({ ...record, outcome })) return;
      const id = idOfChange(changesRead);
      if (outcome.isRepeat) rows.isVoid(tenant, 'changes', id);
      else rows.stands(tenant, 'changes', id, positionName(position));
    },
    takesLetter(record: DeadLettersRecord): void {
      if (record.event === 'dead.letter') letters.takes(record.deadLetter);
    },
    /** Ends the checks of the log. Call it after the decisions and the dead letters were read. */
    end(): void {
      inOrder.end();
      kill.end(TOPICS.decisions);
    },
    checkOffsets: (bus: Bus, committed: readonly GroupPosition[]): Promise<Requests> =>
      checkOffsets(bus, committed, { answers, letters, findings: found.offsets }),
    /** @param positions the last offset of the decisions topic that was read, by partition */
    async checkRows(
      ask: AskRows,
      positions: ReadonlyMap<number, number>,
      keptFrom: (tenant: string) => number | null,
    ): Promise<void> {
      const isDecisionRead = ({ logPartition, logOffset }: AuditRow) =>
        logOffset <= (positions.get(logPartition) ?? -1);
      const isChangeRead = ({ logOffset }: AuditRow) => logOffset < changesRead;
      for (const tenant of tenants) {
        for (const table of AUDITED) {
          const isRead = table === 'changes' ? isChangeRead : isDecisionRead;
          const all = { rows: ask(tenant, table), retentionStartMs: keptFrom(tenant), isRead };
          await rows.compare(tenant, table, all);
        }
      }
    },
    checkCharges({ counters, differences }: Reconciliation): void {
      found.charges.checked(counters);
      for (const { tenant, budget, log, ledger, audit } of differences) {
        const ids = { tenant, scope: budget.scope, subject: budget.subject, budget: budget.id };
        const unit = budget.unit ?? 'micro-dollars';
        const what = `log ${log}, ledger ${ledger}, audit ${audit ?? 'not asked'} ${unit}`;
        found.charges.broken(() => ({ at: null, ids, what }));
      }
    },
    report: (): LawReport[] => Object.values(found).map((findings) => findings.report()),
  };
}

function answerIn(record: DecisionsRecord) {
  if (record.event === 'action.decided') {
    const { decision: answer } = record;
    return { table: 'decisions' as const, tenant: answer.tenant, answer };
  }
  if (record.event !== 'action.settled') return null;
  const { settlement: answer } = record;
  return { table: 'settlements' as const, tenant: answer.tenant, answer };
}
