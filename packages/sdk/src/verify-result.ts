/** Checks the result of a call before the call counts as done: VERIFIED, between EXECUTING and SETTLED. */
import type { Decision } from '@mandate/schemas';
import { CALL_CAPS } from '@mandate/schemas/core';
import { actionOf } from './authorize.ts';
import { runUntilAborted } from './bounded-wait.ts';
import { MandateBlockedError, misused } from './errors.ts';
import type { RunOptions } from './types.ts';

/** How long a check of a result may take, unless `verifyTimeoutMs` says otherwise. */
const VERIFY_TIMEOUT_MS = 30_000;

/**
 * `ok`: true if the check passed, false if it failed with `error`. Null: the call was aborted before the check ended.
 */
type Verified = { ok: true } | { ok: false; error: MandateBlockedError } | { ok: null };

/** Checks the result of an allowed call. Never rejects. */
export type Verifier = (result: unknown, decision: Decision, signal: AbortSignal) => Promise<Verified>;

/**
 * Returns the check that the options of a call state. Null if they state none.
 *
 * @throws MandateError SDK_MISUSED, before anything runs
 */
export function verifierOf({
  verifyResult,
  verifyTimeoutMs = VERIFY_TIMEOUT_MS,
}: RunOptions): Verifier | null {
  if (verifyResult === undefined) return null;
  if (typeof verifyResult !== 'function') throw misused('verifyResult is no function.', 'State a function.');
  if (!(verifyTimeoutMs > 0 && verifyTimeoutMs <= CALL_CAPS.leaseMs)) {
    throw misused(
      `verifyTimeoutMs is ${verifyTimeoutMs}.`,
      `Use a number of milliseconds above 0, at most ${CALL_CAPS.leaseMs}.`,
    );
  }
  return (result, decision, aborted) => verify(result, { verifyResult, verifyTimeoutMs, decision, aborted });
}

type Verifying = {
  verifyResult: NonNullable<RunOptions['verifyResult']>;
  verifyTimeoutMs: number;
  decision: Decision;
  aborted: AbortSignal;
};

async function verify(
  result: unknown,
  { verifyResult, verifyTimeoutMs, decision, aborted }: Verifying,
): Promise<Verified> {
  const late = new AbortController();
  const signal = AbortSignal.any([aborted, late.signal]);
  const timer = setTimeout(
    () => late.abort(new Error(`the check took longer than ${verifyTimeoutMs} ms`)),
    verifyTimeoutMs,
  );
  try {
    const ok: unknown = await runUntilAborted(signal, async () => verifyResult(result, { signal }));
    return ok === true ? { ok } : { ok: false, error: failed(decision, 'the check refused it') };
  } catch (cause) {
    if (aborted.aborted) return { ok: null };
    const why = cause instanceof Error ? cause.message : String(cause);
    return { ok: false, error: failed(decision, why, cause) };
  } finally {
    clearTimeout(timer);
  }
}

function failed(decision: Decision, why: string, cause?: unknown): MandateBlockedError {
  return new MandateBlockedError('VERIFICATION_FAILED', {
    reason: `The call ran, but its result was not accepted: ${why}.`,
    remedy: 'Do not use the result. Check what the call did before you try again.',
    action: actionOf(decision),
    decision,
    cause,
  });
}
