/**
 * Runs a tool as one action of an agent: it starts after an ALLOW, its result is verified, and its outcome settles the
 * charge.
 */

import { runUntilAborted } from './bounded-wait.ts';
import { ignoreRejection } from './plain-values.ts';
import type { Agent, OnError, RunningOutcome, RunOptions, Tool } from './types.ts';
import { verifierOf } from './verify-result.ts';

type ToolRun = { name: string; args: unknown; fn: Tool; options: RunOptions; onError: OnError };

/**
 * Runs the tool if the call is allowed, and settles the charge by its outcome. An abort ends the call at once, even if
 * the tool goes on. A late success still settles the charge. If an abort ends the verification of a result, the success
 * counts without a verification.
 *
 * @throws MandateBlockedError, MandateDeferredError, or the error of the tool
 */
export async function runTool(
  agent: Pick<Agent, 'start'>,
  { name, args, fn, options, onError }: ToolRun,
): Promise<unknown> {
  const { actualCostMicros, verifyResult: _verify, verifyTimeoutMs: _timeout, ...stated } = options;
  const verify = verifierOf(options);
  const {
    args: decided,
    decision,
    signal,
    settle,
  } = await agent.start({
    type: 'tool_call',
    tool: name,
    args,
    options: stated,
  });
  // A kill may come between the ALLOW and this line. The tool then does not start, and its reservation stays charged.
  return runUntilAborted(signal, async (finished) => {
    let result: unknown;
    try {
      result = await fn(decided as never, signal);
    } catch (error) {
      await settle({ status: 'failure' });
      throw error;
    }
    const verified = verify === null ? { ok: null } : await verify(result, decision, signal);
    // The call has finished, so an abort while its outcome is reported must not hide the result.
    finished();
    await settle({
      status: 'success',
      ...actualCost(actualCostMicros, result, onError),
      ...(verified.ok !== null && { verification: { ok: verified.ok } }),
    });
    if (verified.ok === false) throw verified.error;
    return result;
  });
}

/**
 * Returns the actual cost that the caller states. A cost that is not a valid amount is reported as an error, and left
 * out.
 */
function actualCost(
  stated: RunOptions['actualCostMicros'],
  result: unknown,
  onError: OnError,
): Pick<RunningOutcome, 'actualCostMicros'> {
  try {
    const cost = typeof stated === 'function' ? stated(result) : stated;
    ignoreRejection(cost);
    if (cost === undefined || cost === null) return {};
    if (Number.isSafeInteger(cost) && cost >= 0) return { actualCostMicros: cost };
    onError(
      new RangeError(`actualCostMicros is ${cost}: it must be a whole number of micro-dollars, 0 or more`),
    );
  } catch (error) {
    onError(error);
  }
  return {};
}
