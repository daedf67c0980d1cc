/** The maximum number of records and bytes of one slice. The slice ends at the first limit that it reaches. */
export type SliceLimits = { records: number; bytes: number };

export type Slice<T> = { records: T[]; bytes: number };

/**
 * Cuts the records of one call into slices, in order. One request or transaction can contain a slice. A record above
 * the limit gets its own slice.
 */
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
