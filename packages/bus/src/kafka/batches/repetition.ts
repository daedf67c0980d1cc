import { BatchFault } from './batch-fault.ts';

/**
 * Copies `length` bytes from `distance` bytes before the end of the output. Source and copy may overlap. The format
 * encodes runs of equal bytes in this way.
 */
export function repeat(out: Buffer, end: number, distance: number, length: number): number {
  if (distance === 0 || distance > end || end + length > out.length) {
    throw new BatchFault('a repetition points outside of what was decompressed');
  }
  for (let i = end; i < end + length; i++) out[i] = out[i - distance] ?? 0;
  return end + length;
}
