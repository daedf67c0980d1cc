/** An agent that loops as fast as it gets answers, and the operator who stops it. */
import type { ApiClient } from '@mandate/client';
import type { GovernedAgent } from './governed-agent.ts';

export type Stopped = {
  allowedBefore: number;
  /** Milliseconds from the operator's request to its answer. The kill flag is in force at the answer. */
  killMs: number;
  /** How many calls were under way when the kill took effect, and were refused. */
  refusedMeanwhile: number;
  /** How many calls under way were allowed on the log, but stopped by the kill before the agent got an answer. */
  stoppedMeanwhile: number;
  /** How many calls the agent asked for after the kill was answered. */
  askedAfter: number;
  /** How many of the calls in `askedAfter` reached the server of the tool. Must be zero. */
  ranAfter: number;
};

const ALLOWED_BEFORE_KILL = 40;
const ASKED_AFTER_KILL = 40;

/** @param reached returns the messages of all calls that have reached the server of the tool */
export async function stopRunaway(
  runaway: GovernedAgent,
  operator: ApiClient,
  reached: () => ReadonlySet<unknown>,
): Promise<Stopped> {
  let killed = false;
  const inFullFlight = Promise.withResolvers<void>();
  const stopped: Stopped = {
    allowedBefore: 0,
    killMs: 0,
    refusedMeanwhile: 0,
    stoppedMeanwhile: 0,
    askedAfter: 0,
    ranAfter: 0,
  };
  const sentAfter: string[] = [];
  const looping = (async () => {
    for (let n = 0; sentAfter.length < ASKED_AFTER_KILL; n++) {
      const message = `again ${n}`;
      const asksAfterKill = killed;
      if (asksAfterKill) sentAfter.push(message);
      const { ran, stopped: wasStopped } = await runaway.act('everything.echo', { message });
      if (asksAfterKill) continue;
      if (ran) {
        stopped.allowedBefore++;
        if (stopped.allowedBefore === ALLOWED_BEFORE_KILL) inFullFlight.resolve();
      } else if (wasStopped) {
        stopped.stoppedMeanwhile++;
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
  stopped.askedAfter = sentAfter.length;
  const ran = reached();
  stopped.ranAfter = sentAfter.filter((message) => ran.has(message)).length;
  return stopped;
}

/**
 * Describes the calls in lines. Each call is counted in exactly one line, so the lines agree with the audit tables.
 */
export function inWords(stopped: Stopped): readonly string[] {
  const { allowedBefore, killMs, refusedMeanwhile, stoppedMeanwhile, askedAfter, ranAfter } = stopped;
  const meanwhile = [
    ...(refusedMeanwhile > 0 ? [`${refusedMeanwhile} refused`] : []),
    ...(stoppedMeanwhile > 0 ? [`${stoppedMeanwhile} allowed on the log and stopped by the kill`] : []),
  ];
  return [
    `The operator killed the agent after ${allowedBefore} calls. The kill switch answered in ${killMs.toFixed(1)} ms.`,
    ...(meanwhile.length > 0
      ? [`Calls that the agent sent before this answer: ${meanwhile.join(', ')}.`]
      : []),
    `After the kill the agent sent ${askedAfter} calls. ${ranAfter} of them reached the server.`,
  ];
}
