/**
 * Imports MCP servers from the configuration of a client: `.mcp.json`, Claude Desktop, Cursor, VS Code. Each server
 * becomes a pack. The configuration contains no agents, so no agent is allowed any tool.
 */
import { ImportFields } from './import-fields.ts';
import { type ImportFile, readMap } from './import-file.ts';
import type { ImportSource } from './imported.ts';
import { type ManifestDraft, warnNotNamed } from './manifest-draft.ts';
import { addServerPack, readServer } from './mcp-servers.ts';
import { nameOfFile } from './names.ts';

export function fromMcpConfig(sources: readonly ImportSource[], draft: ManifestDraft): void {
  const { notes } = draft;
  for (const source of sources) {
    const file = readMap(source, 'configuration of MCP servers', notes);
    if (file === null) continue;
    draft.name ??= nameOfFile(source.path) || 'mcp';
    const root = new ImportFields(file.value, [], { file, notes });
    const servers = serversOf(root);
    if (servers === null) {
      if (!notes.hasFaults)
        notes.fault('FIELD_MISSING', file, [], 'must have the field mcpServers or servers');
      continue;
    }
    for (const [name, fields] of servers.members()) importServer(draft, file, name, fields);
    root.leaveOut({ inputs: 'the runner asks for no values: set them in its environment' });
    root.any('$schema');
    root.end();
  }
}

/**
 * The names of the field with the servers: `mcpServers` in Claude and Cursor, `servers` in VS Code, and `mcp.servers`
 * in the settings of VS Code.
 */
function serversOf(root: ImportFields): ImportFields | null {
  return root.map('mcpServers') ?? root.map('servers') ?? root.map('mcp')?.map('servers') ?? null;
}

function importServer(draft: ManifestDraft, file: ImportFile, name: string, fields: ImportFields): void {
  const server = readServer(draft, name, fields);
  if (server === null) return;
  const description = `The server ${name} of ${nameOfFile(file.name) || 'a configuration'}.`;
  if (server.isNew) addServerPack(draft, server, fields, { description, unrated: 'critical' });
  const means = 'a configuration of servers gives an agent every tool of each server';
  if (!server.toolsNamed) {
    const known = server.tools.map((tool) => tool.name);
    warnNotNamed(draft, { place: file, path: fields.path, means }, known);
  }
}
