/** Warnings of a part while it is checked, for the person who checks it. */

import type { Logger } from '@mandate/runtime';
import { createLogger } from '@mandate/server';

export type Notes = { readonly log: Logger; take(): string[] };

/** Warnings about the world only: what comes with an error is thrown as well, or passes. */
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
