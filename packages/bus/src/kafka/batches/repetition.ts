import { BatchFault } from './batch-fault.ts';

/**
 * Copies the bytes that are `distance` back. The source may overlap the copy: that is how the format encodes runs.
 */
export function repeat(out: Buffer, end: number, distance: number, length: number): number {
  if (distance === 0 || distance > end || end + length > out.length) {
    throw new BatchFault('a repetition points outside of what was decompressed');
  }
  for (let i = end; i < end + length; i++) out[i] = out[i - distance] ?? 0;
  return end + length;
}
