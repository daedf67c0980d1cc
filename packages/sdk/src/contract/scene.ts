/** Functions that the parts of the contract share. */
import type { MandateBlockedError, MandateDeferredError } from '../errors.ts';
import { findMandateError } from '../errors.ts';
import type { Mandate } from '../index.ts';
import type { MandateDocument, Tool } from '../types.ts';
import type { Executor } from '../wrapper.ts';

/** The agent of one test. */
type Agent = { agentId: string; mandate: Mandate; tools: Executor };

/** Registers a new agent under this mandate, in the tested mode. */
export type AgentUnder = (document: MandateDocument) => Promise<Agent>;

export const DOLLAR = 1_000_000;

/** The time between two checks of a condition, and the longest wait for it. */
export const WAITING = { interval: 5, timeout: 30_000 };

/** Every call of `pay` costs five dollars. */
export const PAY = { toolPolicies: { pay: { cost: 5 } } } as const;

/** A tool that counts how often it ran. */
export function counting(): { runs(): number; pay: Tool<object, string> } {
  let runs = 0;
  return {
    runs: () => runs,
    pay: async () => {
      runs += 1;
      return 'paid';
    },
  };
}

export const failing: Tool<object, never> = () => {
  throw new Error('the bank is closed');
};

export const untilAborted: Tool<object, never> = (_args, signal) =>
  new Promise<never>((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });

export function costing(dollars: number): object {
  return { totalMicros: dollars * DOLLAR, llmMicros: 0, toolMicros: dollars * DOLLAR };
}

/** Returns the refusal of the call. Fails if the call ended in another way. */
export async function refusalOf(call: Promise<unknown>): Promise<MandateBlockedError> {
  const thrown = await call.then(
    (result) => new Error(`the call was not refused, it returned ${String(result)}`),
    (error: unknown) => error,
  );
  const found = findMandateError(thrown);
  if (found?.name !== 'MandateBlockedError') throw thrown;
  return found as MandateBlockedError;
}

/** Returns the question of the deferred call. Fails if the call ended in another way. */
export async function deferralOf(call: Promise<unknown>): Promise<MandateDeferredError> {
  const thrown = await call.then(
    (result) => new Error(`the call was not deferred, it returned ${String(result)}`),
    (error: unknown) => error,
  );
  const found = findMandateError(thrown);
  if (found?.name !== 'MandateDeferredError') throw thrown;
  return found as MandateDeferredError;
}

/** Returns `ran`, or the code of the refusal. */
export async function codeOf(call: Promise<unknown>): Promise<string> {
  try {
    await call;
    return 'ran';
  } catch (error) {
    const found = findMandateError(error);
    if (found === null) throw error;
    return found.code;
  }
}

export function atOnce(times: number, call: () => Promise<unknown>): Promise<string[]> {
  return Promise.all(Array.from({ length: times }, () => codeOf(call())));
}

export function tally(codes: readonly string[]): Record<string, number> {
  return Object.fromEntries([...Map.groupBy(codes, (code) => code)].map(([code, all]) => [code, all.length]));
}
