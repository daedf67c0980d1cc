/** Allows an agent the tools that its file names, and no other tools. */
import type { RiskLevel } from '@mandate/schemas/agent-manifest';
import { type ClientTools, namesOf, riskOf } from './client-tools.ts';
import type { DeclaredServers } from './declared-servers.ts';
import { quoted } from './import-notes.ts';
import type { ListedTool, WarningCode } from './imported.ts';
import type { ImportedAgent } from './imported-agent.ts';
import { type ManifestDraft, warnNotNamed } from './manifest-draft.ts';
import { listedTools, riskOfListed } from './mcp-servers.ts';
import { keyFor } from './names.ts';
import type { Mention, PlacedTool } from './tool-shelf.ts';

/** The program that has built-in tools. `server` is the name of the server that a runner binds to these tools. */
export type Client = { title: string; server: string; tools: ClientTools };

export class AllowedTools {
  readonly #draft: ManifestDraft;
  readonly #agent: ImportedAgent;
  readonly #client: Client;
  readonly #servers: DeclaredServers;

  constructor(draft: ManifestDraft, agent: ImportedAgent, client: Client, servers: DeclaredServers) {
    this.#draft = draft;
    this.#agent = agent;
    this.#client = client;
    this.#servers = servers;
  }

  /** Allows a tool of the client. */
  allow(
    name: string,
    mention: Mention,
    risk: RiskLevel | null = riskOf(this.#client.tools, name),
  ): PlacedTool | null {
    const placed = this.#draft.tools.place({ server: this.#client.server, name, risk }, mention);
    if (placed !== null && risk === null)
      this.warn(
        'TOOL_UNKNOWN',
        mention,
        `${quoted(name)} is no known tool of ${this.#client.title}, so it is not rated`,
      );
    this.#agent.allow(placed);
    return placed;
  }

  /** Allows a tool of an MCP server. */
  allowOfServer(server: string, name: string, mention: Mention): PlacedTool | null {
    return this.#allowListed(
      server,
      this.#toolsOf(server).find((tool) => tool.name === name) ?? { name },
      mention,
    );
  }

  /**
   * Handles an entry that means every tool of a server. Tools that the file itself names for the server are allowed.
   * Other tools are allowed only if the options name them.
   */
  allowEveryOfServer(server: string, written: string, mention: Mention): void {
    const known = this.#toolsOf(server);
    if (this.#servers.get(server)?.toolsNamed === true || this.#writesOut(known)) {
      for (const tool of known) this.#allowListed(server, tool, mention);
    } else {
      const means = `${quoted(written)} means every tool of a server`;
      warnNotNamed(
        this.#draft,
        { ...mention, means },
        known.map(({ name }) => name),
      );
    }
  }

  /** Handles an entry that means every tool: those of the client and those of the servers. */
  allowEverything(means: string, mention: Mention): void {
    const servers = [
      ...new Set([...this.#servers.keys(), ...Object.keys(this.#draft.options.servers ?? {})]),
    ];
    const ofClient = namesOf(this.#client.tools);
    const ofServers = servers.flatMap((server) => this.#toolsOf(server).map((tool) => ({ server, tool })));
    const known = [...ofClient, ...ofServers.map(({ tool }) => tool.name)];
    if (!this.#writesOut(known)) {
      warnNotNamed(this.#draft, { ...mention, means }, known);
      return;
    }
    for (const name of ofClient) this.allow(name, mention);
    for (const { server, tool } of ofServers) this.#allowListed(server, tool, mention);
  }

  /** Returns the name of a server in `mcp://name`. */
  addressOf(server: string): string {
    return this.#servers.get(server)?.address ?? keyFor(server, 'server');
  }

  /** True if the file or the options have a server with this name. */
  knowsServer(server: string): boolean {
    return this.#servers.has(server) || Object.hasOwn(this.#draft.options.servers ?? {}, server);
  }

  #allowListed(server: string, tool: ListedTool, mention: Mention): PlacedTool | null {
    const placed = this.#draft.tools.place(
      { ...tool, server: this.addressOf(server), risk: riskOfListed(tool) },
      mention,
    );
    this.#agent.allow(placed);
    return placed;
  }

  #toolsOf(server: string): readonly ListedTool[] {
    return this.#servers.get(server)?.tools ?? listedTools(this.#draft, server);
  }

  warn(code: WarningCode, { place, path }: Mention, message: string): void {
    this.#draft.notes.warn(code, place, path, message);
  }

  #writesOut(known: readonly unknown[]): boolean {
    return this.#draft.options.tools === 'all' && known.length > 0;
  }
}
