/** Allows agents the tools of the toolsets of docker cagent, where the file names these tools. */
import { CAGENT_TOOLSETS, type ClientTools, namesOf, riskOf } from './client-tools.ts';
import type { ImportFields } from './import-fields.ts';
import { quoted } from './import-notes.ts';
import type { ImportedAgent } from './imported-agent.ts';
import { isMap, type Json } from './json-value.ts';
import { type ManifestDraft, warnNotNamed } from './manifest-draft.ts';
import { listedTools, riskOfListed } from './mcp-servers.ts';
import { keyFor } from './names.ts';
import { objectSchema } from './schemas-of-file.ts';
import { addressWithoutSecrets, argumentsWithoutSecrets, asReferences } from './secrets.ts';
import type { Mention } from './tool-shelf.ts';

/** The name of the server that a runner binds to the tools of cagent. */
const CLIENT = 'cagent';

const NO_COUNTERPART = {
  instruction: 'write it into the backstory of the agent',
  toon: 'it changes only the form of answers',
  model: 'an agent has one model here',
  config: 'the runner has its own settings for servers',
  version: 'the runner has its own settings for servers',
  defer: 'the runner decides when tools are loaded',
  shared: 'a manifest has no field for it',
  path: 'a manifest has no field for it',
  post_edit: 'a command of a file is never run',
  ignore_vcs: 'a manifest has no field for it',
  timeout: 'the runner has its own time limits',
  file_types: 'a manifest has no field for it',
  models: 'an agent has one model here',
  sandbox: 'the runner decides where tools run',
} as const;

export class CagentToolsets {
  readonly #draft: ManifestDraft;
  /** The servers that the file defines by name. */
  readonly #defined: ReadonlyMap<string, ImportFields>;

  constructor(draft: ManifestDraft, defined: ImportFields | null) {
    this.#draft = draft;
    this.#defined = new Map(defined?.members() ?? []);
  }

  allow(agent: ImportedAgent, fields: ImportFields): void {
    const type = fields.text('type') ?? '';
    const mention = { place: fields.file, path: fields.path };
    switch (type) {
      case 'mcp':
        this.#allowServer(agent, fields, mention);
        break;
      case 'script':
        this.#allowScripts(agent, fields);
        break;
      case 'api':
        this.#allowApi(agent, fields, mention);
        break;
      case 'background_agents':
        this.#draft.notes.warn(
          'DELEGATION_NOT_TAKEN',
          fields.file,
          fields.path,
          'the agents of the set are not started: write a workflow',
        );
        break;
      default:
        if (Object.hasOwn(CAGENT_TOOLSETS, type))
          this.#allowOwn(agent, type, CAGENT_TOOLSETS[type], fields, mention);
        else this.#allowUnknown(type, fields, mention);
    }
    fields.leaveOut(NO_COUNTERPART);
    fields.end();
  }

  /** Warns of fields in the definitions of servers that a manifest cannot express. */
  end(): void {
    for (const fields of this.#defined.values()) {
      for (const field of ['type', 'name', 'ref', 'command', 'args', 'env', 'remote', 'tools'])
        fields.any(field);
      fields.leaveOut(NO_COUNTERPART);
      fields.end();
    }
  }

  /**
   * The file names a tool of cagent in three cases: it lists the tool, the tool set has only this tool, or the tool has
   * the name of the set.
   */
  #allowOwn(
    agent: ImportedAgent,
    type: string,
    tools: ClientTools | undefined,
    fields: ImportFields,
    mention: Mention,
  ): void {
    if (tools === undefined) return;
    const all = namesOf(tools);
    const listed = fields.texts('tools');
    const isAll = this.#draft.options.tools === 'all';
    const named = listed ?? (isAll ? all : all.filter((name) => name === type));
    if (listed === null && !isAll && named.length < all.length) {
      const rest = all.filter((name) => !named.includes(name));
      warnNotNamed(this.#draft, { ...mention, means: `the set ${type} means every tool of it` }, rest);
    }
    for (const name of named)
      agent.allow(this.#draft.tools.place({ server: CLIENT, name, risk: riskOf(tools, name) }, mention));
  }

  #allowServer(agent: ImportedAgent, fields: ImportFields, mention: Mention): void {
    const ref = fields.text('ref');
    const defined = ref === null ? undefined : this.#defined.get(ref);
    const server =
      this.#serverOf(fields, ref) ?? (defined === undefined ? null : this.#serverOf(defined, ref));
    const address = server ?? keyFor(withoutScheme(ref ?? fields.text('name') ?? 'server'), 'server');
    if (server === null && defined === undefined) {
      const message = `the address of mcp://${address} is not known: bind it in the settings of the runner`;
      this.#draft.notes.warn('ADDRESS_NOT_TAKEN', mention.place, mention.path, message);
    }
    const listed = listedTools(this.#draft, address);
    const named = fields.texts('tools') ?? defined?.texts('tools') ?? null;
    const names = named ?? (this.#draft.options.tools === 'all' ? listed.map(({ name }) => name) : []);
    for (const name of names) {
      const tool = listed.find((known) => known.name === name) ?? { name };
      agent.allow(this.#draft.tools.place({ ...tool, server: address, risk: riskOfListed(tool) }, mention));
    }
    if (named === null && names.length === 0) {
      const means = `the set of mcp://${address} means every tool of the server`;
      warnNotNamed(
        this.#draft,
        { ...mention, means },
        listed.map(({ name }) => name),
      );
    }
  }

  /** Returns the name of the server that the fields describe. Null if the fields do not say how to reach a server. */
  #serverOf(fields: ImportFields, ref: string | null): string | null {
    const command = fields.text('command');
    const remote = fields.map('remote');
    const url = remote === null ? null : addressWithoutSecrets(remote, 'url');
    const args = argumentsWithoutSecrets(fields, 'args', 'SERVER_');
    const env = asReferences(fields.map('env'));
    const headers = remote === null ? {} : asReferences(remote.map('headers'), 'SERVER_');
    remote?.any('transport_type');
    remote?.end();
    if (command === null && url === null) return null;
    const named = fields.text('name') ?? ref ?? url?.replace(/^[a-z]+:\/\//, '').split('/')[0];
    const program = args.findLast((arg) => /^[A-Za-z@]/.test(arg)) ?? command ?? 'server';
    const wanted = keyFor(withoutScheme(named ?? program), 'server');
    const binding = command === null ? { url: url ?? '', headers } : { command, args, env };
    return this.#draft.addServer(wanted, binding, { place: fields.file, path: fields.path }).address;
  }

  #allowScripts(agent: ImportedAgent, fields: ImportFields): void {
    for (const [name, script] of fields.maps('shell')) {
      const description = script.text('description') ?? `The command ${name} of cagent.`;
      const parameters = parametersOf(script, 'args');
      script.leaveOut({
        cmd: 'a command of a file is never run: the runner binds the tool',
        env: 'the runner binds the tool',
        working_dir: 'the runner binds the tool',
      });
      script.end();
      const mention = { place: script.file, path: script.path };
      agent.allow(this.#draft.tools.placeInline({ type: 'inline', name, description, parameters }, mention));
    }
  }

  #allowApi(agent: ImportedAgent, fields: ImportFields, mention: Mention): void {
    const api = fields.map('api_config');
    if (api === null) return;
    const name = api.text('name') ?? '';
    const description = api.text('instruction') ?? `The tool ${name} of cagent.`;
    const parameters = parametersOf(api, 'args');
    api.leaveOut({
      endpoint: 'the runner binds the tool to its address',
      headers: 'the runner binds the tool to its address',
      output_schema: 'a tool has no schema of its answer here',
    });
    api.any('method');
    api.end();
    agent.allow(this.#draft.tools.placeInline({ type: 'inline', name, description, parameters }, mention));
  }

  #allowUnknown(type: string, fields: ImportFields, mention: Mention): void {
    fields.leaveOut({
      url: 'the tools at the address are not asked for',
      headers: 'the tools are not asked for',
      name: 'the tools are not asked for',
    });
    warnNotNamed(this.#draft, { ...mention, means: `the set ${quoted(type)} means every tool of it` }, []);
  }
}

/** Returns the name within a reference: `github` for `docker:github`. */
function withoutScheme(reference: string): string {
  return reference.replace(/^docker:/, '');
}

/** Returns the schema of the arguments. The file states the properties and the names of the required properties. */
function parametersOf(fields: ImportFields, name: string): Record<string, Json> {
  const written = Object.entries(fields.map(name)?.value ?? {});
  const properties = written.map(([property, schema]) => [property, isMap(schema) ? schema : {}] as const);
  const known = new Set(properties.map(([property]) => property));
  const required = fields.texts('required') ?? [...known];
  return objectSchema(
    properties,
    required.filter((property) => known.has(property)),
  );
}
