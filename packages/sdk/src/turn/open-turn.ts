/** Opens a turn: requests a decision about the prompt of a person, and reads the facts in the decision. */
import type { Action, Json } from '@mandate/schemas';
import { type Obligations, obliged, textIn, textsIn, UnknownForm } from '../carry-out.ts';
import { isObject } from '../create-action.ts';
import type { AgentOptions } from '../mandate.ts';
import type { CallOptions } from '../types.ts';
import { filterIn, storesIn } from './readable-stores.ts';
import { Turn, type TurnFacts, type TurnIntent, type TurnSource } from './turn.ts';

export type TurnOptions = AgentOptions & Omit<CallOptions, 'turnId' | 'carriesOut'>;

const NAMES = ['intent', 'specialists', 'tools', 'stores', 'filter'];

/**
 * Asks whether the agent may take the prompt. If it may, returns the turn that the prompt opens.
 *
 * @param mandate an instance or a view
 * @param text the words of the person, unchanged
 * @param options `principal`: the person. The role of the person decides which tools may be used
 * @throws MandateBlockedError, MandateDeferredError; MandateError MANDATES_INVALID, SDK_MISUSED
 */
export async function openTurn<M extends TurnSource>(
  mandate: M,
  text: string,
  { agentId, mandate: stated, ...options }: TurnOptions = {},
): Promise<Turn<M>> {
  const { principal, runId, context } = options;
  const view = mandate.with({ agentId, principal, runId, context }) as M;
  const agent = view.agent(stated === undefined ? {} : { mandate: stated });
  const call = { type: 'prompt', text, options } as const;
  const { decision, duties } = await obliged(agent, call, NAMES, (obligations, action) => ({
    facts: factsIn(obligations, action),
    principal: action.principal,
  }));
  const bound = view.with({ turnId: decision.actionId }) as M;
  return new Turn({ mandate: bound, prompt: text, decision, ...duties });
}

function factsIn(obligations: Obligations, action: Action): TurnFacts {
  const { intent, specialists = [], tools } = obligations;
  return {
    intent: intent === undefined ? null : intentIn(intent),
    specialists: textsIn(specialists, 'specialists'),
    tools: tools === undefined ? null : textsIn(tools, 'tools'),
    stores: storesIn(obligations) ?? [],
    filter: filterIn(obligations, action),
  };
}

/** The intent is for information, so it may have further fields. */
function intentIn(intent: Json): TurnIntent {
  if (!isObject(intent) || !isObject(intent.entities)) throw new UnknownForm('intent');
  textIn(intent.id as Json, 'intent');
  return intent as unknown as TurnIntent;
}
