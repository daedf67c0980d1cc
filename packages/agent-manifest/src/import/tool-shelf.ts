/**
 * The tools of the manifest that an import builds. Each tool has its own name in Mandate, and a risk level if one is
 * known.
 */
import type { InlineTool, RiskLevel, ToolDefinition } from '@mandate/schemas/agent-manifest';
import { nameOfRemoteTool } from '../addresses.ts';
import { type ImportNotes, type NotePlace, type Path, quoted } from './import-notes.ts';
import { isToolName, UniqueNames } from './names.ts';

/** A tool that a file names. `risk` is null if its risk level is unknown. Then a person confirms each call. */
export type NamedTool = { server: string; name: string; risk: RiskLevel | null; description?: string };

/** The place where a tool is named, for warnings. */
export type Mention = { place: NotePlace; path: Path };

/** The entry in an agent's list for a tool, Mandate's name of the tool, and its risk level. */
export type PlacedTool = { entry: string | InlineTool; tool: string; risk: RiskLevel | null };

export class ToolShelf {
  readonly #notes: ImportNotes;
  readonly #names = new UniqueNames();
  /** The entries in the lists of agents, by the address or the inline name of the tool. */
  readonly #placed = new Map<string, PlacedTool>();
  readonly #ofServer = new Map<string, string[]>();
  /** The definitions of rated tools, by their ids. */
  readonly definitions = new Map<string, ToolDefinition>();

  constructor(notes: ImportNotes) {
    this.#notes = notes;
  }

  /**
   * Returns the entry for an agent's list, and Mandate's name of the tool. Null if the name cannot be used. Then the
   * tool is not allowed.
   */
  place(named: NamedTool, mention: Mention): PlacedTool | null {
    const { server, name, risk, description } = named;
    if (!isToolName(name)) {
      this.#nameInvalid(name, mention);
      return null;
    }
    return this.#at(`mcp://${server}#${name}`, { name, server, risk, description }, mention);
  }

  /**
   * Does the same as `place` for a tool with an address that is not an MCP server. The tool's name is added to the
   * address, after a `#`.
   */
  placeAt(address: string, named: Omit<NamedTool, 'server'>, mention: Mention): PlacedTool | null {
    const { name, risk, description } = named;
    if (!isToolName(name)) {
      this.#nameInvalid(name, mention);
      return null;
    }
    return this.#at(`${address}#${name}`, { name, server: 'remote', risk, description }, mention);
  }

  /** Does the same as `place` for a tool that the program around the agent implements. */
  placeInline(tool: InlineTool, mention: Mention): PlacedTool | null {
    const key = `inline:${JSON.stringify([tool.name, tool.description, tool.parameters])}`;
    const known = this.#placed.get(key);
    if (known !== undefined) return known;
    if (!isToolName(tool.name) || !/^[A-Za-z0-9_-]+$/.test(tool.name)) {
      this.#nameInvalid(tool.name, mention);
      return null;
    }
    const name = this.#names.take(tool.name);
    if (name !== tool.name) this.#renamed(tool.name, name, mention);
    const placed = { entry: { ...tool, name }, tool: name, risk: null };
    this.#placed.set(key, placed);
    return placed;
  }

  /** Mandate's name of a tool that was placed before. Null if no agent names the tool. */
  nameOf(server: string, name: string): string | null {
    return this.#placed.get(`mcp://${server}#${name}`)?.tool ?? null;
  }

  /** Mandate's names of all tools of a server that were placed before. */
  namesOfServer(server: string): readonly string[] {
    return this.#ofServer.get(server) ?? [];
  }

  #at(
    uri: string,
    { name, server, risk, description }: Omit<NamedTool, 'description'> & { description: string | undefined },
    mention: Mention,
  ): PlacedTool {
    const known = this.#placed.get(uri);
    if (known !== undefined) return known;
    const wanted = nameOfRemoteTool(uri);
    const isTaken = this.#names.has(wanted);
    const tool = this.#names.take(isTaken ? `${server}.${wanted}` : wanted);
    if (isTaken) this.#renamed(name, tool, mention);
    const placed = { entry: risk === null && !isTaken ? uri : tool, tool, risk };
    if (placed.entry === tool) {
      this.definitions.set(tool, {
        type: 'tool',
        name,
        uri,
        risk_level: risk ?? 'critical',
        ...(description === undefined || description === '' ? {} : { description }),
      });
    }
    this.#placed.set(uri, placed);
    const others = this.#ofServer.get(server);
    if (others === undefined) this.#ofServer.set(server, [tool]);
    else others.push(tool);
    return placed;
  }

  #nameInvalid(name: string, { place, path }: Mention): void {
    this.#notes.warn(
      'TOOL_NAME_INVALID',
      place,
      path,
      `${quoted(name)} cannot be the name of a tool, and is not allowed`,
    );
  }

  #renamed(name: string, tool: string, { place, path }: Mention): void {
    this.#notes.warn(
      'TOOL_RENAMED',
      place,
      path,
      `${quoted(name)} is called ${tool} in Mandate, because another tool has its name`,
    );
  }
}
