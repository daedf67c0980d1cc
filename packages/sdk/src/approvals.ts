/** Questions to persons about deferred calls, as a ledger keeps them. For modes that decide in this process. */
import type { Ledger } from '@mandate/ledger';
import type { Clock } from '@mandate/runtime';
import { MandateError } from '@mandate/runtime/errors';
import { DEFAULTS, readApprovalId } from '@mandate/schemas';
import type { Approvals } from './decision-point.ts';

type Opened = { ledger: Ledger; clock: Clock };

/** How often the ledger is asked for an answer of another process, in milliseconds. */
const POLL_MS = 250;

/** @param open returns the ledger. A ledger in Redis is opened at its first use */
export function ledgerApprovals(open: () => Opened | Promise<Opened>): Approvals {
  const wakes = new Set<() => void>();
  async function answer(
    approvalId: string,
    answer: 'granted' | 'denied',
    { by, reason, expiresInMs = DEFAULTS.grantMs }: Parameters<Approvals['approve']>[1],
  ): Promise<void> {
    const subject = readApprovalId(approvalId);
    if (subject === null) throw noApproval();
    const { ledger, clock } = await open();
    const expiresAtMs = clock() + expiresInMs;
    const command = { id: `apr_${crypto.randomUUID()}`, by, reason };
    await ledger.approve({ ...command, ...subject, tenant: DEFAULTS.tenant, answer, expiresAtMs });
    for (const wake of [...wakes]) wake();
  }
  return {
    async answered({ tenant, agentId, actionId, digest }, { timeoutMs, signal }) {
      const untilMs = performance.now() + timeoutMs;
      const { ledger } = await open();
      for (;;) {
        const { state } = await ledger.question({ tenant, agentId, actionId, digest });
        if (state !== 'waiting') return true;
        const leftMs = untilMs - performance.now();
        if (leftMs <= 0 || signal?.aborted) return false;
        await woken(wakes, Math.min(POLL_MS, leftMs), signal);
      }
    },
    approve: (approvalId, given) => answer(approvalId, 'granted', given),
    deny: (approvalId, given) => answer(approvalId, 'denied', given),
  };
}

/** Resolves after the time, when the signal aborts, or when an answer calls the function in `wakes`. */
function woken(wakes: Set<() => void>, ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      wakes.delete(end);
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    wakes.add(end);
    signal?.addEventListener('abort', end);
  });
}

function noApproval(): MandateError {
  return new MandateError('APPROVAL_NOT_FOUND', 'No approval has this id.', {
    remedy: 'Use the `approvalId` of the MandateDeferredError.',
  });
}
