/** How large a schema may be: its code is generated at load, and compiling must not take longer than people wait. */
const MOST_BYTES = 64 * 1024;
const DEEPEST = 32;

/** Says why a schema is too large to compile, or null. */
export function schemaTooLarge(schema: object): string | null {
  if (!isWithinDepth(schema, DEEPEST)) return `the schema is nested deeper than ${DEEPEST}`;
  if (JSON.stringify(schema).length > MOST_BYTES) return `the schema is larger than ${MOST_BYTES / 1024} KiB`;
  return null;
}

function isWithinDepth(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return depth > 0 && Object.values(value).every((member) => isWithinDepth(member, depth - 1));
}

/** The path to the first member of a document for which the question is answered with yes; empty if there is none. */
export function findInSchema(
  schema: object,
  isIt: (key: string, value: unknown) => boolean,
): readonly (string | number)[] {
  for (const [key, value] of Object.entries(schema)) {
    const step = Array.isArray(schema) ? Number(key) : key;
    if (isIt(key, value)) return [step];
    if (typeof value !== 'object' || value === null) continue;
    const below = findInSchema(value, isIt);
    if (below.length > 0) return [step, ...below];
  }
  return [];
}

/** How many objects it is made of: compiling takes some hundred microseconds for each. */
export function partsOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const own = Array.isArray(value) ? 0 : 1;
  return Object.values(value).reduce<number>((sum, member) => sum + partsOf(member), own);
}
