/** Collects the warnings of a part during a check. The person who runs the check sees them. */

import type { Logger } from '@mandate/runtime';
import { createLogger } from '@mandate/server';

export type Notes = { readonly log: Logger; take(): string[] };

/**
 * Collects warnings that have no error. A warning with an error is left out, because the error is also thrown, or is
 * temporary.
 */
export function takeNotes(): Notes {
  const noted: string[] = [];
  const write = (line: string) => {
    const { msg, err }: { msg: string; err?: unknown } = JSON.parse(line);
    if (err === undefined) noted.push(msg);
  };
  return {
    log: createLogger({ name: 'migrate', level: 'warn', destination: { write } }),
    take: () => [...new Set(noted.splice(0))],
  };
}
