/** Finds out which model a call uses, from LangChain's description of the model. */

export type DescribedModel = { provider?: string; model: string; maxOutputTokens?: number };

/** The maximum number of objects that may wrap a model, such as bound options. */
const MOST_WRAPPED = 8;

type ModelLike = {
  getLsParams?(settings: object): Record<string, unknown>;
  _getModelInstance?(): Promise<ModelLike>;
  bound?: ModelLike;
};

/** @param settings the settings of this call */
export async function describeModel(model: unknown, settings: object): Promise<DescribedModel> {
  let inner = model as ModelLike;
  for (let depth = 0; depth < MOST_WRAPPED && inner.getLsParams === undefined; depth += 1) {
    if (inner._getModelInstance !== undefined) inner = await inner._getModelInstance();
    else if (inner.bound !== undefined) inner = inner.bound;
    else break;
  }
  return describedBy(inner.getLsParams?.(settings) ?? {});
}

/** Reads the same facts that LangChain gives to tracers. A model without a name is `unknown`, which has no price. */
export function describedBy(facts: Readonly<Record<string, unknown>>): DescribedModel {
  const { ls_provider, ls_model_name, ls_max_tokens } = facts;
  return {
    model: typeof ls_model_name === 'string' && ls_model_name !== '' ? ls_model_name : 'unknown',
    ...(typeof ls_provider === 'string' && ls_provider !== '' ? { provider: ls_provider } : {}),
    ...(Number.isSafeInteger(ls_max_tokens) ? { maxOutputTokens: ls_max_tokens as number } : {}),
  };
}
