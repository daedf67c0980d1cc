/**
 * The document of `runner.yaml`: which servers the runner may reach, which tools of manifests are bound to them, and
 * which providers answer calls of models. Commands of servers are written only here. A command in a manifest is never
 * run.
 */
import { type DocumentFault, type DocumentSource, readDocuments } from '@mandate/policy/documents';
import { z } from 'zod';

const MOST_SERVERS = 1_000;

const text = z.string().min(1).max(10_000);
const shared = {
  /** How long a call may take. */
  timeoutMs: z.int().min(1).max(43_200_000).default(60_000),
  /** `auto` asks the server which revision of the protocol it speaks. */
  protocol: z.enum(['auto', 'legacy', 'modern']).default('auto'),
};

const commandServer = z.strictObject({
  command: text,
  args: z.array(z.string().max(10_000)).max(1_000).default([]),
  env: z.record(z.string().min(1).max(200), z.string().max(65_536)).default({}),
  cwd: text.optional(),
  /** True: the stderr output of the server appears in the stderr output of the runner. */
  showErrors: z.boolean().default(false),
  ...shared,
});

const urlServer = z.strictObject({
  url: z.url({ protocol: /^https?$/ }).max(2_000),
  headers: z.record(z.string().min(1).max(200), z.string().max(65_536)).default({}),
  ...shared,
});

export type CommandServer = z.output<typeof commandServer>;
export type UrlServer = z.output<typeof urlServer>;
export type ServerSettings = CommandServer | UrlServer;

const provider = z.strictObject({
  protocol: z.enum(['openai', 'anthropic']),
  /** The API key of the provider: `${env:OPENAI_API_KEY}`. */
  apiKey: z.string().min(1).max(10_000),
  /** Default: the address of the protocol's own provider. */
  baseUrl: z
    .url({ protocol: /^https?$/ })
    .max(2_000)
    .optional(),
  /** How long one attempt of a call may take. */
  timeoutMs: z.int().min(1).max(43_200_000).default(300_000),
});

const runnerDocument = z.strictObject({
  version: z.literal(1),
  /** The servers by their names, or by the URIs that manifests state. `mcp://crm` also means the server named `crm`. */
  servers: z.record(text, z.union([commandServer, urlServer])).default({}),
  /**
   * The inline tools, by name. `implementation` is the file with the code of the tool. The SHA-256 of its bytes must be
   * the `code_hash` of the manifest.
   */
  inline: z
    .record(text, z.strictObject({ server: text, tool: text, implementation: text.optional() }))
    .default({}),
  /**
   * The hosts that the runner may reach by an address of a manifest, without a binding: `tools.example.com`,
   * `*.corp.example`, `127.0.0.1:8080`. Default: none.
   */
  allowedHosts: z.array(text).max(1_000).default([]),
  /** The providers of models, by their names in manifests and price lists. */
  providers: z.record(text, provider).default({}),
  /** The provider of models for which neither the manifest nor a price list names a provider. */
  defaultProvider: text.optional(),
  /** Whether the runner may run code of manifests. A person still confirms each logic step. */
  logic: z
    .strictObject({
      enabled: z.boolean().default(false),
      python: text.optional(),
    })
    .default({ enabled: false }),
});

export type RunnerDocument = z.output<typeof runnerDocument>;
export type ToolServersDocument = Pick<RunnerDocument, 'servers' | 'inline' | 'allowedHosts'>;

export type LoadedRunnerDocument =
  | { ok: true; document: RunnerDocument }
  | { ok: false; faults: readonly DocumentFault[] };

/** Without a file, no server is bound, no server may be reached, and no model can be called. */
export const NO_RUNNER_DOCUMENT: RunnerDocument = runnerDocument.parse({ version: 1 });

type Environment = Readonly<Record<string, string | undefined>>;

/** @param env gives the values of `${env:NAME}` */
export function loadRunnerDocument(source: DocumentSource, env: Environment): LoadedRunnerDocument {
  const found: RunnerDocument[] = [];
  const faults = readDocuments(
    source,
    { schema: runnerDocument, what: 'document of the runner' },
    (written, say) => {
      if (found.length > 0) say([], 'the file holds more than one document');
      if (Object.keys(written.servers).length > MOST_SERVERS)
        say(['servers'], `more than ${MOST_SERVERS} servers`);
      for (const [name, { server }] of Object.entries(written.inline)) {
        if (!Object.hasOwn(written.servers, server))
          say(['inline', name, 'server'], `there is no server "${server}": name one of \`servers\``);
      }
      const servers = Object.entries(written.servers).map(([name, server]) => {
        const missing = (field: string, key: string, variable: string) =>
          say(['servers', name, field, key], `the environment has no ${variable}: set it, or remove it here`);
        return [name, filledServer(server, env, missing)] as const;
      });
      const providers = Object.entries(written.providers).map(([name, { apiKey, ...provider }]) => {
        const missing = (variable: string) =>
          say(['providers', name, 'apiKey'], `the environment has no ${variable}: set it, or remove it here`);
        return [name, { ...provider, apiKey: filledText(apiKey, env, missing) }] as const;
      });
      found.push({
        ...written,
        servers: Object.fromEntries(servers),
        providers: Object.fromEntries(providers),
      });
    },
  );
  const [document] = found;
  if (faults.length > 0 || document === undefined) return { ok: false, faults };
  return { ok: true, document };
}

type SayMissing = (field: string, key: string, variable: string) => void;

function filledServer(server: ServerSettings, env: Environment, missing: SayMissing): ServerSettings {
  const filled = (field: string, values: Readonly<Record<string, string>>) =>
    Object.fromEntries(
      Object.entries(values).map(([key, value]) => [
        key,
        filledText(value, env, (variable) => missing(field, key, variable)),
      ]),
    );
  return 'url' in server
    ? { ...server, headers: filled('headers', server.headers) }
    : { ...server, env: filled('env', server.env) };
}

/** Replaces `${env:NAME}` by the value of the variable. */
function filledText(text: string, env: Environment, missing: (variable: string) => void): string {
  return text.replace(/\$\{env:([A-Za-z_][A-Za-z0-9_]*)\}/g, (_whole, name: string) => {
    const found = env[name];
    if (found === undefined) missing(name);
    return found ?? '';
  });
}
