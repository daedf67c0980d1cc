/** Asks a plane for the spend and the remaining budget of an agent. */
import type { Cost } from '../types.ts';
import { fieldsOf, type PlaneConnection, pathOfAgent, refusalOf } from './plane-connection.ts';

/** How long the plane waits until its audit agrees with its ledger. Only the audit has the parts of a cost. */
export const AUDIT_WAIT_MS = 3_000;

type Usage = { cost: Cost; calls: number | null; remainingMicros: number | null };

/** @throws MandateError PLANE_UNAVAILABLE, or with the code of the refusal */
export async function usageOf(
  connection: PlaneConnection,
  agentId: string,
  auditWaitMs: number,
): Promise<Usage> {
  const answer = await connection.request(
    (leftMs) => ({
      method: 'GET',
      path: pathOfAgent(agentId, `usage?waitMs=${Math.min(auditWaitMs, leftMs)}`),
    }),
    performance.now() + connection.timeoutMs,
  );
  if (answer.status !== 200) throw refusalOf(connection.url, answer);
  const { totalMicros, llmMicros, toolMicros, calls, remainingMicros } = fieldsOf(answer.body);
  return {
    cost: {
      totalMicros: Number(totalMicros),
      llmMicros: amountOf(llmMicros),
      toolMicros: amountOf(toolMicros),
    },
    calls: amountOf(calls),
    remainingMicros: amountOf(remainingMicros),
  };
}

function amountOf(json: unknown): number | null {
  return typeof json === 'number' ? json : null;
}
