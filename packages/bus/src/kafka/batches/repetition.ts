import { BatchFault } from './batch-fault.ts';

/** Repeats what stands `distance` bytes back; it may overlap what it writes, which is how runs are told. */
export function repeat(out: Buffer, end: number, distance: number, length: number): number {
  if (distance === 0 || distance > end || end + length > out.length) {
    throw new BatchFault('a repetition points outside of what was decompressed');
  }
  for (let i = end; i < end + length; i++) out[i] = out[i - distance] ?? 0;
  return end + length;
}
