/** The batch cannot be read, because its producer wrote it wrongly. Other errors of reading have other classes. */
export class BatchFault extends RangeError {}
