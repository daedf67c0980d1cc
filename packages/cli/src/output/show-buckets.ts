/** The buckets of a group: for people one character each, for programs a row each. */
import type { Row } from './show-answer-rows.ts';
import { sparkline } from './sparkline.ts';

/** @param figure what is drawn */
export function bucketsAsSparkline({ buckets, ...row }: Row, figure: string): Row[] {
  if (!Array.isArray(buckets)) return [row];
  const { group, ...rest } = row;
  const drawn = sparkline(buckets.map((bucket: Row) => numberOr0(bucket[figure])));
  // Ahead of the figures: it is what one asked for.
  return [{ group, [overTime(figure)]: drawn, ...rest }];
}

/** What the column is called in which a figure is drawn. */
export function overTime(figure: string): string {
  return `${figure} over time`;
}

export function bucketsAsRows({ buckets, ...row }: Row): Row[] {
  if (!Array.isArray(buckets)) return [row];
  return buckets.map(({ start, ...measures }: Row) => ({ group: row.group, start, ...measures }));
}

function numberOr0(value: unknown): number {
  return typeof value === 'number' ? value : 0;
}
