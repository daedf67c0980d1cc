/** The buckets of a group. People see one character for each bucket, and programs get one row for each bucket. */
import type { Row } from './show-answer-rows.ts';
import { sparkline } from './sparkline.ts';

/** @param figure the field that is drawn */
export function bucketsAsSparkline({ buckets, ...row }: Row, figure: string): Row[] {
  if (!Array.isArray(buckets)) return [row];
  const { group, ...rest } = row;
  const drawn = sparkline(
    buckets.map(({ [figure]: value }: Row) => (typeof value === 'number' ? value : null)),
  );
  // The sparkline comes before the figures, because the person asked for it.
  return [{ group, [overTime(figure)]: drawn, ...rest }];
}

export function overTime(figure: string): string {
  return `${figure} over time`;
}

export function bucketsAsRows({ buckets, ...row }: Row): Row[] {
  if (!Array.isArray(buckets)) return [row];
  return buckets.map(({ start, ...measures }: Row) => ({ group: row.group, start, ...measures }));
}
