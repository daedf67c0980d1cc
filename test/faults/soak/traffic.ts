/**
 * Sends the traffic of agents to the log and through gateways: requests at a fixed rate, and outcomes of allowed
 * actions. Some outcomes are sent twice, some after the lease, and some never. A refused request is sent again with
 * the same ids.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Bus, Outgoing } from '@mandate/bus';
import { agentKey, type Decision } from '@mandate/schemas';
import type { Api } from '../../e2e/distributed/support/server-plane.ts';
import { outcome, pick } from '../support/agents-at-work.ts';
import { appendUntilTaken } from '../support/follow-log.ts';
import { paceOf } from '../support/pace.ts';
import { type FollowedDecided, followDecided } from './follow-decided.ts';
import { type Asked, actionOf, SHORT_LEASE_MS } from './population.ts';

const [SHARE_ON_LOG, SHARE_OVER_HTTP] = [50, 10];
const HTTP_WRITERS = 4;
/** The share of requests that are sent over HTTP. */
const OVER_HTTP = 0.3;
/**
 * How long a request waits for its answer, in ms. One of these times is chosen at random, so two of three requests do
 * not wait.
 */
const WAITS_MS = [0, 0, 2_000];
const LATE_MS = SHORT_LEASE_MS + 5_000;
const LOOK_EVERY_MS = 50;
const MOST_AT_ONCE = 200;
/**
 * The most undecided requests, in seconds of traffic. If there are more, agents send nothing until some are decided.
 */
const AHEAD_SECONDS = 10;

export type Traffic = FollowedDecided & {
  asked(): number;
  /** Appends this number of requests to the log at once. */
  ask(count: number): Promise<void>;
  begin(perSecond: number): void;
  /** Resolves when everything is sent. */
  stop(): Promise<void>;
};

export async function openTraffic({
  agents,
  observer,
  random,
  gateways,
}: {
  /** The bus that sends the agents' records. A fault may cut its connection. */
  agents: Bus;
  observer: Bus;
  random: () => number;
  gateways(): readonly Api[];
}): Promise<Traffic> {
  const due: Outgoing[] = [];
  const late: { atMs: number; told: Outgoing }[] = [];
  const log = await followDecided(observer, (decision) => plan(decision));
  let [asked, isOn] = [0, true];
  const sending: Promise<void>[] = [sendOutcomes()];

  function plan(decision: Decision): void {
    const told = outcome(decision, random, decision.chargedMicros);
    const fate = random();
    if (fate < 0.05) return;
    if (fate < 0.1) late.push({ atMs: performance.now() + LATE_MS, told });
    else due.push(told, ...(fate < 0.15 ? [told] : []));
  }

  function next(count: number): Asked[] {
    const from = asked;
    asked += count;
    return Array.from({ length: count }, (_, at) => actionOf(from + at, random));
  }

  async function post(path: string, body: readonly object[], waitMs = 0): Promise<void> {
    for (;;) {
      try {
        await pick(gateways(), random).post(path, body, { query: { waitMs } });
        return;
      } catch (error) {
        if (!isPassing(error)) throw error;
        await sleep(LOOK_EVERY_MS);
      }
    }
  }

  async function sendOutcomes(): Promise<void> {
    while (isOn || due.length > 0 || late.length > 0) {
      const isOver = late.findIndex(({ atMs }) => isOn && atMs > performance.now());
      due.push(...late.splice(0, isOver === -1 ? late.length : isOver).map(({ told }) => told));
      const share = due.splice(0, MOST_AT_ONCE);
      if (share.length === 0) await sleep(LOOK_EVERY_MS);
      else if (random() < OVER_HTTP) await post('/v1/outcomes', share.map(bodyOf));
      else await appendUntilTaken(agents, share);
    }
  }

  async function write(
    pace: (count: number) => Promise<void>,
    most: number,
    share: number,
    send: (actions: Asked[]) => Promise<unknown>,
  ): Promise<void> {
    while (isOn) {
      await pace(share);
      while (isOn && asked - log.decided() > most) await sleep(LOOK_EVERY_MS);
      await send(next(share));
    }
  }

  const onLog = (actions: Asked[]) => appendUntilTaken(agents, actions.map(recordOf));
  return {
    ...log,
    asked: () => asked,
    ask: async (count) => void (await onLog(next(count))),
    begin(perSecond) {
      const most = AHEAD_SECONDS * perSecond;
      const overHttp = paceOf(OVER_HTTP * perSecond);
      sending.push(
        write(paceOf((1 - OVER_HTTP) * perSecond), most, SHARE_ON_LOG, onLog),
        ...Array.from({ length: HTTP_WRITERS }, () =>
          write(overHttp, most, SHARE_OVER_HTTP, (actions) =>
            post('/v1/actions', actions, pick(WAITS_MS, random)),
          ),
        ),
      );
      // Errors are not lost: `stop` returns these promises, and every test awaits `stop`.
      for (const each of sending) each.catch(() => {});
    },
    async stop() {
      isOn = false;
      await Promise.all(sending);
    },
  };
}

function recordOf(action: Asked): Outgoing {
  return {
    key: agentKey('default', action.agentId),
    value: JSON.stringify({ event: 'action.requested', action }),
  };
}

function bodyOf({ value }: Outgoing): object {
  return JSON.parse(String(value)).outcome;
}

/** True if the gateway is ending or cannot reach its servers. False if the gateway refuses the request itself. */
function isPassing(error: unknown): boolean {
  return error instanceof Error && (!('status' in error) || error.status === 503);
}
