import type { LogRecord } from './port.ts';

/**
 * Returns the offset after a record, or after all records of an unreadable batch. A handler commits this offset after
 * it has handled the record.
 */
export function nextOffset({ position, unreadable }: LogRecord): number {
  return (unreadable?.lastOffset ?? position.offset) + 1;
}
