import { MandateError } from '@mandate/runtime';

/**
 * The error if the log does not answer. The log may or may not contain the records of a pending append. A later read
 * shows which.
 */
export function unavailable(
  message: string,
  facts: { cause?: unknown; retryable?: boolean; remedy?: string | undefined } = {},
): MandateError {
  return new MandateError('BUS_UNAVAILABLE', message, {
    remedy:
      facts.remedy ??
      'Try again. If the error persists, check that the log is reachable, that its disk is not full, and that no other process locks it.',
    retryable: facts.retryable ?? true,
    cause: facts.cause,
  });
}

export function overloaded(message: string): MandateError {
  return new MandateError('BUS_OVERLOADED', message, {
    remedy: 'Publish more slowly, or raise the limit of records in flight.',
    retryable: true,
  });
}

export function fenced(group: string, topic: string, partition: number): MandateError {
  return new MandateError(
    'BUS_FENCED',
    `${topic}/${partition} no longer belongs to this member of group ${group}`,
    { remedy: 'Drop the current batch. Another member handles it again from the committed position.' },
  );
}

/**
 * The error if the log does not have the offset `wanted`. The log has the offsets from `startOffset` to `endOffset`.
 */
export function offsetLost(facts: {
  topic: string;
  partition: number;
  wanted: number;
  startOffset: number;
  endOffset: number;
  group?: string;
}): MandateError {
  const { topic, partition, wanted, startOffset, endOffset, group } = facts;
  const who = group === undefined ? 'a reader' : `group ${group}`;
  return new MandateError(
    'BUS_OFFSET_LOST',
    `${who} is at offset ${wanted} of ${topic}/${partition}, which holds ${startOffset} to ${endOffset}`,
    {
      remedy:
        'Records in between were never handled. Recover them from a backup, or start a new group deliberately.',
    },
  );
}

export function closed(): MandateError {
  return new MandateError('BUS_CLOSED', 'the bus is closed', {
    remedy: 'Open a new bus. A closed bus stays closed.',
  });
}

/** The error if the log contains a batch that cannot be read. No later record of the partition is handed over. */
export function unreadable(facts: {
  topic: string;
  partition: number;
  offset: number;
  cause: unknown;
}): MandateError {
  const { topic, partition, offset, cause } = facts;
  const why = cause instanceof Error ? cause.message : String(cause);
  return new MandateError(
    'BUS_UNREADABLE',
    `the batch at offset ${offset} of ${topic}/${partition} cannot be read: ${why}`,
    {
      remedy:
        'Find out which program wrote the batch. If the disk of a broker is damaged, restore the batch from a replica. To continue without the records of the batch, move the group past it.',
      cause,
    },
  );
}

/**
 * Returns the error for a record of a kind that this program does not know. A reader that needs all records must stop
 * at this record, because the record may change the meaning of other records.
 */
export function recordUnreadable(
  { topic, partition, offset }: { topic: string; partition: number; offset: number },
  cause: unknown,
): MandateError {
  return new MandateError('LOG_UNREADABLE', `the record at ${topic}/${partition}/${offset} cannot be read`, {
    remedy:
      'Look at that record. Only Mandate writes to this topic. If a newer version of Mandate wrote the record, upgrade this program.',
    cause,
  });
}

/** The error if a topic is missing, or if its settings do not fit its records. */
export function topicUnfit(message: string, remedy: string, cause?: unknown): MandateError {
  return new MandateError('BUS_TOPIC_UNFIT', message, { remedy, cause });
}

/** The error if the caller asked for something impossible. Nothing was written. */
export function misused(message: string): MandateError {
  return new MandateError('BUS_MISUSED', message, {
    remedy: 'Correct the call. A retry does not help.',
  });
}
