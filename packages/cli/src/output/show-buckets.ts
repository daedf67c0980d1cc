/** Shows the buckets of a group: one character for each bucket to people, one row for each bucket to programs. */
import type { Row } from './show-answer-rows.ts';
import { sparkline } from './sparkline.ts';

/** @param figure the name of the field that the sparkline shows */
export function bucketsAsSparkline({ buckets, ...row }: Row, figure: string): Row[] {
  if (!Array.isArray(buckets)) return [row];
  const { group, ...rest } = row;
  const drawn = sparkline(
    buckets.map(({ [figure]: value }: Row) => (typeof value === 'number' ? value : null)),
  );
  // The sparkline comes before the other figures, because the person has asked for it.
  return [{ group, [overTime(figure)]: drawn, ...rest }];
}

export function overTime(figure: string): string {
  return `${figure} over time`;
}

export function bucketsAsRows({ buckets, ...row }: Row): Row[] {
  if (!Array.isArray(buckets)) return [row];
  return buckets.map(({ start, ...measures }: Row) => ({ group: row.group, start, ...measures }));
}
