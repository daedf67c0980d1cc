/** An agent that loops as fast as it is answered, and the operator who stops it. */
import type { ApiClient } from '../api-client.ts';
import type { GovernedAgent } from './governed-agent.ts';

export type Stopped = {
  allowedBefore: number;
  /** From the operator's request to its answer: the flag is in force. */
  killMs: number;
  /** Asked for after the kill was answered. */
  askedAfter: number;
  /** Of those, calls that reached the tool: must be none. */
  ranAfter: number;
};

const ALLOWED_BEFORE_KILL = 40;
const ASKED_AFTER_KILL = 40;

export async function stopRunaway(runaway: GovernedAgent, operator: ApiClient): Promise<Stopped> {
  let killed = false;
  const inFullFlight = Promise.withResolvers<void>();
  const stopped: Stopped = { allowedBefore: 0, killMs: 0, askedAfter: 0, ranAfter: 0 };
  const looping = (async () => {
    for (let n = 0; stopped.askedAfter < ASKED_AFTER_KILL; n++) {
      const asksAfterKill = killed;
      const { ran } = await runaway.act('everything.echo', { message: `again ${n}` });
      if (asksAfterKill) {
        stopped.askedAfter++;
        if (ran) stopped.ranAfter++;
      } else if (ran) {
        stopped.allowedBefore++;
        if (stopped.allowedBefore === ALLOWED_BEFORE_KILL) inFullFlight.resolve();
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
