/** Plans what an import, or its undo, does with each server of a configuration. Changes nothing. */
import type { ClientConfig, ServerEntry, StdioEntry } from './client-config.ts';
import { endOfProxy, optionOfProxy } from './proxied-command.ts';
import { type Edit, putBehindProxy, withoutProxy, wordsOf } from './rewrite-entry.ts';
import { prefixesOf } from './server-prefixes.ts';

/**
 * `rewritten`: the edits change the entry. `same`: the entry is already as asked. `ungoverned`: the entry cannot go
 * through the proxy, so its calls are not decided.
 */
export type PlannedServer = {
  name: string;
  within: string | null;
  change: 'rewritten' | 'same' | 'ungoverned';
  why: string;
};

export type ImportPlan = { edits: readonly Edit[]; servers: readonly PlannedServer[] };

export type ProxyAsked = {
  /** The command of the proxy up to `mcp`, with that word. */
  command: readonly string[];
  agent: string;
  /** Further options of the proxy. */
  options: readonly string[];
  prefixesNames: boolean;
};

type Step = { edits: readonly Edit[]; change: PlannedServer['change']; why: string };

export function planImport({ text, servers }: ClientConfig, asked: ProxyAsked): ImportPlan {
  const prefixes = prefixesOf(servers);
  return planned(servers, (entry) => {
    if (entry.kind !== 'stdio') return ungoverned(entry);
    const words = wordsOf(entry);
    if (endOfProxy(words) !== null)
      return {
        edits: [],
        change: 'same',
        why: `it already goes through the proxy${otherAgent(words, asked)}`,
      };
    const prefix = asked.prefixesNames ? ['--prefix', prefixes.get(entry.name) ?? ''] : [];
    const proxy = [...asked.command, '--agent', asked.agent, ...asked.options, ...prefix, '--'];
    return {
      edits: putBehindProxy(text, entry, proxy),
      change: 'rewritten',
      why: `it goes through the proxy${asked.prefixesNames ? `, and its tools are ${prefix[1]}* in policies` : ''}`,
    };
  });
}

export function planUndo({ text, servers }: ClientConfig): ImportPlan {
  return planned(servers, (entry) => {
    const edits = entry.kind === 'stdio' ? withoutProxy(text, entry) : null;
    return edits === null
      ? { edits: [], change: 'same', why: 'it does not go through the proxy' }
      : { edits, change: 'rewritten', why: 'it no longer goes through the proxy' };
  });
}

function planned(servers: readonly ServerEntry[], step: (entry: ServerEntry) => Step): ImportPlan {
  const steps = servers.map((entry) => ({ entry, ...step(entry) }));
  return {
    edits: steps.flatMap(({ edits }) => edits),
    servers: steps.map(({ entry: { name, within }, change, why }) => ({ name, within, change, why })),
  };
}

function ungoverned(entry: Exclude<ServerEntry, StdioEntry>): Step {
  const why = entry.kind === 'remote' ? 'the client calls its URL' : entry.fault;
  return { edits: [], change: 'ungoverned', why };
}

function otherAgent(words: readonly string[], { agent }: ProxyAsked): string {
  const own = optionOfProxy(words, '--agent');
  return own === null || own === agent ? '' : ` as the agent ${own}`;
}
