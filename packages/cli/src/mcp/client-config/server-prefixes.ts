/**
 * Chooses the prefix of the names of a server's tools in policies: the name of the server with a dot. Two servers often
 * have tools with the same name, and a policy for one server must not allow the tool of the other.
 */
import type { ServerEntry } from './client-config.ts';
import { optionOfProxy } from './proxied-command.ts';
import { wordsOf } from './rewrite-entry.ts';

/** The maximum length of a prefix. It leaves room for the name of a tool. */
const MOST_CHARACTERS = 64;

/** Returns the prefix of each server, by its name. Different names get different prefixes. */
export function prefixesOf(servers: readonly ServerEntry[]): ReadonlyMap<string, string> {
  const taken = new Set(servers.flatMap((entry) => ownPrefix(entry) ?? []));
  const prefixes = new Map<string, string>();
  for (const { name } of servers) {
    if (prefixes.has(name)) continue;
    const plain = plainName(name);
    let prefix = `${plain}.`;
    for (let count = 2; taken.has(prefix); count += 1) prefix = `${plain}-${count}.`;
    taken.add(prefix);
    prefixes.set(name, prefix);
  }
  return prefixes;
}

/** The prefix of a server that already goes through the proxy. */
function ownPrefix(entry: ServerEntry): string | null {
  return entry.kind === 'stdio' ? optionOfProxy(wordsOf(entry), '--prefix') : null;
}

/** In a pattern, `*` has a meaning, and a dot ends a prefix. So neither may be in the name of a server. */
function plainName(name: string): string {
  const plain = [...name]
    .slice(0, MOST_CHARACTERS)
    .join('')
    .replace(/[^\p{L}\p{N}_-]/gu, '-');
  return plain === '' ? 'server' : plain;
}
