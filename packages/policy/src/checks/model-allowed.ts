import { blocked, passed, type StaticCheck } from './check.ts';

export const modelAllowed: StaticCheck = ({ type, policy: { allowedModels, deniedModels } }) => {
  if (type !== 'llm_call' || (allowedModels === null && deniedModels === null)) return null;
  return ({ name: model }) => {
    const denied = deniedModels?.(model) ?? null;
    if (denied !== null) {
      return blocked(
        'model-allowed',
        { model, pattern: denied },
        {
          code: 'MODEL_NOT_ALLOWED',
          reason: `The model "${model}" is denied by "${denied}".`,
          remedy: 'Use another model; only a change of deniedModels lets this one through.',
        },
      );
    }
    if (allowedModels === null) return passed('model-allowed', { model });
    const allowed = allowedModels(model);
    if (allowed !== null) return passed('model-allowed', { model, pattern: allowed });
    return blocked(
      'model-allowed',
      { model },
      {
        code: 'MODEL_NOT_ALLOWED',
        reason: `No pattern of allowedModels matches the model "${model}".`,
        remedy: 'Use an allowed model, or have this one added to allowedModels.',
      },
    );
  };
};
