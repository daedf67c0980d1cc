import { statSync } from 'node:fs';
import { type MockedOutputs, mockRun, workflowOf } from '@mandate/agent-manifest';
import type { Json, RunEvent } from '@mandate/schemas';
import type { Command } from 'commander';
import type { CommandContext, RunCommand } from '../command-context.ts';
import { connect } from '../connection.ts';
import { type ExitCode, WrongUse } from '../exit-codes.ts';
import { jsonObject, someText } from '../input/option-values.ts';
import { type LoadedManifestFile, mustLoadManifest } from '../manifests/load-manifest-file.ts';
import { write, writeJsonLine } from '../output/write.ts';
import { followRun } from '../runs/follow-run.ts';
import { eventLine, type ListedRun } from '../runs/run-text.ts';

type Options = {
  inputs?: object;
  agent?: string;
  mock?: true;
  mockOutputs?: object;
  wait?: true;
  detach?: true;
  idempotencyKey?: string;
};

export function runCommand(command: Command, run: RunCommand): void {
  command
    .description(
      'Starts a run of a published agent manifest, and follows it until it ends or waits for a person. With a file, the ' +
        'published manifest must be the same as the file. Scope operate.',
    )
    .argument('<file|id>', 'a manifest file, or the id of a published manifest', someText)
    .option('--inputs <json>', 'the inputs of the run', jsonObject)
    .option('--agent <key>', 'the agent, if the manifest has no workflow', someText)
    .option('--wait', 'follow the run also while it waits for a person')
    .option('--detach', 'only start the run, and print its id')
    .option('--idempotency-key <key>', 'a repeated command with the same key starts no second run', someText)
    .option('--mock', 'play a manifest file here, without a plane, models, tools and people')
    .option('--mock-outputs <json>', 'with --mock: the outputs of steps by their names', jsonObject)
    .addHelpText(
      'after',
      `
Exit code 0: the run completed. 1: it failed or was cancelled. 3: it waits for
a person.

Examples:
  mandate run research --inputs '{"query": "tea"}'
  mandate run research.yaml --mock --inputs '{"query": "tea"}'
  mandate run research.yaml --mock --mock-outputs '{"search": {"pages": 3}}'`,
    )
    .action((named: string, options: Options) =>
      run((context) => (options.mock ? mock(named, options, context) : start(named, options, context))),
    );
}

async function start(named: string, options: Options, context: CommandContext): Promise<ExitCode> {
  if (options.mockOutputs !== undefined)
    throw new WrongUse('--mock-outputs has no effect on a real run', 'Add --mock, or leave it out.');
  const api = connect(context);
  const { inputs, agent, wait, detach, idempotencyKey } = options;
  const file = isFile(named) ? mustLoadManifest(named) : null;
  const body = {
    ...(file === null ? { manifest: named } : { manifest: file.id, hash: file.hash }),
    ...(inputs !== undefined && { inputs }),
    ...(agent !== undefined && { agent }),
  };
  const started = await api.post<ListedRun>('/v1/runs', body, { idempotencyKey });
  if (detach) {
    if (context.json) await writeJsonLine(context.stdout, started);
    else await write(context.stdout, `${started.id}\n`);
    return 0;
  }
  if (!context.json) await write(context.stdout, `${started.id}\n`);
  return followRun(context, api, started.id, { untilPerson: wait !== true });
}

async function mock(named: string, options: Options, context: CommandContext): Promise<ExitCode> {
  if (!isFile(named)) throw new WrongUse('--mock plays a file', 'Give the path of a manifest file.');
  const file = mustLoadManifest(named);
  const agent = agentOf(file, options.agent);
  const inputs = file.inputsOf((options.inputs ?? {}) as Json);
  const outputs = (options.mockOutputs ?? {}) as MockedOutputs;
  mustNameSteps(file, agent, Object.keys(outputs));
  const events: RunEvent[] = [];
  const end = mockRun(file.document, {
    started: {
      event: 'run.started',
      ...{ runId: 'run_mock', tenant: 'default', at: new Date().toISOString() },
      manifest: { id: file.id, version: 1, hash: file.hash },
      ...{ agent, inputs, principal: null, by: 'mock' },
    },
    outputs,
    onEvent: (event) => events.push(event),
  });
  if (end === null) throw new WrongUse(`the manifest has no agent ${agent}`, 'Name one of its agents.');
  for (const event of events) {
    if (context.json) await writeJsonLine(context.stdout, event);
    else await write(context.stdout, `${eventLine(event)}\n`);
  }
  return end.status === 'completed' ? 0 : 1;
}

function mustNameSteps(
  { document }: LoadedManifestFile,
  agent: string | null,
  names: readonly string[],
): void {
  const steps =
    'topology' in document
      ? document.topology.nodes.map(({ id }) => id)
      : Object.keys(workflowOf(document, agent)?.steps ?? {});
  const unknown = names.filter((name) => !steps.includes(name));
  if (steps.length === 0 || unknown.length === 0) return;
  throw new WrongUse(
    `--mock-outputs names no step of the manifest: ${unknown.slice(0, 20).join(', ')}`,
    `The steps are ${steps.slice(0, 100).join(', ')}.`,
  );
}

function isFile(named: string): boolean {
  return /\.(ya?ml|json)$/i.test(named) || statSync(named, { throwIfNoEntry: false })?.isFile() === true;
}

function agentOf({ document, agents }: LoadedManifestFile, asked: string | undefined): string | null {
  const form = 'topology' in document ? 'a graph' : 'workflow' in document ? 'a workflow' : null;
  if (form !== null) {
    if (asked === undefined) return null;
    throw new WrongUse(`the manifest has ${form}, so a run cannot name an agent`, 'Leave --agent out.');
  }
  const [only, second] = agents;
  if (asked !== undefined) return asked;
  if (only !== undefined && second === undefined) return only;
  throw new WrongUse(
    `the manifest has ${agents.length} agents and no workflow`,
    `Name one with --agent: ${agents.slice(0, 20).join(', ')}.`,
  );
}
