/** MCP servers in the form in which clients configure them: a command, or an address. */
import type { RiskLevel } from '@mandate/schemas/agent-manifest';
import type { ImportFields } from './import-fields.ts';
import { quoted } from './import-notes.ts';
import type { ListedTool } from './imported.ts';
import type { ManifestDraft } from './manifest-draft.ts';
import { keyFor } from './names.ts';
import { addressWithoutSecrets, argumentsWithoutSecrets, asReferences } from './secrets.ts';

/** A server. `address` is its name in `mcp://name`. */
export type McpServer = {
  name: string;
  address: string;
  /** The known tools: the tools that the file names for the server, otherwise the tools that the options name. */
  tools: readonly ListedTool[];
  /** True if the file itself names the tools. */
  toolsNamed: boolean;
  /** False if the same server was found before. */
  isNew: boolean;
};

const SETTINGS = {
  oauth: 'the runner has its own settings for servers',
  auth: 'the runner has its own settings for servers',
  headersHelper: 'a command of a file is never run',
  envFile: 'set the variables in the environment of the runner',
  cwd: 'the runner has its own settings for servers',
  timeout: 'the runner has its own time limits',
  dev: 'it is a setting of the editor',
  gallery: 'it is a setting of the editor',
  alwaysLoad: 'it is a setting of the client',
  autoApprove: 'Mandate decides which calls a person confirms',
  alwaysAllow: 'Mandate decides which calls a person confirms',
  trust: 'Mandate decides which calls a person confirms',
  disabledTools: 'only the tools that a manifest names are allowed',
  description: 'a server has no description in a manifest',
  version: 'a server has no version in a manifest',
} as const;

/**
 * Reads a server, and puts it into the draft as a pack with its tools. Null if it is switched off, or cannot be
 * reached.
 */
export function readServer(draft: ManifestDraft, name: string, fields: ImportFields): McpServer | null {
  const { notes } = draft;
  const isOff = fields.flag('disabled') === true || fields.flag('enabled') === false;
  if (isOff) {
    notes.warn(
      'FIELD_NOT_TAKEN',
      fields.file,
      fields.path,
      `${quoted(name)} is switched off, and is not taken over`,
    );
    return null;
  }
  const wanted = keyFor(name, 'server');
  const command = fields.text('command');
  const args = argumentsWithoutSecrets(fields, 'args', `${wanted}_`);
  const env = asReferences(fields.map('env'));
  const url = addressWithoutSecrets(fields, fields.any('url') === undefined ? 'serverUrl' : 'url');
  const headers = asReferences(fields.map('headers'), `${wanted}_`);
  const named = fields.texts('tools') ?? fields.texts('enabledTools');
  fields.any('type');
  fields.any('transport');
  fields.leaveOut(SETTINGS);
  fields.end();
  if (command === null && url === null) {
    notes.warn(
      'ADDRESS_NOT_TAKEN',
      fields.file,
      fields.path,
      `${quoted(name)} has neither a command nor an address, and is not taken over`,
    );
    return null;
  }
  const binding = command === null ? { url: url ?? '', headers } : { command, args, env };
  const { address, isNew } = draft.addServer(wanted, binding, { place: fields.file, path: fields.path });
  const toolsNamed = named !== null && !named.includes('*');
  const listed = listedTools(draft, name);
  const tools = toolsNamed
    ? named.map((tool) => listed.find((known) => known.name === tool) ?? { name: tool })
    : listed;
  return { name, address, tools, toolsNamed, isNew };
}

/**
 * Puts a server and its known tools into the manifest, as a pack. If the server gives a tool no risk level, the agents
 * that name the tool decide it. Otherwise the tool is critical.
 */
export function addServerPack(
  draft: ManifestDraft,
  { name, address, tools }: McpServer,
  fields: ImportFields,
  { description, unrated }: { description: string; unrated: 'critical' | 'left out' },
): void {
  const placed = tools.flatMap((tool) => {
    const risk = riskOfListed(tool) ?? (unrated === 'critical' ? unrated : null);
    if (risk === null) return [];
    const found = draft.tools.place(
      { ...tool, server: address, risk },
      { place: fields.file, path: fields.path },
    );
    return found === null ? [] : [found.tool];
  });
  const server = draft.serverNamed(address);
  draft.addPack(draft.keyFor(name, 'server'), {
    type: 'tool_pack',
    metadata: {
      name: address.toLowerCase().replaceAll('_', '-'),
      description,
      author: 'unknown',
      ...(server !== undefined && 'url' in server ? { homepage: server.url } : {}),
    },
    ...(placed.length === 0 ? {} : { tools: [...new Set(placed)] }),
    ...(server !== undefined && 'command' in server
      ? {
          mcp_servers: [
            {
              type: 'mcp_server' as const,
              name: address,
              command: server.command,
              args: [...server.args],
              env: { ...server.env },
            },
          ],
        }
      : {}),
  });
}

/** The tools that the options list for a server. */
export function listedTools({ options }: ManifestDraft, server: string): readonly ListedTool[] {
  const { servers = {} } = options;
  return Object.hasOwn(servers, server) ? (servers[server] ?? []) : [];
}

/**
 * Returns the risk level of a tool by the hints of its server. Null if the server does not say that the tool is
 * harmless. In MCP, a tool without hints may be destructive.
 */
export function riskOfListed({ readOnly, destructive }: ListedTool): RiskLevel | null {
  if (destructive === true) return 'critical';
  if (readOnly === true) return 'safe';
  return destructive === false ? 'standard' : null;
}
