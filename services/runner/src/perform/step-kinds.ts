/** The code for each kind of step. The fold decides switches and routers, so they are not here. */
import { agentKind } from './agent-kind.ts';
import { councilKind } from './council-kind.ts';
import { evaluatorKind } from './evaluator-kind.ts';
import { humanKind } from './human-kind.ts';
import { logicKind } from './logic-kind.ts';
import type { StepKinds } from './perform-step.ts';
import type { StepParts } from './step-parts.ts';

export function stepKinds(parts: StepParts): StepKinds {
  return {
    agent: agentKind(parts),
    council: councilKind(parts),
    evaluator: evaluatorKind(parts),
    human: humanKind,
    logic: logicKind(parts),
  };
}
