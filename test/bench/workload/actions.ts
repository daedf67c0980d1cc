/**
 * Makes the actions of a bench. Of twenty actions, six are LLM calls, ten call tools that a fleet often uses, and two
 * call a tool that no earlier action named. One calls a denied tool, and one a tool that no agent may call. All ids
 * are different.
 */
import type { Action } from '@mandate/schemas';

const AGENTS = 200;

let made = 0;

/** Returns `count` actions, different from all actions that were made before in this process. */
export function newActions(count: number, options: { schemas?: boolean } = {}): Action[] {
  return Array.from({ length: count }, () => newAction(made++, options.schemas ?? false));
}

/** Of every twenty actions that `newActions` returns, `mandateDocument` allows this number. */
export const ALLOWED_OF_TWENTY = 18;

function newAction(index: number, schemas: boolean): Action {
  const kind = index % 20;
  const base = {
    id: `act_bench_${index.toString(36).padStart(8, '0')}`,
    agentId: `airline-${(index * 7) % AGENTS}`,
    estimatedCostMicros: 1_500,
    principal: { id: `user-${index % 50}`, role: 'member' },
    context: { environment: 'prod', session: `s-${index % 1_000}` },
  };
  if (kind < 6) {
    return {
      ...base,
      type: 'llm_call',
      provider: 'anthropic',
      model: kind < 4 ? 'claude-sonnet-4-5' : 'claude-haiku-4-5',
      inputTokens: 1_200 + kind,
      maxOutputTokens: 800,
    };
  }
  return { ...base, type: 'tool_call', tool: toolOf(kind, index, schemas), args: argumentsOf(index) };
}

function toolOf(kind: number, index: number, schemas: boolean): string {
  if (kind === 18) return 'delete_everything';
  if (kind === 19) return 'unheard_of';
  if (schemas) return SCHEMA_TOOLS[index % SCHEMA_TOOLS.length] ?? '';
  return kind >= 16 ? toolNamed(kind, `cold${index}`) : toolNamed(kind - 6, 'known');
}

/**
 * Returns the name of a tool that the first globs of the mandate allow. `form` chooses one of five forms of names;
 * each form has its own glob.
 */
export function toolNamed(form: number, word: string): string {
  return [`get0_${word}`, `${word}_report1`, `crm2_${word}_read`, 'send3_mail', `my_area4.${word}`][
    form % 5
  ] as string;
}

export const SCHEMA_TOOLS: readonly string[] = Array.from({ length: 16 }, (_, index) =>
  toolNamed(index % 3, `checked${index}`),
);

function argumentsOf(index: number) {
  return {
    query: 'flights from berlin to lisbon',
    limit: 1 + (index % 50),
    filters: [{ field: 'price', below: 200 + (index % 7) }],
    passenger: { user_id: `user-${index % 1_000}`, payment: 'credit_card_4421486', bags: 2 },
  };
}
