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

const PARTS = {
  money,
  'model calls': modelCalls,
  'money of model calls': modelMoney,
  'limits on tokens': tokenLimits,
  'limits on tool calls of answers': toolCallLimits,
  rates,
  once,
  leases,
  verification,
  'large arguments': largeArguments,
  'questions to a person': questions,
  refusals,
  turns(agentUnder: AgentUnder) {
    turns(agentUnder);
    killedTurns(agentUnder);
  },
  memory,
};
export type ContractPart = keyof typeof PARTS;
export const CONTRACT_PARTS = Object.keys(PARTS) as ContractPart[];

/**
 * The parts that test what the SDK does with answers of models and with large arguments. It does the same in every
 * mode, and local mode always runs these parts.
 */
export const LOCAL_PARTS: readonly ContractPart[] = [
  'model calls',
  'money of model calls',
  'limits on tokens',
  'limits on tool calls of answers',
  'large arguments',
];

export function sdkContract(
  name: string,
  agentUnder: AgentUnder,
  parts: readonly ContractPart[] = CONTRACT_PARTS,
): void {
  describe(`${name} keeps the contract of the SDK:`, () => {
    describe.each(parts)('%s', (part) => PARTS[part](agentUnder));
  });
}
