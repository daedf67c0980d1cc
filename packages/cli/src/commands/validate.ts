import { basename, dirname, join, resolve } from 'node:path';
import { loadGate } from '@mandate/agent-manifest';
import { loadControl } from '@mandate/control';
import {
  DOCUMENTS,
  describeManifestFault,
  environmentsIn,
  filesBelow,
  GATE_FILE,
  type ManifestFault,
  type ManifestRead,
  overlayFile,
  readCategories,
  readMandatesFile,
  readManifest,
  withoutManifests,
} from '@mandate/documents';
import { checkManifestOrGraph } from '@mandate/documents/manifest-or-graph';
import { apiVersionIn, type DocumentFault, describeFault, saysKind } from '@mandate/policy/documents';
import { checkPrivacy } from '@mandate/privacy';
import { readNamedFile } from '@mandate/runtime';
import { type Command, Option } from 'commander';
import type { CommandContext, RunCommand } from '../command-context.ts';
import { type ExitCode, WrongUse } from '../exit-codes.ts';
import { type ManifestFlags, manifestOptions, withManifests } from '../input/manifest-options.ts';
import { printableLines } from '../output/printable.ts';
import { write, writeJsonLine } from '../output/write.ts';

/**
 * The result for one file, or for a manifest: the content of a good file, as JSON and in words, or the faults of a bad
 * file. The faults of a manifest name their files.
 */
type Checked = (
  | {
      ok: true;
      found: object;
      inWords: string;
      tools?: readonly string[];
      /** Returns warnings about probable mistakes. `declared`: the tools that all given files declare. */
      warnings?: (declared: Iterable<string>) => readonly Fault[];
    }
  | { ok: false; faults: readonly Fault[]; warnings?: () => readonly Fault[] }
) & {
  /** Notes on what can be checked only on the machine of the plane. */
  notes?: readonly string[];
};

/** A fault of either kind of manifest names its file. */
type Fault = DocumentFault | (Omit<ManifestFault, 'code'> & { code: string });

type Flags = ManifestFlags & { privacy?: true; alerts?: true };

export function validateCommand(command: Command, run: RunCommand): void {
  withManifests(command)
    .description(
      'Checks files, and names every fault by file, line and column. Files have mandates, or agents, policies and rules. ' +
        'A folder may have a manifest: manifest.yaml and policy.yaml. A file that begins with apiVersion is an agent manifest or a graph recipe, and is checked with the files that it refers to. config.yaml has categories of memories, and privacy.yaml and alerts.yaml have the documents of those names. `mandate lint` finds mistakes between documents.',
    )
    .argument('<file...>', 'files in YAML or JSON, or folders of them')
    .addOption(
      new Option('--privacy', 'the files are privacy documents, whatever their names').conflicts('alerts'),
    )
    .option('--alerts', 'the files are alert rules, whatever their names')
    .addHelpText(
      'after',
      `
Exit code 2 if a file has a fault. A warning names what may not mean what it
says. A note names what only the environment of the plane has, such as the
secret of a webhook. Without --env, each overlay of a manifest is checked too.

Examples:
  mandate validate mandates.yaml privacy.yaml alerts.yaml
  mandate validate --privacy people.yaml
  mandate validate tutor/ --env production
  mandate validate research.yaml
  mandate validate --json policies/*.yaml | jq -r '.faults[]?.message'`,
    )
    .action((files: readonly string[], flags: Flags) =>
      run(async ({ stdout, stderr, env, json }): Promise<ExitCode> => {
        const all: [file: string, checked: Checked][] = [];
        const { manifests, others } = filesOf(files, flags);
        for (const folder of manifests) all.push(...checkManifest(folder, flags));
        const { agentManifests, rest } = withoutAgentManifests(others, flags);
        all.push(...agentManifests);
        for (const file of rest) all.push([file, await CHECKS[kindOf(file, flags, manifests)](file, env)]);
        const declared = new Set(all.flatMap(([, checked]) => (checked.ok ? (checked.tools ?? []) : [])));
        for (const [file, checked] of all) {
          const warnings = checked.warnings?.(declared) ?? [];
          if (json) {
            const { ok, notes } = checked;
            const found = ok ? checked.found : { faults: checked.faults };
            await writeJsonLine(stdout, {
              ...{ file, ok, ...found },
              ...(warnings.length > 0 && { warnings }),
              ...(notes && { notes }),
            });
            continue;
          }
          const lines = [
            ...(checked.ok ? [] : checked.faults.map((fault) => described(file, fault))),
            ...warnings.map((warning) => described(file, warning, 'warning: ')),
            ...(checked.notes ?? []).map((note) => `${file}: note: ${note}`),
          ];
          await write(stderr, printableLines(lines.map((line) => `${line}\n`).join('')));
          if (checked.ok) await write(stdout, printableLines(`${file}: ok (${checked.inWords})\n`));
        }
        return all.every(([, checked]) => checked.ok) ? 0 : 2;
      }),
    );
}

function described(file: string, fault: Fault, severity: '' | 'warning: ' = ''): string {
  return 'file' in fault ? describeManifestFault(fault, severity) : describeFault(file, fault, severity);
}

/** @throws WrongUse if a folder has no file to check, or if an environment is named, but no manifest */
function filesOf(paths: readonly string[], { privacy, alerts, env }: Flags) {
  const isOtherKind = privacy || alerts;
  const files = paths.flatMap((path) => {
    const below = filesBelow(path, DOCUMENTS);
    if (below.length > 0) return below;
    throw new WrongUse(
      `${path} has no file to check`,
      'Name files, or a folder with files that end in .yaml, .yml or .json.',
    );
  });
  const found = isOtherKind ? { manifests: [], others: files } : withoutManifests(files);
  if (env !== undefined && found.manifests.length === 0)
    throw new WrongUse(`there is no manifest.yaml, so --env ${env} has no effect`);
  return found;
}

/**
 * Checks the agent manifests among files. The files to which they refer are parts of them, so these are not checked
 * again.
 */
function withoutAgentManifests(
  files: readonly string[],
  { privacy, alerts }: Flags,
): { agentManifests: readonly [file: string, checked: Checked][]; rest: readonly string[] } {
  const found = privacy || alerts ? [] : files.filter(saysApiVersion);
  const used = new Set(found.map((file) => resolve(file)));
  const agentManifests = found.map((file): [string, Checked] => {
    const read = checkManifestOrGraph(file);
    for (const beside of read.files) used.add(resolve(beside));
    if (!read.ok) return [file, { ok: false, faults: read.faults }];
    const { document, warnings } = read;
    if ('topology' in document) {
      const { nodes, edges } = document.topology;
      const graphRecipe = { nodes: nodes.length, edges: edges.length };
      const inWords = `graph recipe: ${counts(graphRecipe)}`;
      return [file, { ok: true, found: { graphRecipe }, inWords, warnings: () => warnings }];
    }
    const { definitions = {}, workflow } = document;
    const agentManifest = {
      definitions: Object.keys(definitions).length,
      steps: Object.keys(workflow?.steps ?? {}).length,
    };
    const inWords = `agent manifest: ${counts(agentManifest)}`;
    return [file, { ok: true, found: { agentManifest }, inWords, warnings: () => warnings }];
  });
  return { agentManifests, rest: files.filter((file) => !used.has(resolve(file))) };
}

/** Control documents have a `kind` too, but no `apiVersion`. A manifest of another version is a manifest with a fault. */
function saysApiVersion(file: string): boolean {
  const bytes = readNamedFile(file);
  // Most files are other documents, and finding the field takes as long as reading the whole file.
  return Buffer.from(bytes).includes('apiVersion') && apiVersionIn(bytes) !== null;
}

/**
 * Checks a manifest under the named environment. If no environment is named, each overlay of the folder is checked too.
 * Otherwise a fault in an overlay would be found only when a plane starts with it. Each overlay is listed as a file.
 */
function checkManifest(folder: string, flags: Flags): [file: string, checked: Checked][] {
  const options = manifestOptions(flags);
  const base = readManifest(folder, options);
  const own: [string, Checked] = [folder, checkedManifest(base)];
  if (flags.env !== undefined) return [own];
  const known = new Set([...faultsOf(base), ...base.warnings].map((fault) => describeManifestFault(fault)));
  const isNew = (fault: ManifestFault) => !known.has(describeManifestFault(fault));
  const overlays = environmentsIn(folder).flatMap((environment): [string, Checked][] => {
    const read = readManifest(folder, { ...options, environment });
    const faults = faultsOf(read).filter(isNew);
    // The faults of policy.yaml itself are reported once.
    if (!read.ok && faults.length === 0) return [];
    const checked = checkedManifest({
      ...(read.ok ? read : { ok: false, faults }),
      warnings: read.warnings.filter(isNew),
    });
    return [[join(folder, overlayFile(environment)), checked]];
  });
  return [own, ...overlays];
}

function faultsOf(read: ManifestRead): readonly ManifestFault[] {
  return read.ok ? [] : read.faults;
}

function checkedManifest(read: ManifestRead): Checked {
  const warnings = () => read.warnings;
  if (!read.ok) return { ok: false, faults: read.faults, warnings };
  const { agents, policies, rules } = read.compiled;
  const manifest = { agents: agents.length, policies: policies.length, rules: rules.length };
  const tools = policies.flatMap(({ tools: declared = [] }) => declared);
  return { ok: true, found: { manifest }, inWords: `manifest: ${counts(manifest)}`, tools, warnings };
}

const CHECKS = {
  mandates: checkMandates,
  control: checkControl,
  privacy: checkPrivacyFile,
  alerts: checkAlerts,
  categories: checkCategories,
  gate: checkGate,
};

/** @param manifests the folders with a manifest. Other files there are agents, policies and rules */
function kindOf(file: string, { privacy, alerts }: Flags, manifests: readonly string[]): keyof typeof CHECKS {
  if (privacy) return 'privacy';
  if (alerts) return 'alerts';
  const name = /^(privacy|alerts|config)\.(?:ya?ml|json)$/.exec(basename(file))?.[1];
  if (name === 'privacy' || name === 'alerts') return name;
  // A mandates file has no field `kind`, and neither a config nor a gate has one.
  if (manifests.includes(dirname(file)) || saysKind(readNamedFile(file))) return 'control';
  if (basename(file) === GATE_FILE) return 'gate';
  return name === 'config' ? 'categories' : 'mandates';
}

function checkControl(file: string): Checked {
  const read = loadControl(readNamedFile(file));
  if (!read.ok) return read;
  const { agents, policies, rules } = read.documents;
  const control = { agents: agents.size, policies: policies.size, rules: rules.size };
  const tools = [...policies.values()].flatMap(({ tools = [] }) => tools);
  return { ok: true, found: { control }, inWords: counts(control), tools, warnings: read.warnings };
}

function checkMandates(file: string): Checked {
  const read = readMandatesFile(file);
  if (!read.ok) return read;
  const mandates = read.mandates.map(({ reference: { id, hash } }) => ({ id, hash }));
  const inWords = mandates.map(({ id }) => id).join(', ');
  return { ok: true, found: { mandates }, inWords, warnings: () => read.warnings };
}

function checkCategories(file: string): Checked {
  const read = readCategories(file);
  const warnings = () => read.warnings;
  if (!read.ok) return { ok: false, faults: read.errors, warnings };
  const stores = Object.keys(read.categories.stores).length;
  return { ok: true, found: { categories: { stores } }, inWords: `stores: ${stores}`, warnings };
}

function checkGate(file: string): Checked {
  const read = loadGate(readNamedFile(file));
  if (!read.ok) return { ok: false, faults: read.faults.map((fault) => ({ file, ...fault })) };
  return { ok: true, found: { gate: read.gate }, inWords: 'gate of agent manifests' };
}

function checkPrivacyFile(file: string, env: CommandContext['env']): Checked {
  const read = checkPrivacy(readNamedFile(file), env);
  if (!read.ok) return read;
  const { fields, patterns, retention } = read.privacy;
  const privacy = {
    fields: fields.length,
    patterns: patterns.length,
    retention: Object.keys(retention).length,
  };
  return { ok: true, found: { privacy }, inWords: counts(privacy), notes: read.notes };
}

async function checkAlerts(file: string, env: CommandContext['env']): Promise<Checked> {
  const { checkAlerting } = await import('@mandate/plane/alerting');
  const read = checkAlerting(readNamedFile(file), env);
  if (!read.ok) return read;
  const { rules, webhooks } = read.alerting;
  const alerts = {
    rules: Object.values(rules).filter((rule) => rule !== false).length,
    webhooks: webhooks.length,
  };
  return { ok: true, found: { alerts }, inWords: counts(alerts), notes: read.notes };
}

function counts(found: Record<string, number>): string {
  return Object.entries(found)
    .map(([what, count]) => `${what}: ${count}`)
    .join(', ');
}
