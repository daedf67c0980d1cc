/** Plans the changes of an import, or of its undo, for each server of a configuration. Changes nothing. */
import type { ClientConfig, ServerEntry } from './client-config.ts';
import { endOfProxy, optionOfProxy, remoteProxy } from './proxied-command.ts';
import { type Edit, putBehindProxy, withoutProxy, wordsOf } from './rewrite-entry.ts';
import { putRemoteBehindProxy, withoutRemoteProxy } from './rewrite-remote.ts';
import { prefixesOf } from './server-prefixes.ts';

/**
 * `rewritten`: the edits change the entry. `same`: the entry already has the requested form. `ungoverned`: the entry
 * cannot go through the proxy, so its calls are not decided.
 */
export type PlannedServer = {
  name: string;
  within: string | null;
  change: 'rewritten' | 'same' | 'ungoverned';
  why: string;
};

export type ImportPlan = { edits: readonly Edit[]; servers: readonly PlannedServer[] };

export type ProxyAsked = {
  /** The command of the proxy up to and including the word `mcp`. */
  command: readonly string[];
  agent: string;
  /** Further options of the proxy. */
  options: readonly string[];
  prefixesNames: boolean;
};

type Step = { edits: readonly Edit[]; change: PlannedServer['change']; why: string };

export function planImport({ text, syntax, servers }: ClientConfig, asked: ProxyAsked): ImportPlan {
  const prefixes = prefixesOf(servers);
  return planned(servers, (entry) => {
    if (entry.kind === 'faulty') return ungoverned(entry.fault);
    if (entry.kind === 'direct') return ungoverned(entry.why);
    const words = entry.kind === 'stdio' ? wordsOf(entry) : [];
    if (endOfProxy(words) !== null || remoteProxy(words))
      return {
        edits: [],
        change: 'same',
        why: `it already goes through the proxy${otherAgent(words, asked)}`,
      };
    const prefix = asked.prefixesNames ? ['--prefix', prefixes.get(entry.name) ?? ''] : [];
    const proxy = [...asked.command, '--agent', asked.agent, ...asked.options, ...prefix];
    return {
      edits:
        entry.kind === 'stdio'
          ? putBehindProxy(text, entry, [...proxy, '--'])
          : putRemoteBehindProxy(text, syntax, entry, proxy),
      change: 'rewritten',
      why: `it goes through the proxy${asked.prefixesNames ? `, and its tools are ${prefix[1]}* in policies` : ''}`,
    };
  });
}

export function planUndo({ text, syntax, servers }: ClientConfig): ImportPlan {
  return planned(servers, (entry) => {
    const same = (why: string): Step => ({ edits: [], change: 'same', why });
    if (entry.kind !== 'stdio') return same(FREE);
    const edits = withoutProxy(text, entry) ?? withoutRemoteProxy(text, syntax, entry) ?? FREE;
    if (typeof edits === 'string') return same(edits);
    return { edits, change: 'rewritten', why: 'it no longer goes through the proxy' };
  });
}

const FREE = 'it does not go through the proxy';

function planned(servers: readonly ServerEntry[], step: (entry: ServerEntry) => Step): ImportPlan {
  const steps = servers.map((entry) => ({ entry, ...step(entry) }));
  return {
    edits: steps.flatMap(({ edits }) => edits),
    servers: steps.map(({ entry: { name, within }, change, why }) => ({ name, within, change, why })),
  };
}

function ungoverned(why: string): Step {
  return { edits: [], change: 'ungoverned', why };
}

function otherAgent(words: readonly string[], { agent }: ProxyAsked): string {
  const own = optionOfProxy(words, '--agent');
  return own === null || own === agent ? '' : ` as the agent ${own}`;
}
