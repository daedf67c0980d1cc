/** A number format is created once, because creating it takes many times as long as using it. */
const WHOLE = new Intl.NumberFormat('en-US');

/** `1,234` */
export function counted(count: number): string {
  return WHOLE.format(count);
}
