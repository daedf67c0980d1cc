import type { StaticCheck } from './check.ts';

export const modelAllowed: StaticCheck = {
  name: 'model-allowed',
  look({ action, mandate }) {
    if (action.type !== 'llm_call') return undefined;
    if (mandate.allowedModels === null && mandate.deniedModels === null) return undefined;
    const { model } = action;
    const denied = mandate.deniedModels?.(model) ?? null;
    if (denied !== null) {
      return {
        saw: { model, pattern: denied },
        objection: {
          code: 'MODEL_NOT_ALLOWED',
          reason: `The model "${model}" is denied by "${denied}".`,
          remedy: 'Use another model; only a change of deniedModels lets this one through.',
        },
      };
    }
    if (mandate.allowedModels === null) return { saw: { model }, objection: null };
    const allowed = mandate.allowedModels(model);
    if (allowed !== null) return { saw: { model, pattern: allowed }, objection: null };
    return {
      saw: { model },
      objection: {
        code: 'MODEL_NOT_ALLOWED',
        reason: `No pattern of allowedModels matches the model "${model}".`,
        remedy: 'Use an allowed model, or have this one added to allowedModels.',
      },
    };
  },
};
