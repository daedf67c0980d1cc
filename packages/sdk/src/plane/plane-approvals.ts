/** Questions to persons about deferred calls, as a plane keeps them. An agent may wait only for its own questions. */
import type { Decision } from '@mandate/schemas';
import { sleep } from '../backoff.ts';
import type { ApprovalAnswer, Approvals } from '../decision-point.ts';
import { fieldsOf, type PlaneConnection, problemOf, refusalOf } from './plane-connection.ts';

/** How long one request waits for a person. */
const ONE_WAIT_MS = 20_000;
/** The pause before the next request, if the plane is away. */
const PAUSE_MS = 500;

export function planeApprovals(connection: PlaneConnection): Approvals {
  async function answer(approvalId: string, verb: 'approve' | 'deny', body: object): Promise<void> {
    const path = `/v1/approvals/${encodeURIComponent(approvalId)}/${verb}`;
    const idempotencyKey = `sdk-${crypto.randomUUID()}`;
    const request = { method: 'POST', path, body, idempotencyKey } as const;
    const answered = await connection.request(() => request, performance.now() + connection.timeoutMs);
    if (answered.status !== 200) throw refusalOf(connection.url, answered);
  }
  return {
    async answered(decision, { timeoutMs, signal }) {
      const untilMs = performance.now() + timeoutMs;
      for (;;) {
        const leftMs = Math.ceil(untilMs - performance.now());
        if (leftMs <= 0 || signal?.aborted) return false;
        const isOpen = await isStillOpen(connection, decision, Math.min(leftMs, ONE_WAIT_MS), signal);
        if (isOpen === false) return true;
        if (isOpen === null) await sleep(Math.min(PAUSE_MS, leftMs), signal ?? connection.closed);
      }
    },
    approve: (approvalId, { reason, expiresInMs }: ApprovalAnswer) =>
      answer(approvalId, 'approve', { reason, ...(expiresInMs !== undefined && { expiresInMs }) }),
    deny: (approvalId, { reason }) => answer(approvalId, 'deny', { reason }),
  };
}

/** Asks the plane, which answers as soon as a person has answered. Null: there is no answer yet. */
async function isStillOpen(
  connection: PlaneConnection,
  { approvalId }: Decision,
  waitMs: number,
  signal: AbortSignal | undefined,
): Promise<boolean | null> {
  const path = `/v1/approvals/${encodeURIComponent(approvalId ?? '')}/answer?waitMs=${waitMs}`;
  const untilMs = performance.now() + waitMs + connection.timeoutMs;
  try {
    const request = { method: 'GET', path, ...(signal && { signal }) } as const;
    const answer = await connection.request(() => request, untilMs);
    // The action was decided after the question, or the question is forgotten.
    if (answer.status === 404 && problemOf(answer.body)?.code === 'APPROVAL_NOT_FOUND') return false;
    if (answer.status !== 200) throw refusalOf(connection.url, answer);
    return fieldsOf(answer.body).state === 'waiting';
  } catch (error) {
    const isPassing = signal?.aborted || fieldsOf(error).code === 'PLANE_UNAVAILABLE';
    if (isPassing) return null;
    throw error;
  }
}
