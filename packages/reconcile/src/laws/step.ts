/**
 * Describes what the ledger did in one step. Only the values that laws need are kept, because many steps may be in
 * memory for a while.
 */
import {
  type BudgetAdjusted,
  type BudgetLimit,
  type Check,
  COUNTER_UNITS,
  type Decision,
  type Reservation,
  type Settlement,
  type Settling,
  UNBOUND_SETTLING,
  UNIT_NAMES,
} from '@mandate/schemas';
import { z } from 'zod';
import type { Breach } from './law.ts';
import { positionName } from './law.ts';
import type { Read } from './read-record.ts';

export type Decided = Pick<
  Decision,
  | 'id'
  | 'kind'
  | 'tenant'
  | 'agentId'
  | 'actionId'
  | 'attempt'
  | 'type'
  | 'tool'
  | 'verdict'
  | 'chargedMicros'
  | 'cumulativeMicros'
  | 'digest'
  | 'grantConsumed'
> & {
  atMs: number;
  appendedAtMs: number;
  isObserved: boolean;
  mandateId: string | null;
  /** The charged budgets. Null if nothing was charged. Equal lists are the same object. */
  budgets: readonly BudgetLimit[] | null;
  /**
   * What was charged in other units, with the counters. Null if nothing was charged in them. Equal values are the same
   * object.
   */
  units: NonNullable<Reservation['units']> | null;
  /** The owner of the counters of the person. Null if no such counter was charged. */
  person: string | null;
  /** The terms by which an outcome settles the charge. Equal terms are the same object. */
  settling: Settling;
  takesSlots: boolean;
  /** True if a person has answered this very request. */
  isAnswered: boolean;
  /** True if a person has approved this very request. */
  isGranted: boolean;
  leaseExpiresAtMs: number;
  /** The turn that the ALLOW opened. Null if it opened none. */
  opensTurn: NonNullable<Reservation['opensTurn']> | null;
  /** The turn in which the ALLOW counts. Null if it counts in none. */
  turn: NonNullable<Reservation['turn']> | null;
  turnChecks: readonly Check[];
  /** The checks of limits, in their order. */
  checks: readonly Check[];
};

export type Step = { tenant: string; sequence: number; epoch: string; at: string } & (
  | { did: 'decide'; decision: Decided }
  | { did: 'settle'; settlement: Settlement }
  | { did: 'adjust'; adjustment: BudgetAdjusted['adjustment'] }
  /** A step that has a sequence number but changes nothing that is checked here. */
  | { did: 'other' }
);

const LIMIT_CHECKS: ReadonlySet<string> = new Set([
  'budget',
  ...COUNTER_UNITS.map((unit) => UNIT_NAMES[unit].check),
  'tool-rate',
  'mandate-rate',
  'open-calls',
]);

/** Returns the steps of a record. A kill of everything took one step in each tenant. */
export function readSteps(): (read: Pick<Read, 'record' | 'log'>) => Step[] {
  const budgetsOf = shared<readonly BudgetLimit[]>();
  const settlingOf = shared<Settling>();
  const unitsOf = shared<NonNullable<Reservation['units']>>();
  return ({ record, log }) => {
    const at = positionName(log.position);
    switch (record.event) {
      case 'action.decided': {
        const { decision } = record;
        const { reservation } = decision;
        const held = {
          budgets: reservation === null ? null : budgetsOf(reservation.budgets),
          units: reservation?.units === undefined ? null : unitsOf(reservation.units),
          settling: settlingOf(reservation?.settling ?? UNBOUND_SETTLING),
        };
        return [{ did: 'decide', ...numbered(decision, at), decision: slim(decision, held) }];
      }
      case 'action.settled':
        return [{ did: 'settle', ...numbered(record.settlement, at), settlement: record.settlement }];
      case 'budget.adjusted':
        return [{ did: 'adjust', ...numbered(record.adjustment, at), adjustment: record.adjustment }];
      case 'approval.recorded':
        return [{ did: 'other', ...numbered(record.approval, at) }];
      case 'agent.killed': {
        const { ledgerSequences, ledgerEpoch: epoch } = record.kill;
        return Object.entries(ledgerSequences).map(([tenant, sequence]) => ({
          did: 'other',
          tenant,
          sequence,
          epoch,
          at,
        }));
      }
      case 'agent.revived':
      case 'ledger.epoch':
        return [];
    }
  };
}

/** Returns a function that returns the same object for equal values, to save memory. */
function shared<Value>(): (value: Value) => Value {
  const values = new Map<string, Value>();
  return (value) => {
    const name = JSON.stringify(value);
    const known = values.get(name);
    if (known === undefined) values.set(name, value);
    return known ?? value;
  };
}

function numbered(
  { tenant, ledgerSequence, ledgerEpoch }: { tenant: string; ledgerSequence: number; ledgerEpoch: string },
  at: string,
) {
  return { tenant, sequence: ledgerSequence, epoch: ledgerEpoch, at };
}

function slim(decision: Decision, held: Pick<Decided, 'budgets' | 'units' | 'settling'>): Decided {
  const { id, kind, tenant, agentId, actionId, attempt, type, tool, verdict } = decision;
  const { chargedMicros, cumulativeMicros, observed, mandate, reservation, leaseExpiresAt } = decision;
  const { digest, grantConsumed, deferral } = decision;
  const rates = (reservation ?? deferral)?.rates ?? [];
  return {
    ...{ id, kind, tenant, agentId, actionId, attempt, type, tool, verdict },
    ...{ chargedMicros, cumulativeMicros },
    ...{ digest, grantConsumed },
    atMs: Date.parse(decision.decidedAt),
    appendedAtMs: Date.parse(decision.appendedAt),
    isObserved: observed !== null,
    mandateId: mandate?.id ?? null,
    ...held,
    person: rates.find(({ scope }) => scope === 'principal')?.agentId ?? null,
    takesSlots: rates.length > 0,
    isAnswered: decision.checks.some(isAnswered),
    isGranted: decision.checks.some(isGranted),
    opensTurn: reservation?.opensTurn ?? null,
    turn: reservation?.turn ?? null,
    turnChecks: decision.checks.filter(({ check }) => check === 'turn'),
    leaseExpiresAtMs: leaseExpiresAt === null ? 0 : Date.parse(leaseExpiresAt),
    checks: decision.checks.filter(({ check }) => LIMIT_CHECKS.has(check)),
  };
}

const sawGrant = z.object({ grant: z.enum(['granted', 'denied', 'expired']) });

function isAnswered({ check, evidence }: Check): boolean {
  return check === 'confirmation' && sawGrant.safeParse(evidence).success;
}

function isGranted({ check, evidence }: Check): boolean {
  return check === 'confirmation' && sawGrant.safeParse(evidence).data?.grant === 'granted';
}

/** Returns the ids that help to find a decision or settlement. */
export function namesOf({ id, tenant, agentId, actionId, attempt }: Decided | Settlement): Breach['ids'] {
  return { id, tenant, agent: agentId, action: actionId, attempt };
}
