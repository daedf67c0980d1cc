import { jsonPointer, notAsDescribed } from '@mandate/server';

type Compiled =
  | { ok: true }
  | { ok: false; faults: readonly { path: readonly (string | number)[]; message: string }[] };

/** How many faults of a document are told. */
const MOST = 50;

/**
 * Throws VALIDATION_FAILED, as for any other fault of the body: its shape was read, and what it means is checked here.
 *
 * @param within where in the body the document stands
 */
export function mustCompile(compiled: Compiled, within: readonly (string | number)[] = []): void {
  if (compiled.ok) return;
  throw notAsDescribed(
    compiled.faults
      .slice(0, MOST)
      .map(({ path, message }) => ({ pointer: jsonPointer([...within, ...path]), detail: message })),
  );
}
