/** How much goes into one piece, whichever is reached first. */
export type SliceLimits = { records: number; bytes: number };

export type Slice<T> = { records: T[]; bytes: number };

/** What one call brings may be more than one request or transaction should hold: pieces of it, in order. A larger record goes alone. */
export function slicesOf<T extends { bytes: number }>(records: readonly T[], most: SliceLimits): Slice<T>[] {
  const slices: Slice<T>[] = [];
  let last: Slice<T> | undefined;
  for (const record of records) {
    if (
      last === undefined ||
      last.records.length === most.records ||
      last.bytes + record.bytes > most.bytes
    ) {
      last = { records: [], bytes: 0 };
      slices.push(last);
    }
    last.records.push(record);
    last.bytes += record.bytes;
  }
  return slices;
}
