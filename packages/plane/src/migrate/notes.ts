/** Collects the warnings of a part while it is checked, for the person who runs the check. */

import type { Logger } from '@mandate/runtime';
import { createLogger } from '@mandate/server';

export type Notes = { readonly log: Logger; take(): string[] };

/** Collects warnings without an error. A warning with an error is either thrown as well, or passes. */
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
