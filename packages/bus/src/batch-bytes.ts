/**
 * A batch is full when its values reach this many bytes, however many records the caller asked for. Otherwise the
 * handler could take so long over a tightly packed batch that it loses the partition.
 */
export const BATCH_BYTES = 2 * 1024 * 1024;
