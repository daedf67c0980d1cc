/**
 * A fault in a batch that its producer caused. The batch cannot be read. Other errors during reading are not faults
 * of the batch.
 */
export class BatchFault extends RangeError {}
