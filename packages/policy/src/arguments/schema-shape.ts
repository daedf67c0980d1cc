/** The largest size of a schema in bytes. The time to check and compile a schema grows with its size. */
const MOST_BYTES = 64 * 1024;
const DEEPEST = 32;

/** Returns why a schema is too large to compile, or null. */
export function schemaTooLarge(schema: object): string | null {
  if (!isWithinDepth(schema, DEEPEST)) return `the schema is nested deeper than ${DEEPEST}`;
  if (JSON.stringify(schema).length > MOST_BYTES) return `the schema is larger than ${MOST_BYTES / 1024} KiB`;
  return null;
}

function isWithinDepth(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return depth > 0 && Object.values(value).every((member) => isWithinDepth(member, depth - 1));
}

/** Returns the number of objects that a value consists of. */
export function partsOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const own = Array.isArray(value) ? 0 : 1;
  return Object.values(value).reduce<number>((sum, member) => sum + partsOf(member), own);
}
