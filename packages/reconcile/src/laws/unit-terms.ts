/**
 * Checks that a settlement keeps the terms of its decision in every unit other than money: the charge, the cap on the
 * reported amount, and the limit on what own reports give back. The check computes the terms from the log, in another
 * way than the ledger.
 */
import {
  type BudgetAdjusted,
  COUNTER_UNITS,
  type CounterUnit,
  outcomeResult,
  percentOf,
  RELEASED_BUDGET,
  type Reservation,
  type Settlement,
  toolCallsIn,
  UNIT_NAMES,
  type UnitReservation,
  type UnitSettled,
  unitsIn,
} from '@mandate/schemas';

export function createUnitTerms() {
  /** What each agent's own reports gave back, by unit and agent. */
  const released = new Map<string, number>();
  const add = (name: string, amount: number) => void released.set(name, (released.get(name) ?? 0) + amount);

  function faultIn(
    unit: CounterUnit,
    settlement: Settlement,
    settled: UnitSettled | undefined,
    reserved: UnitReservation | undefined,
  ): string | null {
    const { noun } = UNIT_NAMES[unit];
    if (settled === undefined && reserved === undefined) return null;
    if (settled === undefined || reserved === undefined)
      return `${noun} were ${reserved === undefined ? 'not ' : ''}reserved, and it settles ${settled === undefined ? 'none' : 'some'}`;
    if (reserved.reserved + settled.delta !== settled.charged)
      return `${reserved.reserved} ${noun} were reserved and ${settled.delta} moved, which is not ${settled.charged}`;
    const before = Math.max(0, released.get(nameOf(unit, settlement)) ?? 0);
    return (
      chargeFault(unit, settlement, settled, reserved) ??
      releaseFault(noun, settlement, { settled, reserved, before })
    );
  }

  return {
    /** Returns the term that a settlement breaks, or null. */
    faultOf(settlement: Settlement, reserved: Reservation['units'] | null): string | null {
      for (const unit of COUNTER_UNITS) {
        const fault = faultIn(unit, settlement, settlement.units?.[unit], reserved?.[unit]);
        if (fault !== null) return fault;
      }
      return null;
    },
    settled(settlement: Settlement): void {
      for (const [unit, settled] of unitsIn<UnitSettled>(settlement.units)) {
        if (settled.released !== 0) add(nameOf(unit, settlement), settled.released);
      }
    },
    adjusted({ tenant, budget, delta }: BudgetAdjusted['adjustment']): void {
      const { scope, subject, id, windowMs, unit } = budget;
      if (delta === undefined || unit === undefined || scope !== 'agent') return;
      if (id === RELEASED_BUDGET && windowMs === null) add(nameOf(unit, { tenant, agentId: subject }), delta);
    },
  };
}

const REPORTED: Readonly<Record<CounterUnit, (settlement: Settlement) => number>> = {
  tokens: ({ usage }) => (usage === undefined ? 0 : usage.inputTokens + usage.outputTokens),
  toolCalls: ({ toolCalls = [] }) => toolCallsIn(toolCalls),
};

function chargeFault(
  unit: CounterUnit,
  settlement: Settlement,
  { charged, excess }: UnitSettled,
  { settling, reserved }: UnitReservation,
): string | null {
  const { noun } = UNIT_NAMES[unit];
  const reported = REPORTED[unit](settlement);
  const most = Math.max(reserved, Math.min(reported, settling.most));
  if (charged > most) return `at most ${most} ${noun} may be charged, and ${charged} are`;
  const above = Math.max(0, reported - settling.most);
  if (excess <= above) return null;
  return `${above} of the reported ${noun} are above their cap, and the excess is ${excess}`;
}

/** @param of.before what the agent's own reports had given back before */
function releaseFault(
  noun: string,
  settlement: Settlement,
  of: { settled: UnitSettled; reserved: UnitReservation; before: number },
): string | null {
  const { before } = of;
  const { charged, released, releaseRefused } = of.settled;
  const {
    reserved,
    settling: { releases },
  } = of.reserved;
  const isOwn = !settlement.reportedBy.mayRelease && releases !== null;
  if (outcomeResult(settlement) === 'succeeded') {
    const room = Math.min(before, percentOf(charged, releases?.percent ?? 0));
    if (released === 0 - room) return null;
    return `a success makes room for ${room} ${noun}, and it says ${released}`;
  }
  const back = isOwn ? Math.max(0, reserved - charged) : 0;
  if (released !== back) return `own reports gave back ${back} ${noun} of it, and it says ${released}`;
  if (isOwn && before + back > Math.max(before, releases.amount))
    return `own reports had given back ${before} ${noun}, which leaves no room for ${back}`;
  if (releaseRefused && (!isOwn || charged !== reserved))
    return `it refuses to give back, and charges ${charged} of ${reserved} ${noun}`;
  return null;
}

function nameOf(unit: CounterUnit, { tenant, agentId }: { tenant: string; agentId: string }): string {
  return `${unit} ${tenant} ${agentId}`;
}
