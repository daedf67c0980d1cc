/**
 * The gate: finds the parts of a manifest that the settings of a plane forbid. It reads only the manifest, so it can be
 * used before anything is published or run.
 */
import type { AgentManifest, GateDocument } from '@mandate/schemas/agent-manifest';
import { type Catalog, catalogOf, findTool } from '../catalog.ts';
import { allowedHosts, hostOf, leadsOut } from './hosts.ts';

type GateRule =
  | 'auth_mandate_missing'
  | 'command_restriction'
  | 'custom_logic_restriction'
  | 'domain_restriction'
  | 'inline_tool_restriction'
  | 'risk_level_restriction';

/** `component`: the id of the definition, the key of the step, or the name of the tool or server. */
export type GateViolation = { rule: GateRule; path: string; component: string; message: string };

export type GateAnswer = { passed: boolean; violations: readonly GateViolation[] };

type Say = (rule: GateRule, path: string, component: string, message: string) => void;
type MayReach = (address: string) => boolean;

/**
 * Returns every violation, by rule and then by path.
 *
 * @param manifest a valid manifest
 */
export function gateViolations(manifest: AgentManifest, gate: GateDocument): GateAnswer {
  const violations: GateViolation[] = [];
  const say: Say = (rule, path, component, message) => violations.push({ rule, path, component, message });
  const { allowed_domains: domains } = gate;
  const mayReach = domains === undefined ? () => true : allowedHosts(domains, gate.strict_url_validation);
  const catalog = catalogOf(manifest);
  askOfTools(catalog, manifest, gate, { say, mayReach });
  askOfAgents(catalog, gate, { say, mayReach });
  askOfSkills(catalog, gate, { say, mayReach });
  for (const { path, id, definition } of catalog.resource.entries)
    askOfAddress(definition.uri, `${path}.uri`, id, { say, mayReach });
  askOfCommands(manifest, gate, say);
  askOfSteps(manifest, gate, say);
  violations.sort((one, other) => compare(one.rule, other.rule) || compare(one.path, other.path));
  return { passed: violations.length === 0, violations };
}

type Asked = { say: Say; mayReach: MayReach };

/** The order of risk levels. A tool without a level is above all of them. */
const RANKS = { safe: 0, standard: 1, critical: 2 } as const;

function askOfTools(
  catalog: Catalog,
  { metadata }: AgentManifest,
  { max_risk_level: most, require_auth_for_critical_tools: needsAuth }: GateDocument,
  { say, mayReach }: Asked,
): void {
  for (const { path, id, definition } of catalog.tool.entries) {
    const { risk_level: risk, uri } = definition;
    if (most !== undefined && RANKS[risk] > RANKS[most])
      say(
        'risk_level_restriction',
        `${path}.risk_level`,
        id,
        `is ${risk}, and the gate allows at most ${most}: use a tool of a lower risk`,
      );
    askOfAddress(uri, `${path}.uri`, id, { say, mayReach });
  }
  const critical = catalog.tool.entries.find(({ definition }) => definition.risk_level === 'critical');
  if (needsAuth && critical !== undefined && metadata.requires_auth !== true)
    say(
      'auth_mandate_missing',
      'metadata',
      'metadata',
      `must say requires_auth: true, because the tool "${critical.id}" is critical`,
    );
}

/** Checks the tools that only an agent names, and the addresses of an agent. */
function askOfAgents(
  catalog: Catalog,
  { max_risk_level: most, allow_inline_tools: mayBeInline }: GateDocument,
  { say, mayReach }: Asked,
): void {
  for (const { path, id, definition } of catalog.agent.entries) {
    for (const [at, written] of (definition.tools ?? []).entries()) {
      const read = findTool(catalog, written);
      // The definition of a tool is judged at its own place.
      if (read.found === 'ok' && read.tool.entry !== null) continue;
      const place = `${path}.tools.${at}`;
      const isInline = typeof written === 'object' && written.type === 'inline';
      const address = typeof written === 'string' ? written : isInline ? null : written.uri;
      const component = address ?? (isInline ? written.name : '');
      if (most !== undefined)
        say(
          'risk_level_restriction',
          place,
          component,
          `has no risk_level, which counts as more than critical, and the gate allows at most ${most}: define the tool with its risk_level`,
        );
      if (isInline && !mayBeInline)
        say('inline_tool_restriction', place, component, 'is an inline tool, which the gate does not allow');
      if (address !== null)
        askOfAddress(address, typeof written === 'string' ? place : `${place}.uri`, component, {
          say,
          mayReach,
        });
    }
    for (const [at, text] of (definition.knowledge ?? []).entries())
      if (leadsOut(text)) askOfAddress(text, `${path}.knowledge.${at}`, id, { say, mayReach });
    const dataset = definition.evaluation?.golden_dataset_uri;
    if (dataset !== undefined && leadsOut(dataset))
      askOfAddress(dataset, `${path}.evaluation.golden_dataset_uri`, id, { say, mayReach });
  }
}

function askOfSkills(
  catalog: Catalog,
  { allow_custom_logic: mayRun }: GateDocument,
  { say, mayReach }: Asked,
): void {
  for (const { path, id, definition } of catalog.skill.entries) {
    const { instructions_uri: text, scripts = {} } = definition;
    if (text !== undefined && leadsOut(text))
      askOfAddress(text, `${path}.instructions_uri`, id, { say, mayReach });
    if (!mayRun && Object.keys(scripts).length > 0)
      say('custom_logic_restriction', `${path}.scripts`, id, 'are scripts, which the gate does not allow');
  }
}

function askOfCommands({ definitions = {} }: AgentManifest, gate: GateDocument, say: Say): void {
  if (gate.allow_mcp_commands) return;
  for (const [key, definition] of Object.entries(definitions)) {
    if (definition.type !== 'tool_pack') continue;
    for (const [at, { name }] of (definition.mcp_servers ?? []).entries())
      say(
        'command_restriction',
        `definitions.${key}.mcp_servers.${at}`,
        name,
        'names a command that starts a server, which the gate does not allow',
      );
  }
}

/** Conditions of switches never count as custom logic, because they can only compute a result. */
function askOfSteps({ workflow }: AgentManifest, gate: GateDocument, say: Say): void {
  if (gate.allow_custom_logic) return;
  for (const [key, { type }] of Object.entries(workflow?.steps ?? {})) {
    if (type !== 'logic') continue;
    say('custom_logic_restriction', `workflow.steps.${key}`, key, 'runs code, which the gate does not allow');
  }
}

/** The maximum length of a host in a message. */
const LONGEST_HOST = 100;

function askOfAddress(address: string, path: string, component: string, { say, mayReach }: Asked): void {
  if (mayReach(address)) return;
  const host = hostOf(address)?.slice(0, LONGEST_HOST) ?? null;
  const why =
    host === null
      ? 'names no host, so it cannot be among the allowed domains'
      : `leads to the host "${host}", which is not among the allowed domains`;
  say('domain_restriction', path, component, why);
}

function compare(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}
