/** The parts that the steps of all kinds need. */
import type { StepResult } from '@mandate/agent-manifest';
import { type Clock, MandateError } from '@mandate/runtime';
import type { LogicOptions } from '../logic/run-logic.ts';
import type { Loaded, Manifests } from '../manifests/plans.ts';
import type { ModelClients } from '../models/model-clients.ts';
import type { TokenWindows } from '../models/token-windows.ts';
import type { Planes } from '../plane/planes.ts';
import type { ToolServers } from '../tools/tool-servers.ts';
import { argsOf, type StepKind, type StepWork } from './perform-step.ts';

export type StepParts = {
  planes: Planes;
  manifests: Pick<Manifests, 'ofRun' | 'ofAgent'>;
  models: ModelClients;
  toolServers: ToolServers;
  tokenWindows: TokenWindows;
  /** Null: logic steps are off. */
  logic: LogicOptions | null;
  /** Is called with the text of an agent while it arrives. */
  onText(work: StepWork, text: string): void;
  clock: Clock;
};

/** The action of a step has its inputs as arguments. */
export const inputsAsArgs: StepKind['args'] = async ({ current }) => argsOf(current.inputs);

export async function loadedOf(
  { manifests }: Pick<StepParts, 'manifests'>,
  { run }: StepWork,
): Promise<Loaded> {
  return known(await manifests.ofRun(run.started));
}

/** Throws if this process does not know a published manifest yet. */
export function known<Found>(found: Found | null): Found {
  if (found !== null) return found;
  throw new MandateError('MANIFEST_UNKNOWN', 'a manifest of the run is not known', {
    retryable: true,
    remedy: 'The runner tries again.',
  });
}

export function failed(code: string, reason: string): StepResult {
  return { failure: { code, reason, retryable: false, retryAfterMs: null } };
}
