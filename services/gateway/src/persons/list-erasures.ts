/**
 * The persons that a tenant has forgotten, newest first, read from the log. The gateway stores no list, which could
 * be long. One partition contains the erasures of all tenants. So a page reads records for a limited time and says
 * where the next page begins.
 */
import type { Bus } from '@mandate/bus';
import { type PersonErasure, readPersonsRecord, TOPICS } from '@mandate/schemas';
import { PERSONS_PARTITION } from './follow-erasures.ts';

const LONGEST_MS = 5_000;

type Asked = {
  limit: number;
  /** Only erasures before this offset are returned. Null: all erasures. */
  before: number | null;
  /** How long a page may read. At least one record is read. Default {@link LONGEST_MS}. */
  longestMs?: number;
};

/** `next` is the end of the next page: the page reads backwards from this offset. Null if no older records exist. */
export async function erasuresOf(
  bus: Pick<Bus, 'ranges' | 'at'>,
  tenant: string,
  { limit, before, longestMs = LONGEST_MS }: Asked,
): Promise<{ erasures: readonly PersonErasure[]; next: number | null }> {
  const until = performance.now() + longestMs;
  const ranges = await bus.ranges(TOPICS.persons);
  const { startOffset, endOffset } = ranges.find(({ partition }) => partition === PERSONS_PARTITION) ?? {
    startOffset: 0,
    endOffset: 0,
  };
  const erasures: PersonErasure[] = [];
  for (let offset = Math.min(before ?? endOffset, endOffset) - 1; offset >= startOffset; offset -= 1) {
    const record = await bus.at({ topic: TOPICS.persons, partition: PERSONS_PARTITION, offset });
    const erasure = record && erasureIn(record.value);
    if (erasure?.tenant === tenant) erasures.push(erasure);
    const isFull = erasures.length === limit || performance.now() >= until;
    if (isFull && offset > startOffset) return { erasures, next: offset };
  }
  return { erasures, next: null };
}

/** Returns the erasure in a record. Null for other records. */
function erasureIn(value: Uint8Array): PersonErasure | null {
  try {
    const record = readPersonsRecord(value);
    return record.event === 'person.erased' ? record.erasure : null;
  } catch {
    return null;
  }
}
