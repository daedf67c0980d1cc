/** A format is made once, because making it takes many times as long as its use. */
const WHOLE = new Intl.NumberFormat('en-US');

/** `1,234` */
export function counted(count: number): string {
  return WHOLE.format(count);
}
