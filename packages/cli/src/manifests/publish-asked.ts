/** Shows the effects of a publication, asks for confirmation if something gets wider, and publishes. */
import { ApiProblem } from '../api-failure.ts';
import type { CommandContext } from '../command-context.ts';
import { connect } from '../connection.ts';
import { CommandFailure, type ExitCode } from '../exit-codes.ts';
import { isSure } from '../input/is-sure.ts';
import { printable, printableLines } from '../output/printable.ts';
import { write, writeJsonLine } from '../output/write.ts';
import {
  isWider,
  type Publication,
  type Published,
  publicationText,
  sendPublication,
} from './publication.ts';

export type PublishFlags = { dryRun?: true; yes?: true; reason?: string };

/** Returns 3 if the gate of the plane forbids the manifest. */
export async function publishAsked(
  context: CommandContext,
  publication: Publication,
  { dryRun, yes, reason }: PublishFlags,
): Promise<ExitCode> {
  const api = connect(context);
  const { stdout, stderr, json } = context;
  const tried = await triedOn(context, sendPublication(api, publication, { dryRun: true }));
  if (tried === null) return 3;
  // A person sees the changes before the question. A program gets the answer of the plane on stdout.
  const shown = json ? stderr : stdout;
  if (!json || !dryRun) await write(shown, publicationText(tried, shown));
  for (const { code, file, line, path, message } of tried.warnings) {
    const place = line === null ? file : `${file}:${line}`;
    await write(stderr, printableLines(`${place} warning: ${path}: ${message} (${code})\n`));
  }
  if (dryRun) {
    if (json) await writeJsonLine(stdout, tried);
    return 0;
  }
  if (isWider(tried) && !yes && !(await isSure(context, 'It allows more than before. Publish it?')))
    throw new CommandFailure(1, 'nothing was published');
  const { revision } = tried;
  const published = await triedOn(context, sendPublication(api, publication, { reason, revision }));
  if (published === null) return 3;
  if (json) await writeJsonLine(stdout, published);
  else await write(stdout, `published ${printable(published.id)}, version ${published.version}\n`);
  return 0;
}

/** Returns the answer. If the gate refuses the manifest, shows every violation and returns null. */
async function triedOn(
  { stdout, stderr, json }: CommandContext,
  answer: Promise<Published>,
): Promise<Published | null> {
  try {
    return await answer;
  } catch (error) {
    if (!(error instanceof ApiProblem) || error.code !== 'GATE_VIOLATED') throw error;
    for (const { pointer = '', detail = '' } of error.faults) {
      if (json) await writeJsonLine(stdout, { code: error.code, path: pointer, message: detail });
      else await write(stderr, printableLines(`${pointer}: ${detail}\n`));
    }
    await write(
      stderr,
      printableLines(`mandate: the gate of the plane forbids this manifest\n  ${error.remedy ?? ''}\n`),
    );
    return null;
  }
}
