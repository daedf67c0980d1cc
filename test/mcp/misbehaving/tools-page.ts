/** The list of tools that the misbehaving server shows, in pages. */
import type { ServerState } from './state.ts';
import { TOOLS } from './tools.ts';

const PAGE_TOOLS = 4;

/** Returns one page of the tools. The secret tool is alone on its page, so a filter leaves this page empty. */
export function toolsPage(
  { isRenamed }: ServerState,
  cursor: unknown,
): { tools: object[]; nextCursor?: string } {
  const secret = isRenamed ? 'secret-renamed' : 'secret';
  const names = Object.keys(TOOLS);
  const pages = [names.slice(0, PAGE_TOOLS), [secret], names.slice(PAGE_TOOLS)];
  const at = cursor === undefined ? 0 : Number(cursor);
  const tools = (pages[at] ?? []).map((name) => ({
    name,
    description: `Does ${name}.`,
    inputSchema: { type: 'object', additionalProperties: true },
    'example.com/unknown': { kept: name },
  }));
  return at + 1 < pages.length ? { tools, nextCursor: String(at + 1) } : { tools };
}
