/** A node of a graph that asks an agent for a score. */

import type { DeclaredOutputs } from '../agent-step/step.ts';
import { askAgent } from './ask-agent.ts';
import type { StepKind } from './perform-step.ts';
import { failed, inputsAsArgs, known, loadedOf, type StepParts } from './step-parts.ts';
import { nodeOf, wrongKind } from './written-step.ts';

export function evaluatorKind(parts: StepParts): StepKind {
  return {
    args: inputsAsArgs,
    async do(work, allowed) {
      const node = nodeOf(await loadedOf(parts, work), work, 'evaluator');
      if (node === null) throw wrongKind(work);
      const agent = known(await parts.manifests.ofAgent(work.run.started, node.evaluator_agent_ref));
      const asked = {
        ...{ actionId: allowed.actionId, reference: agent.reference, outputs: JUDGEMENT },
        inputs: work.current.inputs ?? null,
      };
      const result = await askAgent(parts, agent.loaded, asked, work, allowed);
      if (result === null || !('failure' in result) || result.failure.code !== 'ANSWER_INVALID')
        return result;
      return failed('SCORE_INVALID', result.failure.reason);
    },
  };
}

const JUDGEMENT: DeclaredOutputs = {
  schema: {
    type: 'object',
    properties: {
      score: { type: 'number', minimum: 0, maximum: 1 },
      feedback: { type: 'string', description: 'What must become better.' },
    },
    required: ['score', 'feedback'],
  },
  faultOf(value) {
    const { score } = typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {};
    return typeof score === 'number' && score >= 0 && score <= 1
      ? null
      : 'score must be a number from 0 to 1';
  },
};
