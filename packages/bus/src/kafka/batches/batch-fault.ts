/**
 * A fault that the producer put into a batch, which makes the batch unreadable. Other errors while reading are not
 * faults of the batch.
 */
export class BatchFault extends RangeError {}
