/**
 * Tests the promises of port.ts. Every store and the reference model run all these tests. Only tests import this
 * file.
 *
 *     ledgerContract('memory', async ({ replayMemoryMs }) => ({ ledger, clock }));
 */
import { describe } from 'vitest';
import type { MakeLedger } from './contract/bench.ts';
import { budgets } from './contract/budgets.ts';
import { confirming } from './contract/confirming.ts';
import { deferring } from './contract/deferring.ts';
import { duplicates } from './contract/duplicates.ts';
import { givingBack } from './contract/giving-back.ts';
import {
  concurrentHistories,
  fullHistories,
  type HistoryRuns,
  sequentialHistories,
} from './contract/histories.ts';
import { killing } from './contract/killing.ts';
import { observing } from './contract/observing.ts';
import { orderOfTheStep } from './contract/order-of-the-step.ts';
import { publishing } from './contract/publishing.ts';
import { rates } from './contract/rates.ts';
import { redelivery } from './contract/redelivery.ts';
import { remembering } from './contract/remembering.ts';
import { settling } from './contract/settling.ts';
import { tokenLimits } from './contract/tokens.ts';
import { toolCallLimits } from './contract/tool-calls.ts';
import { turns } from './contract/turns.ts';
import { turnsRemembered } from './contract/turns-remembered.ts';

export type { Bench, MakeLedger } from './contract/bench.ts';
export * from './contract/builders.ts';
export { stateOf } from './contract/state-of.ts';

/** @param make called before each test. Returns a new, empty ledger and the only clock that the ledger reads */
export function ledgerContract(name: string, make: MakeLedger): void {
  describe(`${name} keeps the contract of the ledger:`, () => {
    describe('redelivery', () => redelivery(make));
    describe('duplicates', () => duplicates(make));
    describe('the order of the checks in a step', () => orderOfTheStep(make));
    describe('budgets', () => budgets(make));
    describe('credits that give money back', () => givingBack(make));
    describe('limits on tokens', () => tokenLimits(make));
    describe('limits on tool calls of answers', () => toolCallLimits(make));
    describe('rates', () => rates(make));
    describe('turns', () => turns(make));
    describe('remembering turns', () => turnsRemembered(make));
    describe('settling outcomes', () => settling(make));
    describe('a mandate in observe mode', () => observing(make));
    describe('confirming by a person', () => confirming(make));
    describe('deferring actions', () => deferring(make));
    describe('remembering deliveries', () => remembering(make));
    describe('killing', () => killing(make));
    describe('publishing', () => publishing(make));
  });
}

/**
 * Compares the ledger with the model on random histories. A failure prints a seed and a path. Give both to fast-check
 * to repeat the failure.
 */
export function ledgerHistories(name: string, make: MakeLedger, runs: HistoryRuns): void {
  describe(`${name} and the model agree:`, () => {
    sequentialHistories(make, runs);
    fullHistories(make, runs);
    concurrentHistories(make, runs);
  });
}
