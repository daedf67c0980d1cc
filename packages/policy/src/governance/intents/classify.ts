import { endlessRoom } from '../../arguments/pattern-size.ts';
import type { StepBudget } from '../../step-budget.ts';
import { fold } from '../text/fold.ts';
import { compileEntities, type Entities } from './entities.ts';
import { compileEvidence, type Evidence } from './evidence.ts';
import type { IntentsDocument } from './intents-document.ts';

/** The intent of a prompt, with its entities. The obligation `intent` has these fields. */
interface Intent extends Entities {
  readonly id: string;
  readonly by: 'keyword' | 'pattern' | 'fallback';
  /** The keyword or pattern as the manifest has it. Null for the fallback. */
  readonly trigger: string | null;
  /** The length of the evidence in characters. The fallback has no evidence, so its length is 0. */
  readonly length: number;
  /** The other intents with evidence, the longest first. */
  readonly others: readonly { readonly id: string; readonly length: number }[];
}

export interface CompiledIntents {
  /** Returns the intent with the longest evidence in the text. Null if the step budget is used up. */
  classify(text: string, stepBudget: StepBudget): Intent | null;
}

/**
 * @param room the total size that the patterns may have; their sizes are subtracted
 * @throws PatternRefused if a pattern cannot run, and an Error if no intent is the fallback
 */
export function compileIntents(
  { intents, entity_types = {} }: IntentsDocument,
  room: StepBudget = endlessRoom(),
): CompiledIntents {
  const findEvidence = compileEvidence(intents, room);
  const ids = intents.map(({ id }) => id);
  const entitiesOf = intents.map(({ entities = [] }) => compileEntities(entities, entity_types, room));
  const fallback = intents.findIndex(({ triggers }) => triggers.fallback === true);
  if (fallback < 0) throw new Error('no intent has triggers.fallback: true');
  return {
    classify(text, stepBudget) {
      const folded = fold(text, stepBudget);
      const evidence = stepBudget.left < 0 ? null : findEvidence(folded, stepBudget);
      if (evidence === null) return null;
      const [first, ...others] = [...evidence].toSorted(byLength);
      const place = first?.[0] ?? fallback;
      const entities = entitiesOf[place]?.(folded, first?.[1].end ?? null, stepBudget);
      if (entities === undefined || stepBudget.left < 0) return null;
      return {
        id: ids[place] ?? '',
        ...evidenceFields(first?.[1]),
        others: others.map(([intent, { length }]) => ({ id: ids[intent] ?? '', length })),
        ...entities,
      };
    },
  };
}

function evidenceFields(evidence: Evidence | undefined): Pick<Intent, 'by' | 'trigger' | 'length'> {
  if (evidence === undefined) return { by: 'fallback', trigger: null, length: 0 };
  const { by, trigger, length } = evidence;
  return { by, trigger, length };
}

/** The longest evidence comes first. Equal evidence is in the order of the manifest. */
function byLength([a, one]: [number, Evidence], [b, other]: [number, Evidence]): number {
  return other.length - one.length || a - b;
}
