/** The MCP servers that the file of an agent declares for this agent. */
import type { ImportFields } from './import-fields.ts';
import type { Json } from './json-value.ts';
import type { ManifestDraft } from './manifest-draft.ts';
import { addServerPack, listedTools, type McpServer, readServer } from './mcp-servers.ts';
import { keyFor } from './names.ts';

type DeclaredServer = Pick<McpServer, 'address' | 'tools' | 'toolsNamed'>;

/** Servers by their names in the file. */
export type DeclaredServers = ReadonlyMap<string, DeclaredServer>;

/**
 * Reads a map of servers, or a list of such maps. A list may also contain names of servers that are configured
 * elsewhere.
 */
export function declaredServers(draft: ManifestDraft, fields: ImportFields, name: string): DeclaredServers {
  const servers = new Map<string, DeclaredServer>();
  const value = fields.any(name);
  const maps = Array.isArray(value) ? mapsOf(draft, fields, name, value, servers) : fields.maps(name);
  for (const [serverName, server] of maps) {
    const read = readServer(draft, serverName, server);
    if (read === null) continue;
    servers.set(serverName, read);
    const description = `The server ${serverName} of an agent.`;
    if (read.isNew) addServerPack(draft, read, server, { description, unrated: 'left out' });
  }
  return servers;
}

function mapsOf(
  draft: ManifestDraft,
  fields: ImportFields,
  name: string,
  list: readonly Json[],
  servers: Map<string, DeclaredServer>,
): readonly (readonly [name: string, fields: ImportFields])[] {
  return list.flatMap((item, at) => {
    if (typeof item === 'string') {
      servers.set(item, {
        address: keyFor(item, 'server'),
        tools: listedTools(draft, item),
        toolsNamed: false,
      });
      return [];
    }
    return fields.item(name, item, at)?.members() ?? [];
  });
}
