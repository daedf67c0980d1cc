/**
 * Checks that a settlement of tokens keeps the terms of its decision: the charge, the cap on reported tokens, and the
 * limit on what own reports give back. The check computes the terms from the log, in another way than the ledger.
 */
import {
  type BudgetAdjusted,
  outcomeResult,
  percentOf,
  RELEASED_BUDGET,
  type Reservation,
  type Settlement,
} from '@mandate/schemas';

type Reserved = NonNullable<Reservation['tokens']>;
type Settled = NonNullable<Settlement['tokens']>;

export function createTokenTerms() {
  /** The tokens that each agent's own reports gave back, by agent. */
  const released = new Map<string, number>();
  const add = (agent: string, tokens: number) =>
    void released.set(agent, (released.get(agent) ?? 0) + tokens);

  return {
    /** Returns the term that a settlement breaks, or null. */
    faultOf(settlement: Settlement, reserved: Reserved | null): string | null {
      const { tokens } = settlement;
      if (tokens === undefined && reserved === null) return null;
      if (tokens === undefined || reserved === null)
        return `tokens were ${reserved === null ? 'not ' : ''}reserved, and it settles ${tokens === undefined ? 'none' : 'some'}`;
      if (reserved.tokens + tokens.deltaTokens !== tokens.chargedTokens)
        return `${reserved.tokens} tokens were reserved and ${tokens.deltaTokens} moved, which is not ${tokens.chargedTokens}`;
      const before = Math.max(0, released.get(agentOf(settlement)) ?? 0);
      return chargeFault(settlement, tokens, reserved) ?? releaseFault(settlement, tokens, reserved, before);
    },
    settled(settlement: Settlement): void {
      const { releasedTokens = 0 } = settlement.tokens ?? {};
      if (releasedTokens !== 0) add(agentOf(settlement), releasedTokens);
    },
    adjusted({ tenant, budget, deltaTokens }: BudgetAdjusted['adjustment']): void {
      if (deltaTokens === undefined || budget.scope !== 'agent') return;
      if (budget.id !== RELEASED_BUDGET || budget.windowMs !== null) return;
      add(agentOf({ tenant, agentId: budget.subject }), deltaTokens);
    },
  };
}

function chargeFault(
  { usage }: Settlement,
  tokens: Settled,
  { settling, ...reserved }: Reserved,
): string | null {
  const { chargedTokens, excessTokens } = tokens;
  const reported = usage === undefined ? 0 : usage.inputTokens + usage.outputTokens;
  const most = Math.max(reserved.tokens, Math.min(reported, settling.mostTokens));
  if (chargedTokens > most) return `at most ${most} tokens may be charged, and ${chargedTokens} are`;
  const above = Math.max(0, reported - settling.mostTokens);
  if (excessTokens <= above) return null;
  return `${above} of the reported tokens are above their cap, and the excess is ${excessTokens}`;
}

/** @param before the tokens that the agent's own reports had given back before */
function releaseFault(
  settlement: Settlement,
  { chargedTokens, releasedTokens, releaseRefused }: Settled,
  { tokens: reservedTokens, settling: { releases } }: Reserved,
  before: number,
): string | null {
  const isOwn = !settlement.reportedBy.mayRelease && releases !== null;
  if (outcomeResult(settlement) === 'succeeded') {
    const room = Math.min(before, percentOf(chargedTokens, releases?.percent ?? 0));
    if (releasedTokens === 0 - room) return null;
    return `a success makes room for ${room} tokens, and it says ${releasedTokens}`;
  }
  const back = isOwn ? Math.max(0, reservedTokens - chargedTokens) : 0;
  if (releasedTokens !== back)
    return `own reports gave back ${back} tokens of it, and it says ${releasedTokens}`;
  if (isOwn && before + back > Math.max(before, releases.tokens))
    return `own reports had given back ${before} tokens, which leaves no room for ${back}`;
  if (releaseRefused && (!isOwn || chargedTokens !== reservedTokens))
    return `it refuses to give back, and charges ${chargedTokens} of ${reservedTokens} tokens`;
  return null;
}

function agentOf({ tenant, agentId }: { tenant: string; agentId: string }): string {
  return `${tenant} ${agentId}`;
}
