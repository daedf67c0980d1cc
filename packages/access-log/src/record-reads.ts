/**
 * Records reads of the audit before anything is shown. A service calls this before it answers, and shows nothing if
 * it throws. Reads fail while the log is away. Otherwise a reader could wait for such a moment and read without a
 * record.
 *
 * Records of the same moment share a batch of the log.
 */

import type { Bus } from '@mandate/bus';
import { type Clock, isMandateError, MandateError } from '@mandate/runtime';
import { TOPICS } from '@mandate/schemas';
import { accessRecord, type Read, sameAs, together } from './access-record.ts';

/**
 * Resolves once the read is on the log.
 *
 * @throws MandateError READ_NOT_RECORDED (retryable) within a time limit; even then the log may contain the read
 */
export type RecordRead = (read: Read, traceparent: string | null) => Promise<void>;

/**
 * The most reads that may wait for the log at one time. If more reads wait, the log is too slow, and further reads
 * are refused.
 */
const MOST_UNDER_WAY = 1_000;
/**
 * The most refusals that are appended one by one at the same time. Further refusals of a key at a route share one
 * record. So a flood of refused requests does not delay accepted callers.
 */
const MOST_REFUSALS_UNDER_WAY = 100;
/** The most pairs of key and route that are counted at one time. */
const MOST_COUNTED = 1_000;

type Counted = {
  read: Read;
  traceparent: string | null;
  times: number;
  recorded: PromiseWithResolvers<void>;
};

/** @param source the service that writes the records, such as `query` */
export function recordReads(options: {
  bus: Pick<Bus, 'append'>;
  source: string;
  clock: Clock;
  /** How long to wait for the log, in milliseconds. Default 10,000. */
  timeoutMs?: number;
}): RecordRead {
  const { bus, source, clock, timeoutMs = 10_000 } = options;
  let underWay = 0;
  let refusals = 0;
  /** The counted refusals by key and route, the oldest first. */
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
      // The log failed, so the counted refusals fail at once and do not wait for the same log.
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

  /** Records the oldest count. Later refusals of the same key at the same route begin a new count. */
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
    `the audit is shown only after the read was recorded: ${why}`,
    {
      remedy: 'Decisions continue, and nothing is lost. Ask again after the log answers: see /readyz.',
      retryable: true,
      cause,
    },
  );
}
