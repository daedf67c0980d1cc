/**
 * Matches agent ids with globs. Only `*` is special: it matches any number of characters. The pieces between stars
 * are searched from left to right, each at its first match. A later match is never better, so there is no
 * backtracking, and no pattern is slow.
 */
import type { ApiKeyRecord } from '@mandate/schemas';

function matchesGlob(glob: string, text: string): boolean {
  const pieces = glob.split('*');
  const first = pieces.shift() ?? '';
  const last = pieces.pop();
  if (last === undefined) return glob === text;
  if (text.length < first.length + last.length || !text.startsWith(first) || !text.endsWith(last))
    return false;
  const end = text.length - last.length;
  let from = first.length;
  for (const piece of pieces) {
    const at = text.indexOf(piece, from);
    if (at === -1 || at + piece.length > end) return false;
    from = at + piece.length;
  }
  return true;
}

/** True if the key may act for this agent. Checks the field `agents` of the key, but not its scopes. */
export function speaksFor(record: ApiKeyRecord, agentId: string): boolean {
  return record.agents.some((glob) => matchesGlob(glob, agentId));
}
