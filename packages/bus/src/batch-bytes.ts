/**
 * Once the values of a batch weigh so much, it is full, however many records were asked for: handling it must not take so
 * long that its handler loses the partition, however tight its producer packed it.
 */
export const BATCH_BYTES = 2 * 1024 * 1024;
