import { jsonPointer, notAsDescribed } from '@mandate/runtime';

type Compiled =
  | { ok: true }
  | { ok: false; faults: readonly { path: readonly (string | number)[]; message: string }[] };

/** Throws VALIDATION_FAILED, as for any other fault of the body: its shape was read, and what it means is checked here. */
export function mustCompile(compiled: Compiled): void {
  if (compiled.ok) return;
  throw notAsDescribed(
    compiled.faults.map(({ path, message }) => ({ pointer: jsonPointer(path), detail: message })),
  );
}
