/** Describes a step and its result in a few words. */

import type { Evaluated } from '@mandate/engine';
import { type Action, formatMicros, type KillTarget, subjectOf } from '@mandate/schemas';
import type { PlayedStep } from './case-steps.ts';

export function titleOf(step: PlayedStep): string {
  switch (step.does) {
    case 'ask': {
      const [action] = step.actions;
      if (action === undefined) return 'ask';
      return `ask ${whatIsAsked(action)} by ${action.agentId}`;
    }
    case 'report':
      return `report ${step.outcome.status} of ${step.outcome.actionId}`;
    case 'approve':
    case 'deny':
      return `${step.does} ${step.action.id}`;
    case 'kill':
    case 'revive':
      return `${step.does} ${whom(step.target)}`;
  }
}

/** Names the tool or the model. Other kinds of action have no name of their own, so their kind is named. */
function whatIsAsked(action: Action): string {
  return action.type === 'tool_call' || action.type === 'llm_call' ? subjectOf(action) : action.type;
}

function whom(target: KillTarget): string {
  if (target.scope === 'agent') return target.agentId;
  return target.scope === 'tenant' ? 'the tenant' : 'everything';
}

export function inAWord(answer: Evaluated): string {
  if (answer.event === 'dead.letter') return 'cannot be read';
  if (answer.event === 'action.settled') {
    const { code, chargedMicros } = answer.settlement;
    return `${code} ${formatMicros(chargedMicros)}`;
  }
  const { verdict, code, observed, chargedMicros } = answer.decision;
  if (observed !== null) return `${verdict}, observed ${observed.code}`;
  return `${verdict} ${verdict === 'ALLOW' ? formatMicros(chargedMicros) : code}`;
}
