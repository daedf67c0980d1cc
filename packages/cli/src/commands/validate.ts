import { basename } from 'node:path';
import { loadControl } from '@mandate/control';
import { readMandatesFile } from '@mandate/documents';
import { type DocumentFault, describeFault, saysKind } from '@mandate/policy/documents';
import { checkPrivacy } from '@mandate/privacy';
import { readNamedFile } from '@mandate/runtime';
import { type Command, Option } from 'commander';
import type { CommandContext, RunCommand } from '../command-context.ts';
import type { ExitCode } from '../exit-codes.ts';
import { printableLines } from '../output/printable.ts';
import { write, writeJsonLine } from '../output/write.ts';

/** What a file that is good holds: as JSON, and in a word or two for people. */
type Checked = (
  | {
      ok: true;
      found: object;
      inWords: string;
      /** Names of tools that it declares. */
      tools?: readonly string[];
      /** What it probably does not mean; \`declared\` by it and the files beside it. */
      warnings?: (declared: Iterable<string>) => readonly DocumentFault[];
    }
  | { ok: false; faults: readonly DocumentFault[] }
) & {
  /** What only the machine can tell that the file is for. */
  notes?: readonly string[];
};

type Flags = { json?: true; privacy?: true; alerts?: true };

export function validateCommand(command: Command, run: RunCommand): void {
  command
    .description(
      'Checks mandates, agents, policies, rules, privacy documents and rules of alerts, and names every fault by file, line and column. ' +
        '`mandate lint` tells what is amiss between them.',
    )
    .argument(
      '<file...>',
      'YAML or JSON: mandates, or agents, policies and rules, unless called privacy.yaml or alerts.yaml (or .yml, .json)',
    )
    .addOption(
      new Option('--privacy', 'the files are privacy documents, whatever they are called').conflicts(
        'alerts',
      ),
    )
    .option('--alerts', 'the files are rules of alerts, whatever they are called')
    .option('--json', 'one JSON document a file, in one line')
    .addHelpText(
      'after',
      `
Exit code 2 when a file has a fault. A warning is of what may not mean what it says. What only the plane's environment has is a note when it is not found here: a secret
of a webhook, the key of a rule that hashes.

Examples:
  mandate validate mandates.yaml privacy.yaml alerts.yaml
  mandate validate --privacy people.yaml
  mandate validate --json policies/*.yaml | jq -r '.faults[]?.message'`,
    )
    .action((files: readonly string[], { json, ...flags }: Flags) =>
      run(async ({ stdout, stderr, env }): Promise<ExitCode> => {
        const all: [file: string, checked: Checked][] = [];
        for (const file of files) all.push([file, await CHECKS[kindOf(file, flags)](file, env)]);
        const declared = new Set(all.flatMap(([, checked]) => (checked.ok ? (checked.tools ?? []) : [])));
        for (const [file, checked] of all) {
          const warnings = checked.ok ? (checked.warnings?.(declared) ?? []) : [];
          if (json) {
            const { ok, notes } = checked;
            const said = ok ? checked.found : { faults: checked.faults };
            await writeJsonLine(stdout, {
              ...{ file, ok, ...said },
              ...(warnings.length > 0 && { warnings }),
              ...(notes && { notes }),
            });
            continue;
          }
          const lines = [
            ...(checked.ok ? [] : checked.faults.map((fault) => describeFault(file, fault))),
            ...warnings.map((warning) => describeFault(file, warning, 'warning: ')),
            ...(checked.notes ?? []).map((note) => `${file}: note: ${note}`),
          ];
          await write(stderr, printableLines(lines.map((line) => `${line}\n`).join('')));
          if (checked.ok) await write(stdout, printableLines(`${file}: ok (${checked.inWords})\n`));
        }
        return all.every(([, checked]) => checked.ok) ? 0 : 2;
      }),
    );
}

const CHECKS = {
  mandates: checkMandates,
  control: checkControl,
  privacy: checkPrivacyFile,
  alerts: checkAlerts,
};

function kindOf(file: string, { privacy, alerts }: Flags): keyof typeof CHECKS {
  if (privacy) return 'privacy';
  if (alerts) return 'alerts';
  const name = /^(privacy|alerts)\.(?:ya?ml|json)$/.exec(basename(file))?.[1];
  if (name === 'privacy' || name === 'alerts') return name;
  // A mandate has no kind.
  return saysKind(readNamedFile(file)) ? 'control' : 'mandates';
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
