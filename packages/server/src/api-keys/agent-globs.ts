/**
 * Globs of agent ids. Only `*` is special: any run of characters, none included. Pieces between stars are sought from
 * left to right, each at the first place where it stands; a later place can never do better, so nothing is ever tried
 * twice and no pattern can make this slow.
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

/** Whether a key may speak for this agent. Only its `agents` are asked, not its scopes. */
export function speaksFor(record: ApiKeyRecord, agentId: string): boolean {
  return record.agents.some((glob) => matchesGlob(glob, agentId));
}
