import type { LogRecord } from './port.ts';

/**
 * Returns the offset after a record, or after all records of an unreadable batch. A handler commits this offset when
 * the record is done.
 */
export function nextOffset({ position, unreadable }: LogRecord): number {
  return (unreadable?.lastOffset ?? position.offset) + 1;
}
