/**
 * The input and the result of an import. An import gets the texts of files, and returns a manifest or faults. It runs
 * nothing and fetches nothing. Everything that a file does not state is not allowed.
 */
import type { PolicyDocument } from '@mandate/schemas';
import type { AgentManifest } from '@mandate/schemas/agent-manifest';

export const IMPORT_FORMATS = [
  'mcp',
  'claude-code',
  'copilot',
  'crewai',
  'cagent',
  'agent-spec',
  'a2a',
  'mcp-registry',
] as const;
export type ImportFormat = (typeof IMPORT_FORMATS)[number];

/** A file to import. `path` is used only in messages, and for names if the text contains none. */
export type ImportSource = { path: string; text: string };

/** A tool in the form in which its server lists it. */
export type ListedTool = { name: string; description?: string; readOnly?: boolean; destructive?: boolean };

export type ImportOptions = {
  /** The name of the manifest. Absent: the name comes from the files. */
  name?: string;
  /**
   * `all`: an entry that means every tool becomes a list of all known names. Default: `named`, and such an entry allows
   * no tool.
   */
  tools?: 'named' | 'all';
  /** The tools of servers, by the name of the server. */
  servers?: Readonly<Record<string, readonly ListedTool[]>>;
  /** True: an agent with `human_in_the_loop` of Open Agent Spec needs a confirmation for each of its tools. */
  humanInTheLoop?: boolean;
};

export type FaultCode =
  | 'YAML_INVALID'
  | 'FRONTMATTER_MISSING'
  | 'FIELD_MISSING'
  | 'TYPE_WRONG'
  | 'VALUE_WRONG'
  | 'REFERENCE_MISSING'
  | 'REFERENCE_CYCLE'
  | 'NOT_SUPPORTED'
  | 'PERMISSIONS_BYPASSED'
  | 'NOTHING_TO_IMPORT'
  | 'FORMAT_UNKNOWN'
  | 'MANIFEST_INVALID';

export type WarningCode =
  | 'TOOLS_NOT_NAMED'
  | 'TOOL_UNKNOWN'
  | 'TOOL_NAME_INVALID'
  | 'TOOL_NOT_TAKEN'
  | 'TOOL_RENAMED'
  | 'ADDRESS_NOT_TAKEN'
  | 'SERVER_RENAMED'
  | 'FIELD_UNKNOWN'
  | 'FIELD_NOT_TAKEN'
  | 'FIELD_DEFAULTED'
  | 'SECRET_IN_MANIFEST'
  | 'RULE_STRICTER'
  | 'DELEGATION_NOT_TAKEN'
  | 'TASK_NOT_TAKEN'
  | 'NODE_AS_AGENT';

/** `line` and `column` count from 1. They are absent if the message has no place. `path` is dotted. */
export type ImportNote<Code extends string> = {
  code: Code;
  file: string;
  path: string;
  message: string;
  line?: number;
  column?: number;
};
export type ImportFault = ImportNote<FaultCode>;
export type ImportWarning = ImportNote<WarningCode>;

/** The fields of a policy that an import can fill. Each field only restricts what the agent may do. */
export type NarrowingPolicy = Pick<
  PolicyDocument,
  'deniedTools' | 'toolPolicies' | 'rateLimit' | 'allowedProviders'
>;

/** The facts from a file about an agent for which a manifest has no field. `agent` is the key of its definition. */
export type AgentLimits = { agent: string; policy: NarrowingPolicy; maxTurns?: number };

/** How to reach the server with the address `mcp://name`. Every value of `env` and `headers` is `${env:NAME}`. */
export type ServerBinding =
  | { command: string; args: readonly string[]; env: Readonly<Record<string, string>> }
  | { url: string; headers: Readonly<Record<string, string>> };

export type Imported =
  | {
      ok: true;
      manifest: AgentManifest;
      policies: readonly AgentLimits[];
      /** The servers of the manifest's tools, by the name in `mcp://name`. */
      servers: Readonly<Record<string, ServerBinding>>;
      warnings: readonly ImportWarning[];
    }
  | { ok: false; faults: readonly ImportFault[]; warnings: readonly ImportWarning[] };
