/** The tools of the manifest that is being made. Each has a name of its own in Mandate, and a rating where one is known. */
import type { InlineTool, RiskLevel, ToolDefinition } from '@mandate/schemas/agent-manifest';
import { nameOfRemoteTool } from '../addresses.ts';
import { type ImportNotes, type NotePlace, type Path, quoted } from './import-notes.ts';
import { isToolName, UniqueNames } from './names.ts';

/** A tool that a file names. `risk` is null if no one rated the tool. Then a person confirms each call. */
export type NamedTool = { server: string; name: string; risk: RiskLevel | null; description?: string };

/** Where a tool is named, for warnings. */
export type Mention = { place: NotePlace; path: Path };

/** What an agent lists for a tool, the name of the tool in Mandate, and its rating. */
export type PlacedTool = { entry: string | InlineTool; tool: string; risk: RiskLevel | null };

export class ToolShelf {
  readonly #notes: ImportNotes;
  readonly #names = new UniqueNames();
  /** What stands for a tool in the list of an agent, by its address or its inline name. */
  readonly #placed = new Map<string, PlacedTool>();
  readonly #ofServer = new Map<string, string[]>();
  /** The definitions of rated tools, by their ids. */
  readonly definitions = new Map<string, ToolDefinition>();

  constructor(notes: ImportNotes) {
    this.#notes = notes;
  }

  /**
   * Returns what an agent lists for the tool, and its name in Mandate. Null if the name cannot be used. Then the tool
   * is not allowed.
   */
  place(named: NamedTool, mention: Mention): PlacedTool | null {
    const { server, name, risk, description } = named;
    if (!isToolName(name)) {
      this.#nameInvalid(name, mention);
      return null;
    }
    return this.#at(`mcp://${server}#${name}`, { name, server, risk, description }, mention);
  }

  /** As `place`, for a tool at an address that is no server of MCP. Its name becomes the fragment of the address. */
  placeAt(address: string, named: Omit<NamedTool, 'server'>, mention: Mention): PlacedTool | null {
    const { name, risk, description } = named;
    if (!isToolName(name)) {
      this.#nameInvalid(name, mention);
      return null;
    }
    return this.#at(`${address}#${name}`, { name, server: 'remote', risk, description }, mention);
  }

  /** As `place`, for a tool that the program around the agent implements. */
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

  /** The name in Mandate of a tool that was placed before. Null if no agent names it. */
  nameOf(server: string, name: string): string | null {
    return this.#placed.get(`mcp://${server}#${name}`)?.tool ?? null;
  }

  /** The names in Mandate of all tools of a server that were placed before. */
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
