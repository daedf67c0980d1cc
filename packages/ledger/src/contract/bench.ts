/** The ledger and clock of a test, and short functions for both. */
import type { ManualClock } from '@mandate/runtime';
import type { LimitFact, SettleFacts, SettleRequest, StepFacts, StepRequest } from '@mandate/schemas';
import { expect, onTestFinished } from 'vitest';
import type { Ledger, Operation, StepResult } from '../port.ts';

/** A new, empty ledger, and the only clock that it reads. */
export type Bench = { ledger: Ledger; clock: ManualClock };

/** Called for each test. The ledger reads only the returned clock. */
export type MakeLedger = (options: { replayMemoryMs: number; keptUnremembered?: number }) => Promise<Bench>;

export const DAY_MS = 86_400_000;

export async function begin(
  make: MakeLedger,
  replayMemoryMs = DAY_MS,
  options: { keptUnremembered?: number } = {},
): Promise<Bench> {
  const bench = await make({ replayMemoryMs, ...options });
  onTestFinished(() => bench.ledger.close());
  return bench;
}

export async function send(ledger: Ledger, operation: Operation): Promise<StepResult> {
  const [result] = await ledger.step([operation]);
  if (result === undefined) throw new Error('the ledger answered nothing');
  return result;
}

/** Returns the facts of a request that the ledger decides or has already decided. */
export async function decide(ledger: Ledger, request: StepRequest): Promise<StepFacts> {
  const result = await send(ledger, request);
  if (result.kind !== 'decided') throw new Error(`expected a decision, got ${result.kind}`);
  return result.facts;
}

/** True for an ALLOW, because only an ALLOW gets a lease. */
export function isAllowed(facts: StepFacts): boolean {
  return facts.leaseExpiresAtMs !== null;
}

/** Sends a request and expects that the ledger allows it. Used at the start of tests. */
export async function allow(ledger: Ledger, request: StepRequest): Promise<StepRequest> {
  if (!isAllowed(await decide(ledger, request))) throw new Error('expected an ALLOW');
  return request;
}

export async function settle(ledger: Ledger, request: SettleRequest): Promise<SettleFacts> {
  const result = await send(ledger, request);
  if (result.kind !== 'settled') throw new Error(`expected a settlement, got ${result.kind}`);
  return result.facts;
}

/** Sends a request that has one limit in its plan. Returns the fact about this limit. */
export async function limitFactOf(ledger: Ledger, request: StepRequest): Promise<LimitFact> {
  const [fact] = (await decide(ledger, request)).limits;
  if (fact === undefined) throw new Error('the step ended before the limits');
  return fact;
}

/** Returns the sum of each counter by its name. The ledger must give the same sum for the counter alone. */
export async function spent(ledger: Ledger, tenant: string): Promise<Record<string, number>> {
  const balances = await ledger.balances(tenant);
  const budgets = balances.map(({ budget }) => budget);
  expect(await ledger.spent(tenant, budgets)).toEqual(balances.map(({ spent }) => spent));
  return Object.fromEntries(
    balances.map(({ budget, spent }) => [
      [
        ...[budget.scope, budget.subject, budget.id],
        ...(budget.windowMs === null ? [] : [budget.windowMs]),
        ...(budget.unit === undefined ? [] : [budget.unit]),
      ].join(' '),
      spent,
    ]),
  );
}
