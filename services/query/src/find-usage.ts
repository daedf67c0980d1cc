import { type AuditClient, usageOfAgent } from '@mandate/audit';
import { HttpProblem, type ProcessParts } from '@mandate/server';
import { boundedAsk } from './bounded-ask.ts';

type Usage = { calls: number; llmMicros: number; toolMicros: number; adjustedMicros: number };
export type FindUsage = (tenant: string, agentId: string, gone: AbortSignal) => Promise<Usage | null>;

/**
 * The maximum number of questions that run or wait. Each question reads all rows of one agent, and agents with an SDK
 * ask often. Without this limit, the recorder would wait for a free connection to ClickHouse.
 */
const MOST = { running: 4, waiting: 100 };
const TIMEOUT_MS = 5_000;

/**
 * Returns a function that finds the lifetime usage of an agent in the audit. The function returns null if the audit does
 * not answer in time, or has too many such questions.
 */
export function createFindUsage(
  audit: AuditClient,
  { log, metrics }: Pick<ProcessParts, 'log' | 'metrics'>,
): FindUsage {
  const ask = boundedAsk({ audit, log, metrics, most: MOST, timeoutMs: TIMEOUT_MS });
  return async (tenant, agentId, gone) => {
    try {
      const [usage] = await ask({ tenant, gone }, usageOfAgent, { tenant, agentId });
      return usage ?? null;
    } catch (error) {
      if (error instanceof HttpProblem) return null;
      throw error;
    }
  };
}
