/** Collects the reasons why a manifest cannot be compiled. */
import type { CompileCode, CompileRefusal } from './compiled.ts';

/** Adds a reason. `message` continues a sentence that begins with the field. */
export type Refuse = (code: CompileCode, path: string, message: string) => void;

/** The maximum number of reasons that are kept. */
const MOST = 100;

export function collectRefusals(): { refusals: readonly CompileRefusal[]; refuse: Refuse } {
  const refusals: CompileRefusal[] = [];
  const refuse: Refuse = (code, path, message) => {
    if (refusals.length < MOST) refusals.push({ code, path, message });
  };
  return { refusals, refuse };
}
