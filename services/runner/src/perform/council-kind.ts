/** A step of a workflow in which several agents vote. */
import { councilSettings, type StepResult } from '@mandate/agent-manifest';
import type { Json } from '@mandate/schemas';
import type { CouncilStep } from '@mandate/schemas/agent-manifest';
import type { DeclaredOutputs } from '../agent-step/step.ts';
import type { LoadedManifest } from '../manifests/plans.ts';
import { askAgent } from './ask-agent.ts';
import type { Allowed, StepKind, StepWork } from './perform-step.ts';
import { inputsAsArgs, loadedOf, type StepParts } from './step-parts.ts';
import { stepOf, wrongKind } from './written-step.ts';

export function councilKind(parts: StepParts): StepKind {
  return {
    args: inputsAsArgs,
    async do(work, allowed) {
      const written = stepOf(await loadedOf(parts, work), work, 'council');
      if (written === null) throw wrongKind(work);
      return ballotsOf(parts, written.loaded, written.step, work, allowed);
    },
  };
}

/** All voters get the same question at the same time. A voter that fails, or is blocked, abstains. */
async function ballotsOf(
  parts: StepParts,
  loaded: LoadedManifest,
  step: CouncilStep,
  work: StepWork,
  allowed: Allowed,
): Promise<StepResult | null> {
  const inputs = work.current.inputs ?? null;
  const outputs = ballotOf(councilSettings(inputs).options);
  const asked = await Promise.all(
    step.voters.map(async (reference) => {
      const question = { reference, actionId: allowed.actionId, inputs, outputs };
      return [reference, await askAgent(parts, loaded, question, work, allowed)] as const;
    }),
  );
  const waiting = asked.flatMap(([, result]) =>
    result !== null && 'deferred' in result ? result.deferred.waiting : [],
  );
  const uncertain = asked.map(([, result]) => result).find((one) => one !== null && 'uncertain' in one);
  if (asked.some(([, result]) => result === null)) return null;
  if (uncertain !== undefined) return uncertain;
  if (waiting.length > 0) return { deferred: { what: 'calls', waiting } };
  const ballots = asked.flatMap(([voter, result]): [string, Json][] =>
    result !== null && 'output' in result ? [[voter, result.output]] : [],
  );
  return { ballots: Object.fromEntries(ballots) };
}

function ballotOf(options: readonly string[]): DeclaredOutputs {
  const schema = {
    type: 'object',
    properties: { vote: { type: 'string', enum: [...options] }, reason: { type: 'string' } },
    required: ['vote'],
  };
  // A vote for an unknown option is an abstention, not an answer of the wrong form.
  return { schema, faultOf: () => null };
}
