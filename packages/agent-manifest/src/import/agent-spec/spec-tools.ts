/** Allows agents the tools that an Open Agent Spec document gives them. */
import { quoted } from '../import-notes.ts';
import type { ImportedAgent } from '../imported-agent.ts';
import { type ManifestDraft, warnNotNamed } from '../manifest-draft.ts';
import { listedTools, riskOfListed } from '../mcp-servers.ts';
import { keyFor } from '../names.ts';
import { addressWithoutSecrets, argumentsWithoutSecrets, asReferences } from '../secrets.ts';
import type { PlacedTool } from '../tool-shelf.ts';
import type { Component, SpecComponents } from './components.ts';
import { parametersOf, propertiesOf } from './properties.ts';

const OF_A_REQUEST = {
  http_method: 'the runner calls a tool in the way of its server',
  api_spec_uri: 'the runner calls a tool in the way of its server',
  data: 'the runner calls a tool in the way of its server',
  query_params: 'the runner calls a tool in the way of its server',
  headers: 'set them in the settings of the runner',
  sensitive_headers: 'set them in the settings of the runner',
  retry_policy: 'a manifest limits the retries of every step',
} as const;

const OF_AN_EXECUTOR = {
  configuration: 'the runner binds the tool',
  executor_name: 'the runner binds the tool',
  tool_type: 'the runner binds the tool',
  tool_version: 'the runner binds the tool',
} as const;

export class SpecTools {
  readonly #draft: ManifestDraft;
  readonly #components: SpecComponents;
  readonly #placed = new Map<Component, { tool: PlacedTool | null; needsPerson: boolean }>();

  /** The names of servers, by the components that describe how to reach them. */
  readonly #servers = new Map<Component, string>();

  constructor(draft: ManifestDraft, components: SpecComponents) {
    this.#draft = draft;
    this.#components = components;
  }

  /** Allows the tools of the field `tools`, and those of `toolboxes`. */
  allowAll(agent: ImportedAgent, parent: Component, fieldOfTools = 'tools'): void {
    for (const tool of this.#components.listed(parent, fieldOfTools)) this.allow(agent, tool);
    if (fieldOfTools !== 'tools') return;
    for (const box of this.#components.listed(parent, 'toolboxes')) this.#allowBox(agent, box);
  }

  allow(agent: ImportedAgent, tool: Component): void {
    const placed = this.#placed.get(tool) ?? this.#place(tool);
    this.#placed.set(tool, placed);
    agent.allow(placed.tool);
    if (placed.tool !== null && placed.needsPerson) agent.confirm(placed.tool.tool);
  }

  #place(tool: Component): { tool: PlacedTool | null; needsPerson: boolean } {
    const { fields } = tool;
    const needsPerson = fields.flag('requires_confirmation') === true;
    const placed = this.#placeByType(tool);
    fields.any('outputs');
    fields.end();
    return { tool: placed, needsPerson };
  }

  #placeByType(tool: Component): PlacedTool | null {
    const { fields, type } = tool;
    const mention = { place: fields.file, path: fields.path };
    const name = this.#nameOf(tool);
    const parameters = parametersOf(propertiesOf(fields, 'inputs'));
    const description = fields.text('description') ?? `The tool ${name}.`;
    switch (type) {
      case 'ServerTool':
      case 'ClientTool':
      case 'BuiltinTool':
        fields.leaveOut(OF_AN_EXECUTOR);
        return this.#draft.tools.placeInline({ type: 'inline', name, description, parameters }, mention);
      case 'RemoteTool': {
        fields.leaveOut(OF_A_REQUEST);
        const address = addressWithoutSecrets(fields, 'url');
        return address === null || address.includes('{')
          ? this.#draft.tools.placeInline({ type: 'inline', name, description, parameters }, mention)
          : this.#draft.tools.placeAt(address, { name, risk: null }, mention);
      }
      case 'MCPTool':
        return this.#placeOnServer(tool, name);
      default: {
        const message = `a tool of type ${quoted(type)} is not known`;
        this.#draft.notes.fault('NOT_SUPPORTED', fields.file, fields.path, message);
        return null;
      }
    }
  }

  /**
   * In that format, the name of a tool may contain blanks. A tool of a server keeps its name, because the server knows
   * the tool by this name.
   */
  #nameOf({ type, name, fields }: Component): string {
    const key = type === 'MCPTool' || /^[A-Za-z0-9_-]+$/.test(name) ? name : keyFor(name, 'tool');
    if (key !== name)
      this.#draft.notes.warn(
        'TOOL_RENAMED',
        fields.file,
        fields.path,
        `${quoted(name)} is called ${key} in Mandate`,
      );
    return key;
  }

  #allowBox(agent: ImportedAgent, box: Component): void {
    const { fields } = box;
    const mention = { place: fields.file, path: fields.path };
    if (box.type !== 'MCPToolBox') {
      this.#draft.notes.fault(
        'NOT_SUPPORTED',
        fields.file,
        fields.path,
        `a set of tools of type ${quoted(box.type)} is not known`,
      );
      return;
    }
    const allNeedPerson = fields.flag('requires_confirmation') === true;
    const server = this.#serverOf(box);
    const listed = listedTools(this.#draft, server);
    const filter = fields.list('tool_filter');
    const named = filter?.flatMap((item, at) => {
      if (typeof item === 'string') return [{ name: item, needsPerson: false }];
      const spec = this.#components.of(item, ['tool_filter', at], box);
      if (spec === null) return [];
      const needsPerson = spec.fields.flag('requires_confirmation') === true;
      for (const field of ['description', 'inputs', 'outputs']) spec.fields.any(field);
      spec.fields.end();
      return [{ name: spec.name, needsPerson }];
    });
    const isAll = this.#draft.options.tools === 'all';
    const tools = named ?? (isAll ? listed.map(({ name }) => ({ name, needsPerson: false })) : []);
    for (const { name, needsPerson } of tools) {
      const risk = riskOfListed(listed.find((tool) => tool.name === name) ?? { name });
      const placed = this.#draft.tools.place({ server, name, risk }, mention);
      agent.allow(placed);
      if (placed !== null && (needsPerson || allNeedPerson)) agent.confirm(placed.tool);
    }
    if (named === undefined && tools.length === 0)
      warnNotNamed(
        this.#draft,
        { ...mention, means: 'a tool box without a filter means every tool of its server' },
        listed.map(({ name }) => name),
      );
    for (const field of ['description', 'inputs', 'outputs']) fields.any(field);
    fields.end();
  }

  #placeOnServer(tool: Component, name: string): PlacedTool | null {
    const server = this.#serverOf(tool);
    const risk = riskOfListed(
      listedTools(this.#draft, server).find((listed) => listed.name === name) ?? { name },
    );
    return this.#draft.tools.place(
      { server, name, risk },
      { place: tool.fields.file, path: tool.fields.path },
    );
  }

  /** Returns the name of the server of a tool, and stores how to reach the server. */
  #serverOf(tool: Component): string {
    const transport = this.#components.in(tool, 'client_transport');
    if (transport === null) {
      this.#draft.notes.warn(
        'ADDRESS_NOT_TAKEN',
        tool.fields.file,
        tool.fields.path,
        'the server of the tool is not named',
      );
      return 'server';
    }
    const known = this.#servers.get(transport);
    if (known !== undefined) return known;
    const { fields, name } = transport;
    const wanted = keyFor(name, 'server');
    const command = fields.text('command');
    const args = argumentsWithoutSecrets(fields, 'args', `${wanted}_`);
    const env = asReferences(fields.map('env'));
    const url = addressWithoutSecrets(fields, 'url');
    const headers = {
      ...asReferences(fields.map('headers'), `${wanted}_`),
      ...asReferences(fields.map('sensitive_headers'), `${wanted}_`),
    };
    const binding = command !== null ? { command, args, env } : url !== null ? { url, headers } : null;
    const mention = { place: fields.file, path: fields.path };
    const server = binding === null ? wanted : this.#draft.addServer(wanted, binding, mention).address;
    this.#servers.set(transport, server);
    fields.any('description');
    fields.leaveOut({
      auth: 'set it in the settings of the runner',
      cwd: 'set it in the settings of the runner',
      session_parameters: 'the runner has its own time limits',
      retry_policy: 'a manifest limits the retries of every step',
      key_file: 'set it in the settings of the runner',
      cert_file: 'set it in the settings of the runner',
      ssl_ca_cert: 'set it in the settings of the runner',
      ca_file: 'set it in the settings of the runner',
    });
    fields.end();
    return server;
  }
}
