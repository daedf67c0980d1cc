import { setTimeout as sleep } from 'node:timers/promises';
import { timeOfId, VERDICTS, wireTime } from '@mandate/schemas';
import { type Command, Option } from 'commander';
import type { ApiClient, Query } from '../api-client.ts';
import type { CommandContext, ExitCode, RunCommand } from '../command-context.ts';
import { someText, wholeNumber } from '../input/option-values.ts';
import { decisionLine, type ShownDecision } from '../output/decision-line.ts';
import { write, writeJsonLine } from '../output/write.ts';
import { allOf, rowsOf } from '../pages.ts';
import { type ConnectionOptions, connect, withConnection } from './connection.ts';

type Options = ConnectionOptions & { agent?: string; verdict?: string; lines: number };

type Found = ShownDecision & { id: string };
type Page = { decisions: readonly Found[]; next: string | null };

const LOOK_EVERY_MS = 500;
/** Partitions are recorded at their own pace: so far behind the newest, a decision may still turn up. */
const OVERLAP_MS = 15_000;
const PAGE = 1_000;

export function tailCommand(command: Command, run: RunCommand): void {
  withConnection(
    command
      .description('Follows the decisions on record. Ctrl-C ends it.')
      .option('--agent <id>', 'only of this agent', someText)
      .addOption(new Option('--verdict <verdict>', 'only these').choices(VERDICTS))
      .option('--lines <count>', 'how many to begin with', wholeNumber({ min: 0, max: PAGE }), 10),
  )
    .addHelpText(
      'after',
      `
Examples:
  mandate tail --verdict BLOCK
  mandate tail --agent researcher --lines 0 --json | jq -r .code`,
    )
    .action((options: Options) => run((context) => tail(options, context)));
}

async function tail(options: Options, context: CommandContext): Promise<ExitCode> {
  const api = connect(options, context);
  const { signal } = context;
  try {
    await follow(api, options, context);
  } catch (error) {
    // Being asked to stop is how this ends well.
    if (!signal.aborted) throw error;
  }
  return 0;
}

async function follow(api: ApiClient, options: Options, { stdout, signal }: CommandContext): Promise<void> {
  const { lines, agent, verdict } = options;
  const filters = { agent, verdict };
  const show = async (found: readonly Found[]) => {
    for (const decision of found.toReversed()) {
      if (options.json) await writeJsonLine(stdout, decision);
      else await write(stdout, `${decisionLine(decision, stdout)}\n`);
    }
  };

  const newest = (limit: number) => api.get<Page>('/v1/audit/decisions', { ...filters, limit });
  // In this order: what comes while we ask is in the later answer and so is shown. Nothing counts as seen that was not.
  let newestMs = timeOf((await newest(1)).decisions[0]) ?? Date.now();
  const before = await since(api, filters, newestMs);
  const shown = (await newest(Math.max(1, lines))).decisions.slice(0, lines);
  await show(shown);
  const seen = new Set([...before, ...shown].map(({ id }) => id));
  while (!signal.aborted) {
    await sleep(LOOK_EVERY_MS, undefined, { signal });
    const found = await since(api, filters, newestMs);
    const fresh = found.filter(({ id }) => !seen.has(id));
    await show(fresh);
    newestMs = Math.max(newestMs, timeOf(found[0]) ?? 0);
    for (const { id } of fresh) seen.add(id);
    for (const id of seen) if ((timeOfId(id) ?? 0) < newestMs - OVERLAP_MS) seen.delete(id);
  }
}

/** Everything from the overlap on, newest first. */
async function since(api: ApiClient, filters: Query, newestMs: number): Promise<readonly Found[]> {
  const query = { ...filters, from: wireTime(newestMs - OVERLAP_MS) };
  return allOf(
    rowsOf(api, {
      path: '/v1/audit/decisions',
      query,
      cursor: 'cursor',
      pageSize: PAGE,
      rows: ({ decisions }: Page) => decisions,
    }),
  );
}

function timeOf(found: Found | undefined): number | null {
  return found === undefined ? null : timeOfId(found.id);
}
