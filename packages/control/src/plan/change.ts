/** One thing that is to change. */
import type { Kind } from './standing.ts';

export type Document = Readonly<Record<string, unknown>>;

/** `revision`: of what is changed, 0 where there is none yet. `widens`: what it lets through that was not before. */
export type Change = { kind: Kind; id: string; revision: number; widens: readonly string[] } & (
  | { does: 'add'; before: null; after: Document }
  | { does: 'change'; before: Document; after: Document }
  | { does: 'remove'; before: Document; after: null }
);
