import type { LogRecord } from './port.ts';

/** The offset behind a record, or behind all that an unreadable batch stands for: where to commit once it is done. */
export function nextOffset({ position, unreadable }: LogRecord): number {
  return (unreadable?.lastOffset ?? position.offset) + 1;
}
