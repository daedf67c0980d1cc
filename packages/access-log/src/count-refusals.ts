/**
 * Records refusals as counts, because any caller can cause as many refusals as it likes. A request without a valid
 * key (401) counts for the tenant of the key that it names, otherwise for no tenant. Requests beyond a limit (429)
 * are counted as well.
 *
 * The log is kept for good, so a flood must not fill it. No caller waits for these records. A record contains the
 * route. If the limit of an agent refused the request, the record also contains the agent. One record counts all
 * refusals of a key at a route since the previous record. The pause between two records grows while refusals go on.
 * While the log is away, refusals are counted until the log is back.
 */

import type { Bus } from '@mandate/bus';
import type { Clock, Logger } from '@mandate/runtime';
import { TOPICS } from '@mandate/schemas';
import { accessRecord, type Read, sameAs, together } from './access-record.ts';

const FIRST_PAUSE_MS = 5_000;
const LONGEST_PAUSE_MS = 60_000;
/**
 * The maximum number of counts of one tenant, or of requests without a tenant, between two records. Further refusals
 * are only logged. After `MOST_OF_AGENTS` counts, all new agents of a key at a route share one count.
 */
const MOST = 300;
const MOST_OF_AGENTS = 200;
/** close() waits at most this long for the log. The waiting counts are also in the log lines of the service. */
const CLOSE_WITHIN_MS = 1_000;

export type CountedRefusals = {
  /** Counts a refusal. If no other refusal of the tenant is being counted, this refusal is appended at once. */
  note(read: Read): void;
  /** Resolves once all counts are on the log. Resolves after a second if the log does not accept the counts. */
  close(): Promise<void>;
};

type Noted = { read: Read; times: number; atMs: number };
/**
 * The waiting counts of one tenant. Each tenant has its own counts, so a flood for one tenant does not delay other
 * tenants.
 */
type Lane = { waiting: Map<string, Noted>; dropped: number; ended: Promise<void> };

/** @param source the service that writes the records, such as `query` */
export function countRefusals({
  bus,
  source,
  clock,
  log,
}: {
  bus: Pick<Bus, 'append'>;
  source: string;
  clock: Clock;
  log: Pick<Logger, 'warn'>;
}): CountedRefusals {
  /**
   * The waiting counts by tenant; null for requests without a tenant. An entry is removed after a time without
   * refusals.
   */
  const lanes = new Map<string | null, Lane>();
  const closed = Promise.withResolvers<void>();
  let closing: Promise<void> | null = null;
  let isAway = false;

  function note(read: Read): void {
    const known = lanes.get(read.tenant);
    const lane = known ?? { waiting: new Map(), dropped: 0, ended: Promise.resolve() };
    add(lane, { read, times: 1, atMs: clock() });
    if (known !== undefined) return;
    lanes.set(read.tenant, lane);
    lane.ended = recordAll(read.tenant, lane);
  }

  async function recordAll(tenant: string | null, lane: Lane): Promise<void> {
    let pauseMs = FIRST_PAUSE_MS;
    while (lane.waiting.size > 0 && closing === null) {
      await record(lane);
      await firstOf(closed.promise, pauseMs);
      pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS);
    }
    // The entry is removed before the last record is written. A later refusal then begins a new entry and is not
    // lost.
    lanes.delete(tenant);
    // Makes one last attempt to record the waiting counts. If the log does not accept them, they are lost.
    await record(lane);
  }

  async function record(lane: Lane): Promise<void> {
    const noted = [...lane.waiting.values()];
    lane.waiting.clear();
    if (noted.length === 0) return;
    const records = noted.map(({ read, times, atMs }) =>
      accessRecord(together(read, times), { source, traceparent: null, atMs }),
    );
    try {
      await bus.append(TOPICS.access, records);
      isAway = false;
    } catch (err) {
      if (!isAway)
        log.warn({ err }, 'refusals (401, 429) are counted until the log accepts a record of them');
      isAway = true;
      // Puts the counts back. Refusals that were counted during the attempt are added to them.
      for (const one of noted) add(lane, one);
    }
    if (lane.dropped > 0)
      log.warn({ refusals: lane.dropped }, 'too many refusals (401, 429): these refusals are not recorded');
    lane.dropped = 0;
  }

  function close(): Promise<void> {
    closed.resolve();
    closing ??= firstOf(Promise.all([...lanes.values()].map(({ ended }) => ended)), CLOSE_WITHIN_MS);
    return closing;
  }

  return { note, close };
}

function add(lane: Lane, noted: Noted): void {
  const name = `${sameAs(noted.read)} ${JSON.stringify(noted.read.parameters)}`;
  const known = lane.waiting.get(name);
  if (known !== undefined) known.times += noted.times;
  else if (lane.waiting.size < mostOf(noted)) lane.waiting.set(name, { ...noted });
  else if (isOfAgent(noted)) add(lane, { ...noted, read: { ...noted.read, parameters: {} } });
  else lane.dropped += noted.times;
}

function mostOf(noted: Noted): number {
  return isOfAgent(noted) ? MOST_OF_AGENTS : MOST;
}

function isOfAgent({ read }: Noted): boolean {
  return Object.keys(read.parameters).length > 0;
}

async function firstOf(work: Promise<unknown>, ms: number): Promise<void> {
  const late = Promise.withResolvers<void>();
  const timer = setTimeout(late.resolve, ms);
  await Promise.race([work, late.promise]);
  clearTimeout(timer);
}
