import { MandateError } from '@mandate/runtime';

/** @param why the part of the message after "cannot be read:" */
export function unreadableSnapshot(why: string, cause?: unknown): MandateError {
  return new MandateError('SNAPSHOT_UNREADABLE', `The snapshot cannot be read: ${why}.`, {
    remedy: 'No action is needed: the previous snapshot is used, or the log is folded from its start.',
    cause,
  });
}
