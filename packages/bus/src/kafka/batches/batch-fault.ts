/** What a producer did to a batch so that it cannot be read; whatever else goes wrong in reading is no fault of the batch. */
export class BatchFault extends RangeError {}
