/** What the misbehaving server remembers, and the lists that it shows. */
import { TOOLS } from './tools.ts';

export type ServerState = {
  isRenamed: boolean;
  /** The methods of all messages so far, with the name of the tool or the id that is cancelled. */
  log: string[];
};

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
