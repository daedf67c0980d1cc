/** Reads the lists of tools of Claude Code: `Read, Bash(git *), mcp__github__get_issue`. */

/** A tool as the file writes it. `specifier` is the text in brackets, or null without brackets. */
export type WrittenTool = { name: string; specifier: string | null; text: string; at: number };

/**
 * Splits a list of tools. The list is a text with commas, or a list of texts. A comma inside brackets does not separate
 * tools. `at` is the position in the list.
 */
export function writtenTools(list: string | readonly string[]): WrittenTool[] {
  const texts = typeof list === 'string' ? splitAtCommas(list) : list.map((text) => text.trim());
  return texts
    .map((text, at) => ({ text, at }))
    .filter(({ text }) => text !== '')
    .map(({ text, at }) => {
      const open = text.indexOf('(');
      if (open === -1 || !text.endsWith(')')) return { name: text, specifier: null, text, at };
      return { name: text.slice(0, open).trim(), specifier: text.slice(open + 1, -1).trim(), text, at };
    });
}

function splitAtCommas(list: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  for (let at = 0; at < list.length; at++) {
    const character = list[at];
    if (character === '(') depth += 1;
    else if (character === ')') depth = Math.max(0, depth - 1);
    else if (character === ',' && depth === 0) {
      parts.push(list.slice(start, at).trim());
      start = at + 1;
    }
  }
  parts.push(list.slice(start).trim());
  return parts;
}

/** Returns the server and the tool of `mcp__server__tool`. `tool` is null for every tool of the server. */
export function serverTool(name: string): { server: string; tool: string | null } | null {
  if (!name.startsWith('mcp__')) return null;
  const rest = name.slice('mcp__'.length);
  const separator = rest.indexOf('__');
  const server = separator === -1 ? rest : rest.slice(0, separator);
  const tool = separator === -1 ? '' : rest.slice(separator + 2);
  if (server === '') return null;
  return { server, tool: tool === '' || tool === '*' ? null : tool };
}
