/** Finds the tools of manifests on the servers that the configuration binds to them. */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Logger } from '@mandate/runtime';
import type { StepTool } from '../agent-step/step.ts';
import type { ToolServersDocument } from '../runner-document.ts';
import { type Binding, bindTool } from './bind-tool.ts';
import { textOfResult } from './result-text.ts';
import { ServerConnection } from './server-connection.ts';
import { ToolUnavailable } from './tool-errors.ts';
import { toolHash } from './tool-hash.ts';
import type { BoundTool, ToolServers } from './tool-servers.ts';

type Listed = Awaited<ReturnType<ServerConnection['tools']>>[number];

/** The maximum number of servers that are connected by the addresses in manifests. Bound servers do not count. */
const MOST_UNBOUND = 100;

export function openToolServers(document: ToolServersDocument, log: Logger): ToolServers {
  const connections = new Map<string, ServerConnection>();
  const connectionOf = ({ key, server }: Binding): ServerConnection => {
    const known = connections.get(key);
    if (known !== undefined) return known;
    const isBound = Object.hasOwn(document.servers, key);
    const unbound = [...connections.keys()].filter((one) => !Object.hasOwn(document.servers, one));
    const [oldest] = unbound;
    if (!isBound && unbound.length >= MOST_UNBOUND && oldest !== undefined) {
      void connections.get(oldest)?.close();
      connections.delete(oldest);
    }
    const opened = new ServerConnection(key, server, log);
    connections.set(key, opened);
    return opened;
  };
  return {
    async find(tool, signal) {
      const binding = bindTool(tool, document);
      if (binding === null) return null;
      const connection = connectionOf(binding);
      signal.throwIfAborted();
      await checkImplementation(tool, binding);
      const listed = listedTool(tool, binding, await connection.refreshedTools());
      return boundTool(tool, binding, connection, listed);
    },
    async close() {
      await Promise.all([...connections.values()].map((connection) => connection.close()));
    },
  };
}

function boundTool(
  tool: StepTool,
  binding: Binding,
  connection: ServerConnection,
  { description, inputSchema, annotations }: Listed,
): BoundTool {
  return {
    description: description ?? '',
    inputSchema: inputSchema as BoundTool['inputSchema'],
    saysRepeatable: annotations?.readOnlyHint === true || annotations?.idempotentHint === true,
    async call(args, options) {
      await checkImplementation(tool, binding);
      const { name } = listedTool(tool, binding, await connection.tools());
      const result = await connection.call(name, args, options);
      return { text: textOfResult(result), isError: result.isError === true };
    },
  };
}

/** @throws ToolUnavailable TOOL_NOT_ON_SERVER, TOOL_HASH_MISMATCH */
function listedTool(tool: StepTool, { key, tool: name, id }: Binding, tools: readonly Listed[]): Listed {
  const wanted = name ?? id;
  const named = tools.find((one) => one.name === wanted);
  const only = name === null && tools.length === 1 ? tools[0] : undefined;
  const found = named ?? only;
  if (found === undefined) {
    const message = `The server "${key}" has no tool "${wanted ?? tool.name}".`;
    throw new ToolUnavailable('TOOL_NOT_ON_SERVER', message, { kind: 'permanent' });
  }
  if (tool.kind === 'server' && tool.hash !== null && !isHash(tool.hash, toolHash(found))) {
    const other = `on the server "${key}" is not the one of the manifest: its hash is ${toolHash(found)}`;
    throw hashMismatch(tool, other);
  }
  return found;
}

/** @throws ToolUnavailable TOOL_HASH_MISMATCH */
async function checkImplementation(tool: StepTool, { implementation }: Binding): Promise<void> {
  if (tool.kind !== 'inline' || tool.hash === null) return;
  if (implementation === null)
    throw hashMismatch(tool, 'has a code_hash, and runner.yaml does not name the file of its implementation');
  const bytes = await readFile(implementation).catch((error: Error) => {
    throw hashMismatch(tool, `has a code_hash, and its implementation cannot be read: ${error.message}`);
  });
  const hash = createHash('sha256').update(bytes).digest('hex');
  if (!isHash(tool.hash, hash))
    throw hashMismatch(
      tool,
      `is not the one of the manifest: the file of its implementation has the hash ${hash}`,
    );
}

/** @param written 64 hex digits, with or without `sha256:` before them */
function isHash(written: string, hash: string): boolean {
  return written.toLowerCase().replace(/^sha256:/, '') === hash;
}

function hashMismatch({ name }: StepTool, why: string): ToolUnavailable {
  return new ToolUnavailable('TOOL_HASH_MISMATCH', `The tool "${name}" ${why}.`, { kind: 'permanent' });
}
