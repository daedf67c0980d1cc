/** A step of a workflow, or a node of a graph, that an agent performs. */
import { askAgent } from './ask-agent.ts';
import type { StepKind } from './perform-step.ts';
import { inputsAsArgs, known, loadedOf, type StepParts } from './step-parts.ts';
import { nodeOf, stepOf, wrongKind } from './written-step.ts';

export function agentKind(parts: StepParts): StepKind {
  return {
    args: inputsAsArgs,
    async do(work, allowed) {
      const loaded = await loadedOf(parts, work);
      const asked = { actionId: allowed.actionId, inputs: work.current.inputs ?? null };
      const written = stepOf(loaded, work, 'agent');
      if (written !== null) {
        const {
          agent: reference,
          system_prompt: systemPrompt,
          temporary_skills: temporarySkills,
        } = written.step;
        const ofStep = { ...asked, reference, systemPrompt, temporarySkills };
        return askAgent(parts, written.loaded, ofStep, work, allowed);
      }
      const node = nodeOf(loaded, work, 'agent');
      if (node === null) throw wrongKind(work);
      const agent = known(await parts.manifests.ofAgent(work.run.started, node.agent_ref));
      const ofNode = { ...asked, reference: agent.reference, systemPrompt: node.system_prompt_override };
      return askAgent(parts, agent.loaded, ofNode, work, allowed);
    },
  };
}
