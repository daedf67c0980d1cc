import { CATEGORIES, diffDocuments, type ManifestDiff } from '@mandate/agent-manifest';
import { type Command, InvalidArgumentError } from 'commander';
import type { Output, RunCommand } from '../command-context.ts';
import { type AgentManifestFlags, withDirectModels } from '../input/agent-manifest-options.ts';
import { manifestOfFile } from '../input/manifest-file.ts';
import { someText } from '../input/option-values.ts';
import { fieldChangeLines } from '../manifests/publication.ts';
import { counted } from '../output/for-people.ts';
import { showAnswer } from '../output/write.ts';

/** WIDER stands for any change that gives an agent more, whatever its category. */
const FAIL_ON = [...CATEGORIES, 'WIDER'] as const;
type FailOn = (typeof FAIL_ON)[number];
type Change = ManifestDiff['changes'][number];

type Options = AgentManifestFlags & { failOn?: readonly FailOn[] };

export function diffManifestsCommand(manifest: Command, run: RunCommand): void {
  withDirectModels(manifest.command('diff'))
    .description(
      'Shows what changed from one agent manifest or graph recipe to another. A change that gives an agent more is marked: ! wider.',
    )
    .argument('<old>', 'the manifest before the change', someText)
    .argument('<new>', 'the manifest after it', someText)
    .option(
      '--fail-on <categories>',
      `fail if something of these changed: ${FAIL_ON.join(',')}; WIDER: any change that gives an agent more`,
      failOnNames,
    )
    .addHelpText(
      'after',
      `
Exit code 3 if something of --fail-on changed, 2 if a file has a fault. A change
of any category can be wider. Only WIDER catches them all.

Examples:
  mandate manifest diff old.yaml new.yaml
  mandate manifest diff old.yaml new.yaml --fail-on BREAKING,GOVERNANCE,WIDER
  mandate manifest diff old.yaml new.yaml --json | jq .widens`,
    )
    .action((old: string, now: string, { failOn = [], ...flags }: Options) =>
      run(async (context) => {
        const diff = diffDocuments(manifestOfFile(old, flags), manifestOfFile(now, flags));
        await showAnswer(context, { old, new: now, ...diff }, () => textOf(diff, context.stdout));
        const isNamed = ({ category, widens }: Change) =>
          failOn.includes(category) || (widens === true && failOn.includes('WIDER'));
        return diff.changes.some(isNamed) ? 3 : 0;
      }),
    );
}

function failOnNames(text: string): readonly FailOn[] {
  return text.split(',').map((given) => {
    const name = FAIL_ON.find((known) => known === given.trim());
    if (name !== undefined) return name;
    throw new InvalidArgumentError(`Give some of ${FAIL_ON.join(', ')}, with commas between them.`);
  });
}

function textOf({ changes }: ManifestDiff, stream: Output): string {
  if (changes.length === 0) return 'nothing changed\n';
  const wider = changes.filter(({ widens }) => widens === true).length;
  const sum = `${counted(changes.length, 'change')}, ${wider} wider`;
  return `${[...fieldChangeLines(changes, stream), sum].join('\n')}\n`;
}
