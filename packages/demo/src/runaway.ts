/** An agent that loops as fast as it gets answers, and the operator who stops it. */
import type { ApiClient } from '@mandate/client';
import type { GovernedAgent } from './governed-agent.ts';

export type Stopped = {
  allowedBefore: number;
  /** Milliseconds from the operator's request to its answer. The kill flag is in force at the answer. */
  killMs: number;
  /** How many calls were under way when the kill took effect, and were refused. */
  refusedMeanwhile: number;
  /**
   * How many calls under way were allowed on the log, but withheld because the kill took effect before their answer.
   */
  withheldMeanwhile: number;
  /** How many calls the agent asked for after the kill was answered. */
  askedAfter: number;
  /** How many of the calls in `askedAfter` reached the tool. Must be zero. */
  ranAfter: number;
};

const ALLOWED_BEFORE_KILL = 40;
const ASKED_AFTER_KILL = 40;

export async function stopRunaway(runaway: GovernedAgent, operator: ApiClient): Promise<Stopped> {
  let killed = false;
  const inFullFlight = Promise.withResolvers<void>();
  const stopped: Stopped = {
    allowedBefore: 0,
    killMs: 0,
    refusedMeanwhile: 0,
    withheldMeanwhile: 0,
    askedAfter: 0,
    ranAfter: 0,
  };
  const looping = (async () => {
    for (let n = 0; stopped.askedAfter < ASKED_AFTER_KILL; n++) {
      const asksAfterKill = killed;
      const { ran, withheld } = await runaway.act('everything.echo', { message: `again ${n}` });
      if (asksAfterKill) {
        stopped.askedAfter++;
        if (ran) stopped.ranAfter++;
      } else if (ran) {
        stopped.allowedBefore++;
        if (stopped.allowedBefore === ALLOWED_BEFORE_KILL) inFullFlight.resolve();
      } else if (withheld) {
        stopped.withheldMeanwhile++;
      } else {
        stopped.refusedMeanwhile++;
      }
    }
  })();
  await Promise.race([inFullFlight.promise, looping]);
  const startedMs = performance.now();
  await operator.post(`/v1/agents/${runaway.id}/kill`, { reason: 'it loops' });
  stopped.killMs = performance.now() - startedMs;
  killed = true;
  await looping;
  return stopped;
}

/**
 * Describes the calls in lines. Each call is counted in exactly one line, so the lines agree with the audit tables.
 */
export function inWords(stopped: Stopped): readonly string[] {
  const { allowedBefore, killMs, refusedMeanwhile, withheldMeanwhile, askedAfter, ranAfter } = stopped;
  const meanwhile = [
    ...(refusedMeanwhile > 0 ? [`${refusedMeanwhile} refused`] : []),
    ...(withheldMeanwhile > 0 ? [`${withheldMeanwhile} allowed on the log and withheld`] : []),
  ];
  return [
    `The operator killed the agent after ${allowedBefore} calls. The kill switch answered in ${killMs.toFixed(1)} ms.`,
    ...(meanwhile.length > 0
      ? [`Calls that the agent sent before this answer: ${meanwhile.join(', ')}.`]
      : []),
    `After the kill the agent sent ${askedAfter} calls. ${ranAfter} of them ran.`,
  ];
}
