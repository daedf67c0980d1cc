import { type AuditClient, ask, usageOfAgent } from '@mandate/audit';
import { isMandateError } from '@mandate/runtime';
import { HttpProblem } from '@mandate/server';
import { createFairSemaphore } from './fair-semaphore.ts';

type Usage = { calls: number; llmMicros: number; toolMicros: number; adjustedMicros: number };
export type FindUsage = (tenant: string, agentId: string, gone: AbortSignal) => Promise<Usage | null>;

/**
 * The most questions that run or wait. Each reads all rows of one agent, and the agents of an SDK ask often. Without a
 * limit the recorder would wait for its connection to ClickHouse.
 */
const MOST = { running: 4, waiting: 100 };
const TIMEOUT_MS = 5_000;

/**
 * Returns a function that finds in the audit what an agent has used in its lifetime. Null if the audit does not answer
 * in time, or has too many such questions.
 */
export function createFindUsage(audit: AuditClient): FindUsage {
  const semaphore = createFairSemaphore(MOST);
  return async (tenant, agentId, gone) => {
    const givenUp = AbortSignal.any([gone, AbortSignal.timeout(TIMEOUT_MS)]);
    const late = Promise.withResolvers<null>();
    const onAbort = () => late.resolve(null);
    givenUp.addEventListener('abort', onAbort, { once: true });
    try {
      const found = semaphore.run(tenant, givenUp, () =>
        ask(audit, usageOfAgent, { tenant, agentId }, givenUp),
      );
      const rows = await Promise.race([found, late.promise]);
      return rows?.[0] ?? null;
    } catch (error) {
      if (givenUp.aborted || error instanceof HttpProblem) return null;
      if (isMandateError(error) && error.retryable) return null;
      throw error;
    } finally {
      givenUp.removeEventListener('abort', onAbort);
    }
  };
}
