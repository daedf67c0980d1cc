/**
 * A batch is full when its values reach this many bytes, even if the caller asked for more records. Otherwise a
 * handler could need so long for one batch that it loses the partition.
 */
export const BATCH_BYTES = 2 * 1024 * 1024;
