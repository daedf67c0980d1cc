import type { KnownCall } from '../models/known-call.ts';
import { blocked, passed, type StaticCheck } from './check.ts';

/** Checks every name of the model against the lists of the policy: packages/policy/src/models. */
export const modelAllowed: StaticCheck = ({ judgedAs, policy: { allowedModels, deniedModels } }) => {
  if (judgedAs !== 'model' || (allowedModels === null && deniedModels === null)) return null;
  return ({ name: model, call }) => {
    const { models } = call as KnownCall;
    const denied = deniedModels?.match(models.denied) ?? null;
    if (denied !== null) {
      return blocked(
        'model-allowed',
        { model, pattern: denied },
        {
          code: 'MODEL_NOT_ALLOWED',
          reason: `The model "${model}" is denied by "${denied}".`,
          remedy: 'Use another model. Only a change of deniedModels can allow this one.',
        },
      );
    }
    if (allowedModels === null) return passed('model-allowed', { model });
    const allowed = allowedModels.match(models.allowed);
    if (allowed !== null) return passed('model-allowed', { model, pattern: allowed });
    return blocked(
      'model-allowed',
      { model },
      {
        code: 'MODEL_NOT_ALLOWED',
        reason: `No pattern of allowedModels matches the model "${model}".`,
        remedy: 'Use an allowed model, or ask for this one to be added to allowedModels.',
      },
    );
  };
};
