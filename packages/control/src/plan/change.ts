/** One planned change. */
import type { Kind } from './current-documents.ts';

export type Document = Readonly<Record<string, unknown>>;

/**
 * `revision`: the revision of the document, or 0 if the document does not exist yet. `widens`: what the change newly
 * allows.
 */
export type Change = { kind: Kind; id: string; revision: number; widens: readonly string[] } & (
  | { does: 'add'; before: null; after: Document }
  | { does: 'change'; before: Document; after: Document }
  | { does: 'remove'; before: Document; after: null }
);
