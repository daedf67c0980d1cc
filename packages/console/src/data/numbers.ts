/** `1,234` */
export function counted(count: number): string {
  return count.toLocaleString('en-US');
}
