/** Decides which server a tool of a manifest belongs to, and which tool of that server it is. */
import type { StepTool } from '../agent-step/step.ts';
import type { ServerSettings, ToolServersDocument, UrlServer } from '../runner-document.ts';
import { ToolUnavailable } from './tool-errors.ts';

/**
 * `key` names the server. `tool` is the name within the server; null: the tool with the name `id`, otherwise the only
 * tool. `implementation`: the file that carries out an inline tool. Null: not known.
 */
export type Binding = {
  key: string;
  server: ServerSettings;
  tool: string | null;
  id: string | null;
  implementation: string | null;
};

/**
 * Returns the binding of a tool. Null: an inline tool without a binding.
 *
 * @throws ToolUnavailable TOOL_NOT_BOUND
 */
export function bindTool(tool: StepTool, document: ToolServersDocument): Binding | null {
  if (tool.kind === 'inline') {
    const bound = Object.hasOwn(document.inline, tool.name) ? document.inline[tool.name] : undefined;
    const server = bound && serverNamed(document, bound.server);
    return server
      ? { ...server, tool: bound.tool, id: null, implementation: bound.implementation ?? null }
      : null;
  }
  const [address = '', fragment] = tool.uri.split('#', 2);
  const named = { tool: fragment ? decoded(fragment) : null, id: tool.id, implementation: null };
  const server = serverAt(document, address) ?? reachable(document, address);
  if (server !== null) return { ...server, ...named };
  throw new ToolUnavailable(
    'TOOL_NOT_BOUND',
    `The tool "${tool.name}" has the address ${address}, and runner.yaml binds no server to it.`,
    { kind: 'permanent' },
  );
}

type Server = Pick<Binding, 'key' | 'server'>;

function serverNamed({ servers }: ToolServersDocument, name: string): Server | null {
  const server = Object.hasOwn(servers, name) ? servers[name] : undefined;
  return server === undefined ? null : { key: name, server };
}

/** A binding names a server by the address of the tool. The address `mcp://crm` also means the server named `crm`. */
function serverAt(document: ToolServersDocument, address: string): Server | null {
  const plain = plainAddress(address);
  const name = Object.keys(document.servers).find((key) => plainAddress(key) === plain);
  if (name !== undefined) return serverNamed(document, name);
  const local = /^mcp:\/\/([^/?#]+)$/.exec(plain)?.[1];
  return local === undefined ? null : serverNamed(document, local);
}

/** The letter case of the scheme and a slash at the end do not count. */
function plainAddress(address: string): string {
  return address.replace(/^[A-Za-z][A-Za-z0-9+.-]*:/, (scheme) => scheme.toLowerCase()).replace(/\/+$/, '');
}

const UNBOUND: Omit<UrlServer, 'url'> = { headers: {}, timeoutMs: 60_000, protocol: 'auto' };

/** Returns a server without a binding, if the address is an HTTP address and its host may be reached. */
function reachable({ allowedHosts }: ToolServersDocument, address: string): Server | null {
  if (!URL.canParse(address)) return null;
  const { protocol, host, hostname, username, href } = new URL(address);
  if ((protocol !== 'https:' && protocol !== 'http:') || username !== '') return null;
  const isAllowed = allowedHosts.some((allowed) => {
    const lower = allowed.toLowerCase();
    return lower.startsWith('*.') ? hostname.endsWith(lower.slice(1)) : lower === host || lower === hostname;
  });
  return isAllowed ? { key: href, server: { ...UNBOUND, url: href } } : null;
}

function decoded(fragment: string): string {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return fragment;
  }
}
