/**
 * Who reads the audit is on the log before anything is shown: whoever answers calls this first, and shows nothing where it
 * throws. A promise that held only while the log is there would be none, so the log being away is no excuse.
 *
 * Appends of the same moment share a batch, which is the log's own doing.
 */
import { randomBytes } from 'node:crypto';
import { type Clock, isMandateError, MandateError } from '@mandate/runtime';
import {
  type AccessRecord,
  type AuditRead,
  recordHeaders,
  sortableId,
  TOPICS,
  wireTime,
} from '@mandate/schemas';
import type { Bus } from './port.ts';

/**
 * Resolves once the read is on the log.
 *
 * @throws MandateError READ_NOT_RECORDED (retryable) in bounded time; it may be on the log all the same
 */
export type RecordRead = (
  read: Omit<AuditRead, 'id' | 'at' | 'traceId'>,
  traceparent: string | null,
) => Promise<void>;

/** More than this at a time means that the log does not keep up: better to say so than to let them pile up. */
const MOST_UNDER_WAY = 1_000;
const PARTITION = 0;

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
  return async (read, traceparent) => {
    if (underWay >= MOST_UNDER_WAY) throw notRecorded('too many reads wait to be recorded');
    underWay += 1;
    const late = Promise.withResolvers<never>();
    const timer = setTimeout(
      () => late.reject(notRecorded(`the log did not take it within ${timeoutMs} ms`)),
      timeoutMs,
    );
    try {
      const appended = bus.append(TOPICS.access, [outgoing(read, { source, traceparent, atMs: clock() })]);
      await Promise.race([appended, late.promise]);
    } catch (error) {
      if (isMandateError(error, 'READ_NOT_RECORDED')) throw error;
      throw notRecorded('the log does not take it now', error);
    } finally {
      clearTimeout(timer);
      underWay -= 1;
    }
  };
}

function outgoing(
  read: Parameters<RecordRead>[0],
  { source, traceparent, atMs }: { source: string; traceparent: string | null; atMs: number },
) {
  const id = sortableId('read', atMs, randomBytes(10).toString('hex'));
  const event: AccessRecord = {
    event: 'audit.read',
    read: { id, ...read, traceId: traceparent?.split('-')[1] ?? null, at: wireTime(atMs) },
  };
  // Its trace is told of and not continued: how the note gets into the tables is no part of what was asked.
  const headers = recordHeaders({ id, event: event.event }, { source, traceparent: null });
  return { key: read.tenant, partition: PARTITION, value: JSON.stringify(event), headers };
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
