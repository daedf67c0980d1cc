/** A runner: it follows all runs, performs the runs of its partitions, and answers questions about runs. */
import type { Bus } from '@mandate/bus';
import type { FollowedControl } from '@mandate/control-log';
import { answers, type Clock, type Logger, type Opening, type ReadinessCheck } from '@mandate/runtime';
import type { Metrics } from '@mandate/server';
import type { LogicOptions } from './logic/run-logic.ts';
import { type Manifests, publishedPlans } from './manifests/plans.ts';
import { measureSteps } from './measure-steps.ts';
import type { ModelClients } from './models/model-clients.ts';
import type { TokenWindows } from './models/token-windows.ts';
import { awaitAnswer } from './perform/await-answer.ts';
import { boundSteps } from './perform/bound-steps.ts';
import { performStep } from './perform/perform-step.ts';
import { stepKinds } from './perform/step-kinds.ts';
import { type Planes, planesAt } from './plane/planes.ts';
import { type FollowedRuns, followRuns } from './runs/follow-runs.ts';
import { type HeldRuns, holdRuns } from './runs/hold-runs.ts';
import { TextFeed } from './text-feed.ts';
import type { ToolServers } from './tools/tool-servers.ts';

export type Runner = {
  runs: FollowedRuns;
  manifests: Manifests;
  texts: TextFeed;
  clock: Clock;
  /** The number of runs that this process drives now. */
  driven: () => number;
  /** Begins to perform runs. Before that, this process only follows them. */
  perform(planeUrl: string): Promise<void>;
  readiness: () => Promise<readonly ReadinessCheck[]>;
};

export type RunnerParts = {
  bus: Bus;
  published: FollowedControl['manifests'];
  /** The API key for the runs of a tenant. Null: this runner does not perform the runs of the tenant. */
  keyOf: (tenant: string) => string | null;
  models: ModelClients;
  tokenWindows: TokenWindows;
  toolServers: ToolServers;
  logic: LogicOptions | null;
  sessionTimeoutMs: number;
  /** The maximum number of steps that are performed at one time. */
  mostSteps: number;
  metrics: Metrics;
  clock: Clock;
  log: Logger;
};

export async function startRunner(
  parts: RunnerParts,
  { running, closing }: Pick<Opening, 'running' | 'closing'>,
): Promise<Runner> {
  const { bus, published, clock, log, metrics, sessionTimeoutMs, mostSteps } = parts;
  const manifests = publishedPlans(published);
  const runs = running(await followRuns(bus, log));
  closing(parts.toolServers, (servers) => servers.close());
  const texts = new TextFeed();
  let held: HeldRuns | null = null;

  async function perform(planeUrl: string): Promise<void> {
    const planes: Planes = closing(planesAt(planeUrl, parts.keyOf, log), (opened) => opened.close());
    const kinds = stepKinds({
      ...parts,
      ...{ planes, manifests },
      onText: ({ run, current }, text) =>
        texts.send({ tenant: run.started.tenant, runId: run.started.runId, step: current.step, text }),
    });
    const steps = boundSteps(performStep(planes, kinds, log), mostSteps);
    measureSteps(metrics, steps);
    held = running(
      await holdRuns(bus, {
        ...{ runs, clock, log, sessionTimeoutMs },
        planOf: manifests.planOf,
        perform: steps.perform,
        awaitAnswer: awaitAnswer(planes),
      }),
    );
  }

  return {
    ...{ runs, manifests, texts, clock, perform },
    driven: () => held?.driven() ?? 0,
    readiness: async () => [await answers('log', bus.ping())],
  };
}
