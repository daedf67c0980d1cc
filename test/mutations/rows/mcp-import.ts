/** Mutations of `mandate mcp import`: what its undo restores, and what nobody sees. */
import { inFile, type Mutation } from '../mutation.ts';

const CONFIG = 'packages/cli/src/mcp/client-config';

export const MCP_IMPORT_MUTATIONS: readonly Mutation[] = [
  ...inFile(`${CONFIG}/rewrite-entry.ts`, [
    ['mcp import: an undo tells an empty list from none', 'last.end !== args.end - 1 || ', ''],
    [
      'mcp import: the old command keeps its own text',
      'by: text.slice(own.start, own.end)',
      'by: quoted(own.value)',
    ],
  ]),
  ...inFile(`${CONFIG}/proxied-command.ts`, [
    [
      'mcp import: a server is put behind the proxy only once',
      'return end === -1 || end === words.length - 1 ? null : end;',
      'return null;',
    ],
  ]),
  ...inFile(`${CONFIG}/unified-diff.ts`, [
    ['mcp import: the diff shows no secrets', `by: '"…"'`, 'by: piece'],
  ]),
  ...inFile(`${CONFIG}/replace-client-file.ts`, [
    [
      'mcp import: a file that changed in the meantime is left as it is',
      'if (!now.bytes.equals(file.bytes))',
      'if (false)',
    ],
    ['mcp import: the file keeps its mode', 'await file.chmod(mode);', ''],
  ]),
  ...inFile(`${CONFIG}/client-config.ts`, [
    [
      'mcp import: an entry that is there twice is left as it is',
      'if (doubled.length > 0)',
      'if (doubled.length > 100)',
    ],
  ]),
  ...inFile(`${CONFIG}/server-prefixes.ts`, [
    [
      'mcp import: different servers have different prefixes',
      'for (let count = 2; taken.has(prefix); count += 1)',
      'for (let count = 2; count < 2; count += 1)',
    ],
  ]),
];
