/**
 * Tests the promises of every mode of the SDK. Each mode runs all these tests. Only tests import this file.
 *
 * sdkContract('local mode', agentUnder);
 */
import { describe } from 'vitest';
import { largeArguments } from './contract/large-arguments.ts';
import { leases } from './contract/leases.ts';
import { memory } from './contract/memory.ts';
import { modelCalls } from './contract/model-calls.ts';
import { modelMoney } from './contract/model-money.ts';
import { money } from './contract/money.ts';
import { once } from './contract/once.ts';
import { questions } from './contract/questions.ts';
import { rates } from './contract/rates.ts';
import { refusals } from './contract/refusals.ts';
import type { AgentUnder } from './contract/scene.ts';
import { tokenLimits } from './contract/token-limits.ts';
import { toolCallLimits } from './contract/tool-call-limits.ts';
import { killedTurns, turns } from './contract/turns.ts';
import { verification } from './contract/verification.ts';

export function sdkContract(name: string, agentUnder: AgentUnder): void {
  describe(`${name} keeps the contract of the SDK:`, () => {
    describe('money', () => money(agentUnder));
    describe('model calls', () => modelCalls(agentUnder));
    describe('money of model calls', () => modelMoney(agentUnder));
    describe('limits on tokens', () => tokenLimits(agentUnder));
    describe('limits on tool calls of answers', () => toolCallLimits(agentUnder));
    describe('rates', () => rates(agentUnder));
    describe('once', () => once(agentUnder));
    describe('leases', () => leases(agentUnder));
    describe('verification', () => verification(agentUnder));
    describe('large arguments', () => largeArguments(agentUnder));
    describe('questions to a person', () => questions(agentUnder));
    describe('refusals', () => refusals(agentUnder));
    describe('turns', () => {
      turns(agentUnder);
      killedTurns(agentUnder);
    });
    describe('memory', () => memory(agentUnder));
  });
}
