import { jsonPointer, notAsDescribed } from '@mandate/server';

type Compiled =
  | { ok: true }
  | { ok: false; faults: readonly { path: readonly (string | number)[]; message: string }[] };

/** The maximum number of faults of one document that an answer lists. */
const MOST = 50;

/**
 * Throws VALIDATION_FAILED if a document does not compile. The schema has already checked the document's shape. This
 * function checks its meaning.
 *
 * @param within path of the document in the body
 */
export function mustCompile(compiled: Compiled, within: readonly (string | number)[] = []): void {
  if (compiled.ok) return;
  throw notAsDescribed(
    compiled.faults
      .slice(0, MOST)
      .map(({ path, message }) => ({ pointer: jsonPointer([...within, ...path]), detail: message })),
  );
}
