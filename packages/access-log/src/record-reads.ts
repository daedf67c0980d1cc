/**
 * Who reads the audit is on the log before anything is shown: whoever answers calls this first, and shows nothing where it
 * throws. A promise that held only while the log is there would be none, so the log being away is no excuse.
 *
 * Appends of the same moment share a batch, which is the log's own doing.
 */

import type { Bus } from '@mandate/bus';
import { type Clock, isMandateError, MandateError } from '@mandate/runtime';
import { TOPICS } from '@mandate/schemas';
import { accessRecord, type Read, sameAs, together } from './access-record.ts';

/**
 * Resolves once the read is on the log.
 *
 * @throws MandateError READ_NOT_RECORDED (retryable) in bounded time; it may be on the log all the same
 */
export type RecordRead = (read: Read, traceparent: string | null) => Promise<void>;

/** More than this at a time means that the log does not keep up: better to say so than to let them pile up. */
const MOST_UNDER_WAY = 1_000;
/**
 * Of those who are turned away so many have a record of their own at a time; others of the same key at the same route wait
 * for one that counts them: they may be a flood, and must not keep those out who are let in.
 */
const MOST_REFUSALS_UNDER_WAY = 100;
/** Keys at routes that are counted at a time. */
const MOST_COUNTED = 1_000;

type Counted = {
  read: Read;
  traceparent: string | null;
  times: number;
  recorded: PromiseWithResolvers<void>;
};

/** @param source who writes them, such as `query` */
export function recordReads(options: {
  bus: Pick<Bus, 'append'>;
  source: string;
  clock: Clock;
  /** Default 10,000. */
  timeoutMs?: number;
}): RecordRead {
  const { bus, source, clock, timeoutMs = 10_000 } = options;
  let underWay = 0;
  let refusals = 0;
  /** By key and route, the oldest first. */
  const counted = new Map<string, Counted>();

  return (read, traceparent) => {
    if (read.refused) return recordRefusal(read, traceparent);
    return recordWithin(read, traceparent);
  };

  async function recordRefusal(read: Read, traceparent: string | null): Promise<void> {
    if (refusals >= MOST_REFUSALS_UNDER_WAY) return count(read, traceparent);
    refusals += 1;
    try {
      await append(read, traceparent);
    } catch (error) {
      // Nobody waits for the log to fail them a second time.
      for (const { recorded } of counted.values()) recorded.reject(error);
      counted.clear();
      throw error;
    } finally {
      refusals -= 1;
      recordCounted();
    }
  }

  function count(read: Read, traceparent: string | null): Promise<void> {
    const name = sameAs(read);
    const known = counted.get(name);
    if (known !== undefined) {
      known.times += 1;
      return known.recorded.promise;
    }
    if (counted.size >= MOST_COUNTED)
      return Promise.reject(notRecorded('too many refusals wait to be recorded'));
    const recorded = Promise.withResolvers<void>();
    counted.set(name, { read, traceparent, times: 1, recorded });
    return recorded.promise;
  }

  /** Those that wait longest; what comes meanwhile is counted anew. */
  function recordCounted(): void {
    const [next] = counted;
    if (next === undefined) return;
    const [name, { read, traceparent, times, recorded }] = next;
    counted.delete(name);
    const all = times === 1 ? read : together({ ...read, parameters: {} }, times);
    recordRefusal(all, traceparent).then(recorded.resolve, recorded.reject);
  }

  async function recordWithin(read: Read, traceparent: string | null): Promise<void> {
    if (underWay >= MOST_UNDER_WAY) throw notRecorded('too many reads wait to be recorded');
    underWay += 1;
    try {
      await append(read, traceparent);
    } finally {
      underWay -= 1;
    }
  }

  async function append(read: Read, traceparent: string | null): Promise<void> {
    const late = Promise.withResolvers<never>();
    const timer = setTimeout(
      () => late.reject(notRecorded(`the log did not take it within ${timeoutMs} ms`)),
      timeoutMs,
    );
    try {
      const appended = bus.append(TOPICS.access, [
        accessRecord(read, { source, traceparent, atMs: clock() }),
      ]);
      await Promise.race([appended, late.promise]);
    } catch (error) {
      if (isMandateError(error, 'READ_NOT_RECORDED')) throw error;
      throw notRecorded('the log does not take it now', error);
    } finally {
      clearTimeout(timer);
    }
  }
}

function notRecorded(why: string, cause?: unknown): MandateError {
  return new MandateError(
    'READ_NOT_RECORDED',
    `nothing of the audit is shown before it is on record who reads it: ${why}`,
    {
      remedy: 'Decisions go on and nothing is lost. Ask again once the log answers: /readyz tells.',
      retryable: true,
      cause,
    },
  );
}
